"""Made-up weather that is the same for the same place, day and seed, and plausible for both.

Forecast and archive both show what this file says of a day, and an hour of it.
"""

import functools
import hashlib
import math
from datetime import datetime, timedelta

WMO_CODES = (0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77, 80, 81, 82, 85, 86, 95, 96, 99)

# Codes and how often they come, by how cold the day is; the millimetres are a day's sum.
_DRY = ((0, 14), (1, 14), (2, 18), (3, 18), (45, 3), (48, 1))
_WARM = ((51, 4), (53, 3), (55, 2), (61, 6), (63, 5), (65, 3), (80, 5), (81, 4), (82, 2), (95, 4), (96, 1), (99, 1))
_NEAR_ZERO = ((56, 5), (57, 4), (66, 5), (67, 4), (71, 5), (73, 3), (85, 4), (51, 3), (61, 3))
_COLD = ((71, 10), (73, 7), (75, 5), (77, 4), (85, 5), (86, 4))
_SUM = {51: 0.8, 53: 2.0, 55: 4.0, 56: 0.7, 57: 2.5, 61: 3.0, 63: 9.0, 65: 24.0, 66: 2.0, 67: 8.0, 71: 1.5, 73: 5.0,
        75: 13.0, 77: 0.4, 80: 3.5, 81: 10.0, 82: 28.0, 85: 2.0, 86: 9.0, 95: 12.0, 96: 16.0, 99: 30.0}
# Between which percentages a day's mean cloud cover lies. A day's code is that of its worst hour, so the mean may be far lower.
_CLOUDS = {0: (0, 18), 1: (2, 45), 2: (10, 75), 3: (15, 100)}
_FOG_OR_RAIN, _SHOWERS = (20, 100), (10, 95)


def _dice(*parts):
    """Numbers from 0 to 1 that hang on nothing but the parts."""
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=32).digest()
    return [int.from_bytes(digest[i:i + 4], "big") / 2**32 for i in range(0, 32, 4)]


def _three(dice):
    """Three numbers from 0 to 1 out of one; a day has no further dice, and new ones would take as long again."""
    return dice, dice * 2**10 % 1, dice * 2**20 % 1


def _choose(weighted, dice):
    total = sum(weight for _, weight in weighted)
    at = dice * total
    for value, weight in weighted:
        at -= weight
        if at < 0:
            return value
    return weighted[-1][0]


@functools.lru_cache(maxsize=10_000)
def _clearness(seed, latitude, longitude):
    """Some places are cloudy (0.07) and some are clear (5), whatever falls there."""
    return 0.07 * (5 / 0.07) ** _dice(seed, latitude, longitude, "clearness")[0]


def _mean_clouds(seed, latitude, longitude, code, dice):
    fewest, most = _CLOUDS.get(code, _SHOWERS if code >= 80 else _FOG_OR_RAIN)
    return int(fewest + (most - fewest) * dice ** _clearness(seed, round(latitude, 2), round(longitude, 2)))


def day_weather(seed, latitude, longitude, elevation, day):
    """One day's weather: temperatures in °C, precipitation in mm, wind in km/h."""
    dice = _dice(seed, round(latitude, 2), round(longitude, 2), day.isoformat())
    gusty, cloudy, peak = _three(dice[7])
    year_angle = 2 * math.pi * (day.timetuple().tm_yday - 200) / 365.25
    season = math.cos(year_angle) * (1 if latitude >= 0 else -1)
    mean = 27 - 0.0062 * latitude**2 + 0.19 * abs(latitude) * season - 0.006 * elevation + (dice[0] - 0.5) * 8
    spread = 3 + 6 * dice[1]
    high, low = mean + spread / 2, mean - spread / 2
    wet = _COLD if high < -1 else _NEAR_ZERO if low < 2 else _WARM
    code = _choose(wet if dice[2] < 0.45 else _DRY, dice[3])
    rain = round(_SUM.get(code, 0.0) * (0.5 + dice[4]), 2)
    chance = int(min(100, (40 if rain else 5) + 55 * dice[5] * (1 if rain else 0.6)))
    wind = 6 + 34 * dice[6] ** 2
    return {
        "weather_code": code,
        "temperature_2m_max": high,
        "temperature_2m_min": low,
        "temperature_2m_mean": mean,
        "precipitation_sum": rain,
        "precipitation_probability_max": chance,
        "wind_speed_10m_max": wind,
        "wind_gusts_10m_max": wind * (1.4 + 0.8 * gusty),
        "cloud_cover_mean": _mean_clouds(seed, latitude, longitude, code, cloudy),
        "cloud_peak_hour": int(24 * peak),
        "uv_index_max": max(0.0, 9 * math.cos(math.radians(latitude)) * (0.7 + 0.3 * season)),
    }


def temperature_at(whole_day, hour):
    """Warmest at 15:00 and coldest at 3:00; `hour` may have a fraction."""
    high, low = whole_day["temperature_2m_max"], whole_day["temperature_2m_min"]
    return (high + low) / 2 + (high - low) / 2 * math.cos(2 * math.pi * (hour - 15) / 24)


def felt(temperature, wind):
    return temperature - 0.08 * wind + (1.5 if temperature > 24 else 0)


def day_hours(seed, latitude, longitude, elevation, day):
    """The day's 24 hours. Their extremes, sums and means are the day's own values.

    An hour has the dice that the current weather has at its beginning, so that the two agree.
    """
    whole = day_weather(seed, latitude, longitude, elevation, day)
    point = (seed, round(latitude, 2), round(longitude, 2))
    dice = [_dice(*point, datetime(day.year, day.month, day.day, hour).isoformat()) for hour in range(24)]
    worst = min(range(24), key=lambda hour: dice[hour][0])
    codes = [_hours_code(whole["weather_code"], one, hour == worst) for hour, one in enumerate(dice)]
    winds = _winds(whole["wind_speed_10m_max"], dice)
    amounts = _amounts(whole["precipitation_sum"], codes, dice, worst)
    gusts = whole["wind_gusts_10m_max"] / whole["wind_speed_10m_max"]
    hours = []
    for hour in range(24):
        temperature = temperature_at(whole, hour)
        hours.append({
            "temperature_2m": temperature,
            "apparent_temperature": felt(temperature, winds[hour]),
            "weather_code": codes[hour],
            "precipitation": amounts[hour],
            "precipitation_probability": _chance(whole["precipitation_probability_max"], codes[hour], dice[hour], hour == worst),
            "cloud_cover": _clouds(whole, hour),
            "wind_speed_10m": winds[hour],
            "wind_gusts_10m": winds[hour] * gusts,
        })
    return hours


def _hours_code(days_code, dice, is_worst):
    """The day's code is the largest of its hours'."""
    return days_code if is_worst or dice[0] < 0.6 else min(days_code, now_and_then(dice))


def now_and_then(dice):
    """The code of an hour that is better than its day."""
    return _choose(_DRY[:4], dice[1])


def _winds(strongest, dice):
    windiest = max(range(24), key=lambda hour: dice[hour][2])
    return [strongest if hour == windiest else wind_at(strongest, one) for hour, one in enumerate(dice)]


def wind_at(strongest, dice):
    return strongest * (0.4 + 0.6 * dice[2])


def _amounts(whole, codes, dice, worst):
    """The day's sum, shared among its wet hours in hundredths of a millimetre."""
    hundredths = round(whole * 100)
    shares = [0.5 + one[6] if code >= 51 else 0.0 for code, one in zip(codes, dice)]
    total = sum(shares) or 1.0
    amounts = [int(hundredths * share / total) for share in shares]
    amounts[worst] += hundredths - sum(amounts)
    return [amount / 100 for amount in amounts]


def _chance(highest, code, dice, is_worst):
    if is_worst:
        return highest
    return int(highest * (0.6 + 0.4 * dice[7] if code >= 51 else 0.5 * dice[7]))


def _clouds(whole, hour):
    """Swings about the day's mean; hours that are twelve apart make up for each other."""
    mean = whole["cloud_cover_mean"]
    swing = 0.8 * min(mean, 100 - mean) * math.cos(2 * math.pi * (hour % 12 - whole["cloud_peak_hour"]) / 24)
    return mean + round(swing) * (1 if hour < 12 else -1)


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


def moment_dice(seed, latitude, longitude, local):
    """The dice of the current weather at this local time."""
    return _dice(seed, round(latitude, 2), round(longitude, 2), local.isoformat())
