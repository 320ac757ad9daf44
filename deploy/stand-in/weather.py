"""Made-up weather that is the same for the same place, day and seed, and plausible for both.

The answer's shape is that of Open-Meteo's `/v1/forecast`: the order of the fields, the units' words,
the decimals of each unit, and local times without an offset.
"""

import hashlib
import json
import math
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

WMO_CODES = (0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77, 80, 81, 82, 85, 86, 95, 96, 99)

# Codes and how often they come, by how cold the day is; the millimetres are a day's sum.
_DRY = ((0, 14), (1, 14), (2, 18), (3, 18), (45, 3), (48, 1))
_WARM = ((51, 4), (53, 3), (55, 2), (61, 6), (63, 5), (65, 3), (80, 5), (81, 4), (82, 2), (95, 4), (96, 1), (99, 1))
_NEAR_ZERO = ((56, 5), (57, 4), (66, 5), (67, 4), (71, 5), (73, 3), (85, 4), (51, 3), (61, 3))
_COLD = ((71, 10), (73, 7), (75, 5), (77, 4), (85, 5), (86, 4))
_SUM = {51: 0.8, 53: 2.0, 55: 4.0, 56: 0.7, 57: 2.5, 61: 3.0, 63: 9.0, 65: 24.0, 66: 2.0, 67: 8.0, 71: 1.5, 73: 5.0,
        75: 13.0, 77: 0.4, 80: 3.5, 81: 10.0, 82: 28.0, 85: 2.0, 86: 9.0, 95: 12.0, 96: 16.0, 99: 30.0}


class Refused(Exception):
    """A request that Open-Meteo answers with 400; the text is its `reason`."""


def _dice(*parts):
    """Numbers from 0 to 1 that hang on nothing but the parts."""
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=32).digest()
    return [int.from_bytes(digest[i:i + 4], "big") / 2**32 for i in range(0, 32, 4)]


def _choose(weighted, dice):
    total = sum(weight for _, weight in weighted)
    at = dice * total
    for value, weight in weighted:
        at -= weight
        if at < 0:
            return value
    return weighted[-1][0]


def day_weather(seed, latitude, longitude, elevation, day):
    """One day's weather: temperatures in °C, precipitation in mm, wind in km/h."""
    dice = _dice(seed, round(latitude, 2), round(longitude, 2), day.isoformat())
    year_angle = 2 * math.pi * (day.timetuple().tm_yday - 200) / 365.25
    season = math.cos(year_angle) * (1 if latitude >= 0 else -1)
    mean = 27 - 0.0062 * latitude**2 + 0.19 * abs(latitude) * season - 0.006 * elevation + (dice[0] - 0.5) * 8
    spread = 3 + 6 * dice[1]
    high, low = mean + spread / 2, mean - spread / 2
    wet = _COLD if high < -1 else _NEAR_ZERO if low < 2 else _WARM
    code = _choose(wet if dice[2] < 0.45 else _DRY, dice[3])
    rain = round(_SUM.get(code, 0.0) * (0.5 + dice[4]), 2)
    chance = int(min(100, (40 if rain else 5) + 55 * dice[5] * (1 if rain else 0.6)))
    return {
        "weather_code": code,
        "temperature_2m_max": high,
        "temperature_2m_min": low,
        "precipitation_sum": rain,
        "precipitation_probability_max": chance,
        "wind_speed_10m_max": 6 + 34 * dice[6] ** 2,
        "uv_index_max": max(0.0, 9 * math.cos(math.radians(latitude)) * (0.7 + 0.3 * season)),
    }


def _declination(day):
    return -0.4093 * math.cos(2 * math.pi * (day.timetuple().tm_yday + 10) / 365.25)


def sun(latitude, longitude, offset, day):
    """Sunrise and sunset as local times. Polar night: both at 00:00; polar day: 00:00 and the next 00:00."""
    midnight = datetime(day.year, day.month, day.day)
    phi, delta = math.radians(max(-89.9, min(89.9, latitude))), _declination(day)
    cosine = (math.sin(math.radians(-0.833)) - math.sin(phi) * math.sin(delta)) / (math.cos(phi) * math.cos(delta))
    if cosine >= 1:
        return midnight, midnight
    if cosine <= -1:
        return midnight, midnight + timedelta(days=1)
    half = math.degrees(math.acos(cosine)) / 15
    noon = midnight + timedelta(hours=12 - longitude / 15, seconds=offset)
    noon += timedelta(days=(day - noon.date()).days)
    return noon - timedelta(hours=half), noon + timedelta(hours=half)


def is_day(latitude, longitude, now):
    """1 while the sun is above the horizon at this instant (UTC), else 0."""
    hour_angle = math.radians((now.hour + now.minute / 60) * 15 - 180 + longitude)
    phi, delta = math.radians(latitude), _declination(now.date())
    height = math.sin(phi) * math.sin(delta) + math.cos(phi) * math.cos(delta) * math.cos(hour_angle)
    return 1 if height > math.sin(math.radians(-0.833)) else 0


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


# A variable's unit: an attribute of Units, or the words themselves.
CURRENT_UNITS = {
    "temperature_2m": "temperature", "apparent_temperature": "temperature", "relative_humidity_2m": "%",
    "precipitation": "rain", "wind_speed_10m": "wind", "weather_code": "wmo code", "is_day": "",
    "wind_direction_10m": "°", "wind_gusts_10m": "wind", "cloud_cover": "%", "pressure_msl": "hPa",
}
DAILY_UNITS = {
    "weather_code": "wmo code", "temperature_2m_max": "temperature", "temperature_2m_min": "temperature",
    "precipitation_sum": "rain", "precipitation_probability_max": "%", "sunrise": "iso8601", "sunset": "iso8601",
    "wind_speed_10m_max": "wind", "uv_index_max": "", "daylight_duration": "s",
}


def _unit_words(unit, units):
    return getattr(units, unit)[0] if unit in ("temperature", "wind", "rain") else unit


def _minute(moment):
    return moment.strftime("%Y-%m-%dT%H:%M")


def abbreviation(offset):
    """ "GMT+2", "GMT+5:45", "GMT-3:30", "GMT": never a name such as CEST."""
    if offset == 0:
        return "GMT"
    hours, minutes = divmod(abs(offset) // 60, 60)
    return f"GMT{'-' if offset < 0 else '+'}{hours}" + (f":{minutes:02d}" if minutes else "")


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


def _current(place, seed, variables, units):
    local = place.local.replace(minute=place.local.minute // 15 * 15, second=0, microsecond=0)
    whole_day = day_weather(seed, place.latitude, place.longitude, place.elevation, local.date())
    dice = _dice(seed, round(place.latitude, 2), round(place.longitude, 2), local.isoformat())
    high, low = whole_day["temperature_2m_max"], whole_day["temperature_2m_min"]
    temperature = (high + low) / 2 + (high - low) / 2 * math.cos(2 * math.pi * (local.hour + local.minute / 60 - 15) / 24)
    code = whole_day["weather_code"] if dice[0] < 0.6 else _choose(_DRY[:4], dice[1])
    wet = code >= 51
    wind = whole_day["wind_speed_10m_max"] * (0.4 + 0.6 * dice[2])
    utc = place.now.replace(minute=place.now.minute // 15 * 15)
    values = {
        "temperature_2m": lambda: units.degrees(temperature),
        "apparent_temperature": lambda: units.degrees(temperature - 0.08 * wind + (1.5 if temperature > 24 else 0)),
        "relative_humidity_2m": lambda: str(int(45 + 30 * dice[3] + (24 if wet else 0))),
        "precipitation": lambda: units.amount(whole_day["precipitation_sum"] / 24 if wet else 0.0),
        "wind_speed_10m": lambda: units.speed(wind),
        "weather_code": lambda: str(code),
        "is_day": lambda: str(is_day(place.latitude, place.longitude, utc)),
        "wind_direction_10m": lambda: str(int(360 * dice[4])),
        "wind_gusts_10m": lambda: units.speed(wind * 1.8),
        "cloud_cover": lambda: str({0: 5, 1: 30, 2: 65}.get(code, 100)),
        "pressure_msl": lambda: f"{990 + 45 * dice[5]:.1f}",
    }
    fields = [f'"time":"{_minute(local)}"', '"interval":900']
    fields += [f'"{name}":{values[name]()}' for name in variables]
    names = ['"time":"iso8601"', '"interval":"seconds"']
    names += [f'"{name}":"{_unit_words(CURRENT_UNITS[name], units)}"' for name in variables]
    return "{" + ",".join(names) + "}", "{" + ",".join(fields) + "}"


def _daily(place, seed, variables, units, days):
    today = (place.now + timedelta(seconds=place.offset)).date()
    columns = {name: [] for name in variables}
    for day in days:
        weather = day_weather(seed, place.latitude, place.longitude, place.elevation, day)
        rise, set_ = sun(place.latitude, place.longitude, place.offset, day)
        ahead = (day - today).days
        # The last day is short of data: nothing but the sun west of Greenwich, no chance of rain elsewhere.
        missing = set()
        if ahead >= 15:
            missing.add("precipitation_probability_max")
            if place.longitude < -25:
                missing |= {"weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum"}
        values = {
            "weather_code": str(weather["weather_code"]),
            "temperature_2m_max": units.degrees(weather["temperature_2m_max"]),
            "temperature_2m_min": units.degrees(weather["temperature_2m_min"]),
            "precipitation_sum": units.amount(weather["precipitation_sum"]),
            "precipitation_probability_max": str(weather["precipitation_probability_max"]),
            "wind_speed_10m_max": units.speed(weather["wind_speed_10m_max"]),
            "uv_index_max": f"{weather['uv_index_max']:.2f}",
            "sunrise": f'"{_minute(rise)}"',
            "sunset": f'"{_minute(set_)}"',
            "daylight_duration": f"{(set_ - rise).total_seconds():.2f}",
        }
        for name in variables:
            columns[name].append("null" if name in missing else values[name])
    fields = ['"time":[' + ",".join(f'"{day.isoformat()}"' for day in days) + "]"]
    fields += [f'"{name}":[' + ",".join(columns[name]) + "]" for name in variables]
    names = ['"time":"iso8601"'] + [f'"{name}":"{_unit_words(DAILY_UNITS[name], units)}"' for name in variables]
    return "{" + ",".join(names) + "}", "{" + ",".join(fields) + "}"


def _list(query, key):
    return [part for value in query.get(key, []) for part in value.split(",") if part != ""]


def _coordinates(query):
    def floats(key):
        numbers = []
        for text in _list(query, key):
            try:
                numbers.append(float(text))
            except ValueError:
                raise Refused(
                    f"Data corrupted at path '{key}'. Cannot initialize Float from invalid String value {text}.") from None
        return numbers

    latitudes, longitudes = floats("latitude"), floats("longitude")
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


def _variables(query, key, known, kind):
    variables = _list(query, key)
    for name in variables:
        if name not in known:
            raise Refused(f"Data corrupted at path ''. Cannot initialize {kind} from invalid String value {name}.")
    return variables


def _zones(query, points, gazetteer):
    zones = _list(query, "timezone") or ["GMT"]
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


def _day(text):
    if len(text) != 10:
        raise Refused("Invalid date format. Make sure to use 'YYYY-MM-DD'")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refused("Invalid date") from None


def _days(query, place):
    """The days that are asked for, as dates of the place's zone."""
    start, end = query.get("start_date"), query.get("end_date")
    if start or end:
        for other in ("forecast_days", "past_days"):
            if other in query:
                raise Refused(f"Parameter '{other}' is mutually exclusive with 'start_date' and 'end_date'")
        if not (start and end):
            raise Refused("Parameter 'start_date' and 'end_date' must have the same number of elements")
        first, last = _day(start[-1]), _day(end[-1])
        utc_today = place.now.date()
        lowest, highest = utc_today - timedelta(days=93), utc_today + timedelta(days=15)
        for name, day in (("start_date", first), ("end_date", last)):
            if not lowest <= day <= highest:
                raise Refused(f"Parameter '{name}' is out of allowed range from {lowest} to {highest}")
        if last < first:
            raise Refused("End-date must be larger or equals than start-date")
        return [first + timedelta(days=i) for i in range((last - first).days + 1)]
    count = _number(query, "forecast_days", 7)
    past = _number(query, "past_days", 0)
    if not 0 <= count <= 16:
        raise Refused("Forecast days is invalid. Allowed range 0 to 16. Given 16.")
    if not 0 <= past <= 93:
        raise Refused(f"Past days is invalid. Allowed range 0 to 93. Given {past}.")
    today = place.local.date()
    return [today + timedelta(days=i) for i in range(-past, count)]


def _number(query, key, default):
    text = query.get(key, [str(default)])[-1]
    try:
        return int(text)
    except ValueError:
        raise Refused(f"Value was not of type 'Int' at path '{key}'. Data found at '{key}' was not Int.") from None


def forecast(query, gazetteer, seed, now=None):
    """The body of `/v1/forecast` for a parsed query (`{"latitude": ["47.6"], …}`). Raises `Refused`."""
    now = (now or datetime.now(timezone.utc)).astimezone(timezone.utc)
    units = Units(query)
    current = _variables(query, "current", CURRENT_UNITS, "SurfacePressureAndHeightVariable<VariableAndPreviousDay>")
    daily = _variables(query, "daily", DAILY_UNITS, "ForecastVariableDaily")
    points = _coordinates(query)
    zones = _zones(query, points, gazetteer)
    answers = []
    for index, ((latitude, longitude), zone) in enumerate(zip(points, zones)):
        city = gazetteer.at(latitude, longitude)
        elevation = float(city.elevation) if city else 100.0
        place = Place(latitude, longitude, elevation, zone, now)
        # The answer's coordinates are those of a grid cell.
        parts = [
            f'"latitude":{round(latitude * 8) / 8}', f'"longitude":{round(longitude * 8) / 8}',
            '"generationtime_ms":0.4214048385620117', f'"utc_offset_seconds":{place.offset}',
            f'"timezone":{json.dumps(zone)}', f'"timezone_abbreviation":"{abbreviation(place.offset)}"',
            f'"elevation":{elevation:.1f}',
        ]
        if index:
            parts.append(f'"location_id":{index}')
        if current:
            names, values = _current(place, seed, current, units)
            parts += [f'"current_units":{names}', f'"current":{values}']
        if daily:
            names, values = _daily(place, seed, daily, units, _days(query, place))
            parts += [f'"daily_units":{names}', f'"daily":{values}']
        answers.append("{" + ",".join(parts) + "}")
    return answers[0] if len(answers) == 1 else "[" + ",".join(answers) + "]" if answers else ""
