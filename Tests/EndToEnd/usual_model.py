"""What is usual on a day, worked out from the stand-in's archive: what the program's own numbers are held against.

A day's samples are the same date and three days to either side in each of the ten last whole years.
"""

import json
import sys
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone

from stand_in import MADE_UP, REPOSITORY

sys.path.insert(0, str(REPOSITORY / "deploy/stand-in"))
from archive import archive  # noqa: E402
from cities import Gazetteer  # noqa: E402

YEARS, TO_EITHER_SIDE = 10, 3
FEWEST_SAMPLES = 50
WET_MILLIMETRES, SNOW_DEGREES = 1.0, 1.0
CLEAR_BELOW, PARTLY_CLOUDY_TO = 30, 70
# A year's last days are in the archive, all of them, by this day of the next January.
WHOLE_FROM = 10
VARIABLES = ("temperature_2m_max", "temperature_2m_min", "precipitation_sum", "cloud_cover_mean", "wind_speed_10m_max",
             "wind_gusts_10m_max")


@dataclass(frozen=True)
class Spread:
    """The mean, and where all but a tenth at either end lie."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Usual:
    """A day's usual weather, in °C, mm, km/h and per cent. `kind` is what falls if something does."""

    maximum: Spread
    minimum: Spread
    wet_share: float
    kind: str
    precipitation: float
    clouds: float
    sky: str
    wind: float
    gust: float
    samples: int
    first_year: int
    last_year: int


def percentile(values, share):
    """The value below which this share of them lies (0.1 for the tenth), linear between ranks."""
    ranked = sorted(values)
    rank = (len(ranked) - 1) * share
    below = int(rank)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (rank - below)


def mean(values):
    return sum(values) / len(values)


def spread(values):
    return Spread(mean(values), percentile(values, 0.1), percentile(values, 0.9))


def whole_years(today):
    """The ten last years that are whole on a day, the earliest first."""
    last = today.year - (1 if today >= date(today.year, 1, WHOLE_FROM) else 2)
    return list(range(last - YEARS + 1, last + 1))


def window(month, day, year):
    """A year's samples of a date. Six days around 29 February where the year has none."""
    side = [timedelta(days=i) for i in range(1, TO_EITHER_SIDE + 1)]
    try:
        middle = [date(year, month, day)]
        before, after = middle[0], middle[0]
    except ValueError:
        middle = []
        before, after = date(year, 3, 1), date(year, 2, 28)
    return [before - step for step in reversed(side)] + middle + [after + step for step in side]


def samples(latitude, longitude, day, today, seed=1, delay=2):
    """What the stand-in's archive has of a day's samples, each a dictionary by variable, nulls and all."""
    windows = [window(day.month, day.day, year) for year in whole_years(today)]
    query = {
        "latitude": [str(latitude)], "longitude": [str(longitude)], "daily": list(VARIABLES),
        "start_date": [days[0].isoformat() for days in windows], "end_date": [days[-1].isoformat() for days in windows],
    }
    now = datetime.combine(today, time(12), timezone.utc)
    answers = json.loads(archive(query, Gazetteer(MADE_UP), seed, now, delay)[0])
    found = [dict(zip(answer["daily"], row)) for answer in answers for row in zip(*answer["daily"].values())]
    wanted = {one.isoformat() for days in windows for one in days}
    assert {one["time"] for one in found} == wanted
    return found


def sky(wet_share, kind, clouds):
    if wet_share >= 0.5:
        return kind
    return "clear" if clouds < CLEAR_BELOW else "partlyCloudy" if clouds <= PARTLY_CLOUDY_TO else "overcast"


def summary(found, years):
    """What these samples make of a day. None if too few have temperatures and precipitation."""
    known = [one for one in found if None not in (one["temperature_2m_max"], one["temperature_2m_min"], one["precipitation_sum"])]
    if len(known) < FEWEST_SAMPLES:
        return None

    def column(name):
        return [one[name] for one in known if one[name] is not None]

    maximum, precipitation = spread(column("temperature_2m_max")), column("precipitation_sum")
    wet_share = mean([amount >= WET_MILLIMETRES for amount in precipitation])
    kind = "snow" if maximum.mean <= SNOW_DEGREES else "rain"
    clouds = mean(column("cloud_cover_mean"))
    return Usual(
        maximum=maximum, minimum=spread(column("temperature_2m_min")), wet_share=wet_share, kind=kind,
        precipitation=mean(precipitation), clouds=clouds, sky=sky(wet_share, kind, clouds),
        wind=mean(column("wind_speed_10m_max")), gust=mean(column("wind_gusts_10m_max")),
        samples=len(known), first_year=years[0], last_year=years[-1])


def usual(latitude, longitude, day, today, seed=1, delay=2):
    """What is usual at a point on a day (of which month and day count), as known on another. None: not known.

    Coordinates as the program asks for them, to two decimals.
    """
    return summary(samples(latitude, longitude, day, today, seed, delay), whole_years(today))
