"""The parts of an answer of the forecast and the archive: `current`, `hourly` and `daily`, each with its units.

The order of the fields, the units' words, the decimals of each unit, and local times without an offset
are Open-Meteo's.
"""

import json
from datetime import timedelta

import weather

# A variable's unit: `temperature`, `wind` and `rain` as asked for, or the words themselves.
CURRENT_UNITS = {
    "temperature_2m": "temperature", "apparent_temperature": "temperature", "relative_humidity_2m": "%",
    "precipitation": "rain", "wind_speed_10m": "wind", "weather_code": "wmo code", "is_day": "",
    "wind_direction_10m": "°", "wind_gusts_10m": "wind", "cloud_cover": "%", "pressure_msl": "hPa",
}
HOURLY_UNITS = {
    "temperature_2m": "temperature", "apparent_temperature": "temperature", "weather_code": "wmo code",
    "precipitation": "rain", "precipitation_probability": "%", "cloud_cover": "%", "wind_speed_10m": "wind",
    "wind_gusts_10m": "wind", "is_day": "",
}
DAILY_UNITS = {
    "weather_code": "wmo code", "temperature_2m_max": "temperature", "temperature_2m_min": "temperature",
    "temperature_2m_mean": "temperature", "precipitation_sum": "rain", "precipitation_probability_max": "%",
    "cloud_cover_mean": "%", "sunrise": "iso8601", "sunset": "iso8601", "wind_speed_10m_max": "wind",
    "wind_gusts_10m_max": "wind", "uv_index_max": "", "daylight_duration": "s",
}
# What is known without any measurement.
OF_THE_SUN = frozenset({"sunrise", "sunset", "daylight_duration", "is_day"})


def _minute(moment):
    return moment.strftime("%Y-%m-%dT%H:%M")


def _shown(value, unit, units):
    if unit == "temperature":
        return units.degrees(value)
    if unit == "wind":
        return units.speed(value)
    return units.amount(value) if unit == "rain" else str(value)


def _names(variables, table, units, first='"time":"iso8601"'):
    return "{" + ",".join([first] + [f'"{name}":"{units.words(table[name])}"' for name in variables]) + "}"


def _columns(times, variables, columns):
    fields = ['"time":[' + ",".join(f'"{time}"' for time in times) + "]"]
    fields += [f'"{name}":[' + ",".join(columns[name]) + "]" for name in variables]
    return "{" + ",".join(fields) + "}"


def current(place, seed, variables, units):
    local = place.local.replace(minute=place.local.minute // 15 * 15, second=0, microsecond=0)
    whole_day = weather.day_weather(seed, place.latitude, place.longitude, place.elevation, local.date())
    dice = weather.moment_dice(seed, place.latitude, place.longitude, local)
    temperature = weather.temperature_at(whole_day, local.hour + local.minute / 60)
    code = whole_day["weather_code"] if dice[0] < 0.6 else weather.now_and_then(dice)
    wet = code >= 51
    wind = weather.wind_at(whole_day["wind_speed_10m_max"], dice)
    utc = place.now.replace(minute=place.now.minute // 15 * 15)
    values = {
        "temperature_2m": temperature,
        "apparent_temperature": weather.felt(temperature, wind),
        "relative_humidity_2m": int(45 + 30 * dice[3] + (24 if wet else 0)),
        "precipitation": whole_day["precipitation_sum"] / 24 if wet else 0.0,
        "wind_speed_10m": wind,
        "weather_code": code,
        "is_day": weather.is_day(place.latitude, place.longitude, utc),
        "wind_direction_10m": int(360 * dice[4]),
        "wind_gusts_10m": wind * 1.8,
        "cloud_cover": {0: 5, 1: 30, 2: 65}.get(code, 100),
        "pressure_msl": f"{990 + 45 * dice[5]:.1f}",
    }
    fields = [f'"time":"{_minute(local)}"', '"interval":900']
    fields += [f'"{name}":{_shown(values[name], CURRENT_UNITS[name], units)}' for name in variables]
    names = _names(variables, CURRENT_UNITS, units, '"time":"iso8601","interval":"seconds"')
    return names, "{" + ",".join(fields) + "}"


def hourly(place, seed, variables, units, hours, hidden):
    """`hours` are local times; `hidden(day)` says which variables are null on a day."""
    days = {}
    columns = {name: [] for name in variables}
    for local in hours:
        day = local.date()
        if day not in days:
            whole = weather.day_hours(seed, place.latitude, place.longitude, place.elevation, day)
            days[day] = (whole, hidden(day))
        whole, missing = days[day]
        utc = local - timedelta(seconds=place.offset)
        values = {**whole[local.hour], "is_day": weather.is_day(place.latitude, place.longitude, utc)}
        for name in variables:
            columns[name].append("null" if name in missing else _shown(values[name], HOURLY_UNITS[name], units))
    return _names(variables, HOURLY_UNITS, units), _columns(map(_minute, hours), variables, columns)


def daily(place, seed, variables, units, days, hidden):
    columns = {name: [] for name in variables}
    for day in days:
        missing = hidden(day)
        values = weather.day_weather(seed, place.latitude, place.longitude, place.elevation, day)
        rise, set_ = weather.sun(place.latitude, place.longitude, place.offset, day)
        values["uv_index_max"] = f"{values['uv_index_max']:.2f}"
        values["sunrise"], values["sunset"] = f'"{_minute(rise)}"', f'"{_minute(set_)}"'
        values["daylight_duration"] = f"{(set_ - rise).total_seconds():.2f}"
        for name in variables:
            columns[name].append("null" if name in missing else _shown(values[name], DAILY_UNITS[name], units))
    return _names(variables, DAILY_UNITS, units), _columns([day.isoformat() for day in days], variables, columns)


def abbreviation(offset):
    """ "GMT+2", "GMT+5:45", "GMT-3:30", "GMT": never a name such as CEST."""
    if offset == 0:
        return "GMT"
    hours, minutes = divmod(abs(offset) // 60, 60)
    return f"GMT{'-' if offset < 0 else '+'}{hours}" + (f":{minutes:02d}" if minutes else "")


def element(place, location_id, sections):
    """One place's answer. `sections` has the names and the values of each: {"daily": (names, values)}."""
    # The answer's coordinates are those of a grid cell.
    parts = [
        f'"latitude":{round(place.latitude * 8) / 8}', f'"longitude":{round(place.longitude * 8) / 8}',
        '"generationtime_ms":0.4214048385620117', f'"utc_offset_seconds":{place.offset}',
        f'"timezone":{json.dumps(place.zone)}', f'"timezone_abbreviation":"{abbreviation(place.offset)}"',
        f'"elevation":{place.elevation:.1f}',
    ]
    if location_id:
        parts.append(f'"location_id":{location_id}')
    for section, (names, values) in sections.items():
        parts += [f'"{section}_units":{names}', f'"{section}":{values}']
    return "{" + ",".join(parts) + "}"


def joined(elements):
    """One element is an object, several are an array."""
    return elements[0] if len(elements) == 1 else "[" + ",".join(elements) + "]" if elements else ""
