"""`/v1/archive`: the weather of days that are over, by the same function of place and day as the forecast's."""

from datetime import date, timedelta

import asked
import cost
import sections
from forecast import HOURLY_KIND, hours_of

FIRST_DAY = date(1940, 1, 1)
# How many days before UTC's today have no values yet, nor has today.
USUAL_DELAY = 2

DAILY = frozenset(sections.DAILY_UNITS) - {"uv_index_max", "precipitation_probability_max"}
HOURLY = frozenset(sections.HOURLY_UNITS) - {"precipitation_probability"}
_MEASURED = (DAILY | HOURLY) - sections.OF_THE_SUN


def _pairs(query):
    """The ranges. Open-Meteo itself takes a question without any for one about today."""
    pairs = asked.ranges(query)
    if not pairs:
        raise asked.Refused("Both 'start_date' and 'end_date' must be set in the url")
    return pairs


def archive(query, gazetteer, seed, now, delay=USUAL_DELAY):
    """Body and cost of the answer to a parsed query (`{"latitude": ["47.6"], …}`). Raises `Refused`."""
    units = asked.Units(query)
    hourly = asked.variables(query, "hourly", HOURLY, HOURLY_KIND)
    daily = asked.variables(query, "daily", DAILY, "ForecastVariableDaily")
    utc_today = now.date()
    unknown_from = utc_today - timedelta(days=delay)

    def hidden(day):
        return _MEASURED if day >= unknown_from else frozenset()

    about, total = [], 0.0
    pairs = _pairs(query)
    for index, place, pair in asked.paired(asked.places(query, gazetteer, now), pairs):
        days = asked.days_between(pair, FIRST_DAY, utc_today)
        total = cost.checked(total + cost.weight(len(hourly + daily), len(days)))
        about.append((index, place, days))
    elements = []
    for index, place, days in about:
        parts = {}
        if hourly:
            parts["hourly"] = sections.hourly(place, seed, hourly, units, hours_of(days), hidden)
        if daily:
            parts["daily"] = sections.daily(place, seed, daily, units, days, hidden)
        elements.append(sections.element(place, index, parts))
    return sections.joined(elements), total
