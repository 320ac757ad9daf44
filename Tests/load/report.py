"""What a run prints: one table, a line a figure with how it was made, and what was left out."""


def number(value):
    """A figure to three digits or so, with thousands apart."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


class Report:
    def __init__(self):
        self._rows, self._lines, self._skipped = [], [], []

    def row(self, figure, ours, against=None, theirs=None, aim=None, lower_is_better=False):
        """A row of the table. `aim` is the least ratio, or with `lower_is_better` the most."""
        ratio = verdict = None
        if theirs and ours:
            ratio = ours / theirs
        if aim is not None and ratio is not None:
            verdict = "met" if (ratio <= aim if lower_is_better else ratio >= aim) else "MISSED"
        self._rows.append((
            figure, number(ours), against or "", number(theirs) if against else "", f"{ratio:.2f}" if ratio else "",
            "" if aim is None else f"{'≤' if lower_is_better else '≥'} {aim:g}", verdict or ""))

    def line(self, text):
        """A figure by itself, with what it was made by."""
        self._lines.append(text)
        print(f"  {text}", flush=True)

    def skip(self, what, why):
        self._skipped.append(f"{what}: {why}")
        print(f"  skipped: {what}: {why}", flush=True)

    def markdown(self, title, facts):
        out = [f"# {title}", ""]
        out += [f"- {name}: {text}" for name, text in facts] + [""]
        heads = ("figure", "trip-weather", "against", "theirs", "ratio", "aim", "")
        out.append("| " + " | ".join(heads) + " |")
        out.append("| --- | ---: | --- | ---: | ---: | ---: | --- |")
        out += ["| " + " | ".join(row) + " |" for row in self._rows]
        out += ["", "## Figure by figure", ""] + [f"- {line}" for line in self._lines]
        out += ["", "## Left out", ""] + [f"- {text}" for text in self._skipped or ["nothing"]]
        return "\n".join(out) + "\n"
