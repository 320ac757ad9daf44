"""What a request costs by Open-Meteo's own rules, in the units of its limits."""

from asked import LARGEST_WEIGHT, Refused

# A failed call costs one unit; the limiter's own refusal comes before any counting.
FAILED = 1.0
SEARCH = 1.0
FAILING_KINDS = frozenset({"status", "html", "refuse-lists", "redirect", "never-answer", "close", "reset"})


def weight(variables, days):
    """Of one element of an answer, by how many variables it has in all and over how many days."""
    share = variables / 10
    return max(1.0, share, share * days / 14)


def checked(total):
    if total > LARGEST_WEIGHT:
        raise Refused("Your API call requests too much data. Please reduce the number of variables, locations and/or weather models.")
    return total


def of_fault(kind, options, right):
    """Of a request that a fault was played for; `right` is what its right answer costs."""
    if kind == "limit" or (kind == "status" and options.get("status") == 429):
        return 0.0
    return FAILED if kind in FAILING_KINDS else right
