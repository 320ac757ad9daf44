"""Reads what a question to the forecast or the archive asks for, and refuses it in Open-Meteo's words."""

import re
from datetime import date, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

LARGEST_WEIGHT = 5000
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
SAME_NUMBER = "Parameter 'start_date' and 'end_date' must have the same number of elements"


class Refused(Exception):
    """A request that Open-Meteo answers with 400; the text is its `reason`."""


class Units:
    """What the numbers are shown in, and with how many decimals."""

    TEMPERATURE = {"celsius": ("°C", lambda c: c), "fahrenheit": ("°F", lambda c: c * 9 / 5 + 32)}
    WIND = {"kmh": ("km/h", 1.0, 1), "ms": ("m/s", 1 / 3.6, 2), "mph": ("mp/h", 0.621371, 1), "kn": ("kn", 0.539957, 1)}
    PRECIPITATION = {"mm": ("mm", 1.0, 2), "inch": ("inch", 1 / 25.4, 3)}

    def __init__(self, query):
        self.temperature = self._pick(query, "temperature_unit", "TemperatureUnit", self.TEMPERATURE, "celsius")
        wind_key = "windspeed_unit" if "windspeed_unit" in query else "wind_speed_unit"
        self.wind = self._pick(query, wind_key, "WindspeedUnit", self.WIND, "kmh")
        self.rain = self._pick(query, "precipitation_unit", "PrecipitationUnit", self.PRECIPITATION, "mm")

    @staticmethod
    def _pick(query, key, kind, table, default):
        value = query.get(key, [default])[-1] or default
        if value not in table:
            raise Refused(f"Data corrupted at path '{key}'. Cannot initialize {kind} from invalid String value {value}.")
        return table[value]

    def degrees(self, celsius):
        return f"{self.temperature[1](celsius):.1f}"

    def speed(self, kmh):
        return f"{kmh * self.wind[1]:.{self.wind[2]}f}"

    def amount(self, mm):
        return f"{mm * self.rain[1]:.{self.rain[2]}f}"

    def words(self, unit):
        """A variable's unit, as the answer names it: `temperature`, `wind` and `rain` are as asked for."""
        return getattr(self, unit)[0] if unit in ("temperature", "wind", "rain") else unit


class Place:
    """A point that is asked about, with the zone its days are counted in."""

    def __init__(self, latitude, longitude, elevation, zone, now):
        self.latitude, self.longitude, self.elevation, self.zone = latitude, longitude, elevation, zone
        try:
            zoned = now.astimezone(ZoneInfo(zone))
        except (ZoneInfoNotFoundError, ValueError, IsADirectoryError, OSError):
            raise Refused("Invalid timezone") from None
        # One constant offset for the whole answer: that of the moment of asking.
        self.offset = int(zoned.utcoffset().total_seconds())
        self.now = now
        self.local = now.replace(tzinfo=None) + timedelta(seconds=self.offset)


def listed(query, key):
    """The values of a list: separated by commas, or the key repeated."""
    return [part for value in query.get(key, []) for part in value.split(",") if part != ""]


def number(query, key, default):
    text = query.get(key, [str(default)])[-1]
    try:
        return int(text)
    except ValueError:
        raise Refused(f"Value was not of type 'Int' at path '{key}'. Data found at '{key}' was not Int.") from None


def variables(query, key, known, kind):
    names = listed(query, key)
    for name in names:
        if name not in known:
            raise Refused(f"Data corrupted at path ''. Cannot initialize {kind} from invalid String value {name}.")
    return names


def _floats(query, key):
    numbers = []
    for text in listed(query, key):
        try:
            numbers.append(float(text))
        except ValueError:
            raise Refused(f"Data corrupted at path '{key}'. Cannot initialize Float from invalid String value {text}.") from None
    return numbers


def _coordinates(query):
    latitudes, longitudes = _floats(query, "latitude"), _floats(query, "longitude")
    if len(latitudes) != len(longitudes):
        raise Refused("Parameter 'latitude' and 'longitude' must have the same number of elements")
    for latitude in latitudes:
        if not -90 <= latitude <= 90:
            raise Refused(f"Latitude must be in range of -90 to 90°. Given: {latitude}.")
    for longitude in longitudes:
        if not -180 <= longitude <= 180:
            raise Refused(f"Longitude must be in range of -180 to 180°. Given: {longitude}.")
    if len(latitudes) > 1000:
        raise Refused("Only up to 1000 locations can be requested at once")
    return list(zip(latitudes, longitudes))


def _zones(query, points, gazetteer):
    zones = listed(query, "timezone") or ["GMT"]
    if len(zones) == 1:
        zones *= len(points)
    if len(zones) != len(points):
        raise Refused("Parameter 'timezone' and coordinates must have the same number of elements")
    named = []
    for zone, (latitude, longitude) in zip(zones, points):
        if zone == "auto":
            city = gazetteer.at(latitude, longitude)
            if city is not None and city.refuses_automatic_zone:
                raise Refused("Invalid timezone")
            zone = city.timezone if city else gazetteer.nearest_zone(latitude, longitude)
        named.append(zone)
    return named


def places(query, gazetteer, now):
    """The points that are asked about, in order."""
    points = _coordinates(query)
    found = []
    for (latitude, longitude), zone in zip(points, _zones(query, points, gazetteer)):
        city = gazetteer.at(latitude, longitude)
        found.append(Place(latitude, longitude, float(city.elevation) if city else 100.0, zone, now))
    return found


def _day(text):
    if not _ISO_DAY.match(text):
        raise Refused("Invalid date format. Make sure to use 'YYYY-MM-DD'")
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise Refused("Invalid date") from None
    if not 1900 <= day.year <= 2050:
        raise Refused("Invalid date")
    return day


def ranges(query):
    """The pairs of `start_date` and `end_date`, which leave no room for days counted from today."""
    starts = [_day(text) for text in listed(query, "start_date")]
    ends = [_day(text) for text in listed(query, "end_date")]
    if len(starts) != len(ends):
        raise Refused(SAME_NUMBER)
    pairs = list(zip(starts, ends))
    for first, last in pairs:
        if last < first:
            raise Refused("End-date must be larger or equals than start-date")
    if pairs:
        for other in ("past_days", "forecast_days", "past_hours", "forecast_hours"):
            if number(query, other, 0) != 0:
                raise Refused(f"Parameter '{other}' is mutually exclusive with 'start_date' and 'end_date'")
    return pairs


def days_between(pair, lowest, highest):
    """The days of a range that has to lie within what the service has."""
    for name, day in zip(("start_date", "end_date"), pair):
        if not lowest <= day <= highest:
            raise Refused(f"Parameter '{name}' is out of allowed range from {lowest} to {highest}")
    return [pair[0] + timedelta(days=i) for i in range((pair[1] - pair[0]).days + 1)]


def paired(found, pairs):
    """What each element of the answer is about: (the point's number, the point, its range or None).

    One range is for all points, and one point has all ranges; else each point has its own.
    """
    numbered = list(enumerate(found))
    if not pairs:
        return [(index, place, None) for index, place in numbered]
    if len(pairs) == 1:
        return [(index, place, pairs[0]) for index, place in numbered]
    if len(found) == 1:
        return [(0, found[0], pair) for pair in pairs]
    if len(found) != len(pairs):
        raise Refused(f"{SAME_NUMBER} as coordinates")
    return [(index, place, pair) for (index, place), pair in zip(numbered, pairs)]
