"""`/v1/forecast`: what is asked of it, and the shape of its answer."""

from datetime import datetime, time, timedelta

import asked
import cost
import sections

# The service names a type of its own source where it refuses a variable.
HOURLY_KIND = "SurfacePressureAndHeightVariable<VariableAndPreviousDay>"
FURTHEST, LONGEST_PAST = 16, 93
_SHORT_OF_DATA = frozenset({"weather_code", "temperature_2m_max", "temperature_2m_min", "temperature_2m_mean", "precipitation_sum",
                            "cloud_cover_mean", *sections.HOURLY_UNITS}) - sections.OF_THE_SUN


def _counted_days(query, place):
    """The days that are asked for by number, as dates of the place's zone."""
    count = asked.number(query, "forecast_days", 7)
    past = asked.number(query, "past_days", 0)
    if not 0 <= count <= FURTHEST:
        raise asked.Refused("Forecast days is invalid. Allowed range 0 to 16. Given 16.")
    if not 0 <= past <= LONGEST_PAST:
        raise asked.Refused(f"Past days is invalid. Allowed range 0 to 93. Given {past}.")
    today = place.local.date()
    return [today + timedelta(days=i) for i in range(-past, count)]


def _days(query, place, pair):
    if pair is None:
        return _counted_days(query, place)
    utc_today = place.now.date()
    return asked.days_between(pair, utc_today - timedelta(days=LONGEST_PAST), utc_today + timedelta(days=FURTHEST - 1))


def hours_of(days):
    return [datetime.combine(day, time(hour)) for day in days for hour in range(24)]


def _hours(query, place, days):
    """From the current hour on, if a number of hours is asked for; else those of the days.

    The current hour is found by whole hours of the offset, so that where the offset has half an hour, the
    first label is not the hour that the clock there shows. That is Open-Meteo's own way.
    """
    if "forecast_hours" not in query and "past_hours" not in query:
        return hours_of(days)
    most = FURTHEST * 24
    count = asked.number(query, "forecast_hours", most)
    past = asked.number(query, "past_hours", 0)
    if not 0 <= count <= most:
        raise asked.Refused(f"Forecast days is invalid. Allowed range 0 to {most}. Given {most}.")
    if not 0 <= past <= LONGEST_PAST * 24:
        raise asked.Refused(f"Past days is invalid. Allowed range 0 to {LONGEST_PAST * 24}. Given {past}.")
    first = place.now.replace(tzinfo=None, minute=0, second=0, microsecond=0) + timedelta(hours=int(place.offset / 3600))
    return [first + timedelta(hours=i) for i in range(-past, count)]


def _hidden(place):
    """The last day is short of data: no chance of rain, and in the west little but the sun and the wind."""
    today = place.local.date()

    def hidden(day):
        if (day - today).days < FURTHEST - 1:
            return frozenset()
        missing = {"precipitation_probability_max", "precipitation_probability"}
        return missing | _SHORT_OF_DATA if place.longitude < -25 else missing

    return hidden


def forecast(query, gazetteer, seed, now):
    """Body and cost of the answer to a parsed query (`{"latitude": ["47.6"], …}`). Raises `Refused`."""
    units = asked.Units(query)
    current = asked.variables(query, "current", sections.CURRENT_UNITS, HOURLY_KIND)
    hourly = asked.variables(query, "hourly", sections.HOURLY_UNITS, HOURLY_KIND)
    daily = asked.variables(query, "daily", sections.DAILY_UNITS, "ForecastVariableDaily")
    pairs = asked.ranges(query)
    elements, total = [], 0.0
    for index, place, pair in asked.paired(asked.places(query, gazetteer, now), pairs):
        days = _days(query, place, pair)
        total = cost.checked(total + cost.weight(len(current + hourly + daily), len(days)))
        parts = {}
        if current:
            parts["current"] = sections.current(place, seed, current, units)
        if hourly:
            hours = _hours(query, place, days)
            parts["hourly"] = sections.hourly(place, seed, hourly, units, hours, _hidden(place))
        if daily:
            parts["daily"] = sections.daily(place, seed, daily, units, days, _hidden(place))
        elements.append(sections.element(place, index, parts))
    return sections.joined(elements), total
