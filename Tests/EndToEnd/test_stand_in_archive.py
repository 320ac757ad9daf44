"""The stand-in's archive, the hours of its forecast, and what both cost by Open-Meteo's rules."""

import json
import re
from datetime import date, datetime, timedelta, timezone

import pytest

import usual_model
from stand_in import StandIn

MEASURED = ("weather_code", "temperature_2m_max", "temperature_2m_min", "temperature_2m_mean", "precipitation_sum",
            "cloud_cover_mean", "wind_speed_10m_max", "wind_gusts_10m_max")
DAILY = ",".join((*MEASURED, "sunrise", "sunset"))
HOURLY = "temperature_2m,weather_code,precipitation,cloud_cover,wind_speed_10m"
BERGEN = "latitude=60.39&longitude=5.32"
WORDS_OF_403 = "This API endpoint requires the API Professional or Enterprise plan"


def utc_today():
    return datetime.now(timezone.utc).date()


def ask(stand_in, more, status=200):
    answered = stand_in.ask(f"/v1/archive?{more}")
    assert answered.status == status, answered
    return answered.json()


def archive(stand_in, point=BERGEN, start="2024-02-27", end="2024-03-02", more=f"daily={DAILY}&timezone=auto"):
    return ask(stand_in, f"{point}&start_date={start}&end_date={end}&{more}")


def forecast(stand_in, point=BERGEN, more=""):
    answered = stand_in.ask(f"/v1/forecast?{point}&timezone=auto&{more}")
    assert answered.status == 200, answered
    return answered.json()


# The shape.

def test_one_range_of_one_place_is_an_object(stand_in):
    body = archive(stand_in)
    assert list(body) == ["latitude", "longitude", "generationtime_ms", "utc_offset_seconds", "timezone", "timezone_abbreviation",
                          "elevation", "daily_units", "daily"]
    assert body["daily"]["time"] == ["2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02"]
    assert list(body["daily"]) == ["time", *DAILY.split(",")] == list(body["daily_units"])
    assert all(None not in values and len(values) == 5 for values in body["daily"].values())
    assert body["timezone"] == "Europe/Oslo"


def test_ranges_of_one_place_make_an_array_without_numbers(stand_in):
    lists = archive(stand_in, start="2023-01-30,2024-02-27", end="2023-02-01,2024-03-02")
    repeated = ask(stand_in, f"{BERGEN}&start_date=2023-01-30&start_date=2024-02-27&end_date=2023-02-01&end_date=2024-03-02"
                             f"&daily={DAILY}&timezone=auto")
    assert lists == repeated
    assert [len(one["daily"]["time"]) for one in lists] == [3, 5]
    assert lists[1] == archive(stand_in)
    assert not [one for one in lists if "location_id" in one]


def test_places_with_one_range_make_an_array(stand_in):
    body = archive(stand_in, point="latitude=60.39,47.61&longitude=5.32,-122.33")
    assert [one.get("location_id") for one in body] == [None, 1]
    assert [one["timezone"] for one in body] == ["Europe/Oslo", "America/Los_Angeles"]
    assert len({tuple(one["daily"]["time"]) for one in body}) == 1


def test_places_and_ranges_are_zipped(stand_in):
    body = archive(stand_in, "latitude=60.39,47.61&longitude=5.32,-122.33", "2023-01-01,2024-01-01", "2023-01-01,2024-01-01")
    assert [one["daily"]["time"] for one in body] == [["2023-01-01"], ["2024-01-01"]]
    assert body[0]["daily"] == archive(stand_in, start="2023-01-01", end="2023-01-01")["daily"]


def test_hours_are_those_of_the_days(stand_in):
    body = archive(stand_in, start="2024-02-29", end="2024-03-01", more=f"hourly={HOURLY}&daily={DAILY}&timezone=auto")
    assert list(body)[-4:] == ["hourly_units", "hourly", "daily_units", "daily"]
    assert len(body["hourly"]["time"]) == 48
    assert (body["hourly"]["time"][0], body["hourly"]["time"][-1]) == ("2024-02-29T00:00", "2024-03-01T23:00")
    assert not [name for name, values in body["hourly"].items() if None in values]


def test_units_are_as_asked(stand_in):
    text = stand_in.ask(f"/v1/archive?{BERGEN}&start_date=2024-02-29&end_date=2024-02-29&daily={DAILY}"
                        "&temperature_unit=fahrenheit&wind_speed_unit=mph&precipitation_unit=inch").text
    imperial = json.loads(text)
    assert [imperial["daily_units"][name] for name in MEASURED] == ["wmo code", "°F", "°F", "°F", "inch", "%", "mp/h", "mp/h"]
    metric = archive(stand_in, start="2024-02-29", end="2024-02-29")["daily"]
    assert imperial["daily"]["temperature_2m_max"][0] == pytest.approx(metric["temperature_2m_max"][0] * 1.8 + 32, abs=0.15)
    assert re.search(r'"precipitation_sum":\[\d+\.\d{3}\]', text) and re.search(r'"cloud_cover_mean":\[\d+\]', text)


# What it refuses.

ALLOWED = "1940-01-01 to {today}"


@pytest.mark.parametrize("more, reason", [
    (f"{BERGEN}&start_date=1939-12-31&end_date=1940-01-02", f"Parameter 'start_date' is out of allowed range from {ALLOWED}"),
    (f"{BERGEN}&start_date=2024-01-01&end_date={{tomorrow}}", f"Parameter 'end_date' is out of allowed range from {ALLOWED}"),
    (f"{BERGEN}&start_date=2024-01-01,2027-01-01&end_date=2024-01-01,2049-01-01",
     f"Parameter 'start_date' is out of allowed range from {ALLOWED}"),
    (f"{BERGEN}&start_date=2024-01-01", "Parameter 'start_date' and 'end_date' must have the same number of elements"),
    (f"{BERGEN}&start_date=2024-01-01,2024-02-01&end_date=2024-01-02",
     "Parameter 'start_date' and 'end_date' must have the same number of elements"),
    (BERGEN, "Both 'start_date' and 'end_date' must be set in the url"),
    ("latitude=1,2&longitude=1,2&start_date=2021-01-01,2022-01-01,2023-01-01&end_date=2021-01-01,2022-01-01,2023-01-01",
     "Parameter 'start_date' and 'end_date' must have the same number of elements as coordinates"),
    (f"{BERGEN}&start_date=2024-01-02&end_date=2024-01-01", "End-date must be larger or equals than start-date"),
    (f"{BERGEN}&start_date=2024-1-1&end_date=2024-01-02", "Invalid date format. Make sure to use 'YYYY-MM-DD'"),
    (f"{BERGEN}&start_date=20240101&end_date=2024-01-02", "Invalid date format. Make sure to use 'YYYY-MM-DD'"),
    (f"{BERGEN}&start_date=2023-02-29&end_date=2023-03-01", "Invalid date"),
    (f"{BERGEN}&start_date=2024-01-01&end_date=2024-01-02&daily=uv_index_max",
     "Data corrupted at path ''. Cannot initialize ForecastVariableDaily from invalid String value uv_index_max."),
    (f"{BERGEN}&start_date=2024-01-01&end_date=2024-01-02&daily=precipitation_probability_max",
     "Data corrupted at path ''. Cannot initialize ForecastVariableDaily from invalid String value precipitation_probability_max."),
    (f"{BERGEN}&start_date=2024-01-01&end_date=2024-01-02&forecast_days=1",
     "Parameter 'forecast_days' is mutually exclusive with 'start_date' and 'end_date'"),
    (f"{BERGEN}&start_date=2024-01-01&end_date=2024-01-02&past_days=3",
     "Parameter 'past_days' is mutually exclusive with 'start_date' and 'end_date'"),
    (f"{BERGEN}&start_date=2024-01-01&end_date=2024-01-02&timezone=NZST", "Invalid timezone"),
    ("latitude=10.49&longitude=-66.88&start_date=2024-01-01&end_date=2024-01-02&timezone=auto", "Invalid timezone"),
    ("latitude=999&longitude=0&start_date=2024-01-01&end_date=2024-01-02", "Latitude must be in range of -90 to 90°. Given: 999.0."),
    ("latitude=1&start_date=2024-01-01&end_date=2024-01-02",
     "Parameter 'latitude' and 'longitude' must have the same number of elements"),
    (f"{BERGEN}&start_date=2024-01-01&end_date=2024-01-02&temperature_unit=kelvin",
     "Data corrupted at path 'temperature_unit'. Cannot initialize TemperatureUnit from invalid String value kelvin."),
])
def test_refusals_have_open_meteos_words(stand_in, more, reason):
    today = utc_today()
    asked = more.format(tomorrow=today + timedelta(days=1))
    body = ask(stand_in, asked if "daily=" in asked else f"{asked}&daily=weather_code", 400)
    assert body == {"error": True, "reason": reason.format(today=today)}


def test_none_of_them_is_a_range_from_today(stand_in):
    assert archive(stand_in, more="daily=weather_code&forecast_days=0&past_days=0")["daily"]["time"][0] == "2024-02-27"


def test_far_too_much_is_refused(stand_in):
    points = ",".join(["1"] * 20)
    body = ask(stand_in, f"latitude={points}&longitude={points}&start_date=1941-01-01&end_date=2020-12-31&daily={DAILY}", 400)
    assert body["reason"].startswith("Your API call requests too much data.")


def test_there_is_no_current_weather(stand_in):
    assert "current" not in archive(stand_in, more="current=temperature_2m&daily=weather_code")


# The weather.

def test_past_days_are_the_forecasts_own(stand_in):
    for point in (BERGEN, "latitude=-33.87&longitude=151.21", "latitude=1.87&longitude=-157.43"):
        known = forecast(stand_in, point, f"daily={DAILY}&past_days=20&forecast_days=1")["daily"]
        first, last = known["time"][0], known["time"][10]
        same = archive(stand_in, point, first, last)["daily"]
        assert same == {name: values[:11] for name, values in known.items()}


def test_the_last_days_have_no_values_yet(stand_in):
    today = utc_today()
    daily = archive(stand_in, start=str(today - timedelta(days=5)), end=str(today))["daily"]
    for name in MEASURED:
        assert [value is None for value in daily[name]] == [False] * 3 + [True] * 3, name
    assert None not in daily["sunrise"]
    body = archive(stand_in, start=str(today - timedelta(days=3)), end=str(today), more=f"hourly={HOURLY}")
    assert [value is None for value in body["hourly"]["temperature_2m"]] == [False] * 24 + [True] * 72


def test_the_delay_can_be_set(keeper):
    own = StandIn(keeper, "--archive-delay", "5")
    today = utc_today()
    daily = archive(own, start=str(today - timedelta(days=7)), end=str(today))["daily"]
    assert [value is None for value in daily["temperature_2m_max"]] == [False] * 2 + [True] * 6


@pytest.mark.parametrize("point", [
    BERGEN, "latitude=-77.85&longitude=166.67", "latitude=13.75&longitude=100.5", "latitude=78.22&longitude=15.65",
])
def test_hours_add_up_to_their_days(stand_in, point):
    body = archive(stand_in, point, "2024-01-01", "2024-03-31", f"hourly={HOURLY},wind_gusts_10m&daily={DAILY}")
    hourly, daily = body["hourly"], body["daily"]
    for index, day in enumerate(daily["time"]):
        hours = {name: values[24 * index:24 * index + 24] for name, values in hourly.items()}
        assert hours["time"] == [f"{day}T{hour:02}:00" for hour in range(24)]
        assert max(hours["temperature_2m"]) == daily["temperature_2m_max"][index]
        assert min(hours["temperature_2m"]) == daily["temperature_2m_min"][index]
        assert max(hours["weather_code"]) == daily["weather_code"][index]
        assert max(hours["wind_speed_10m"]) == daily["wind_speed_10m_max"][index]
        assert max(hours["wind_gusts_10m"]) == daily["wind_gusts_10m_max"][index]
        assert sum(hours["precipitation"]) == pytest.approx(daily["precipitation_sum"][index], abs=1e-6)
        assert sum(hours["cloud_cover"]) == 24 * daily["cloud_cover_mean"][index]
        assert 0 <= min(hours["cloud_cover"]) and max(hours["cloud_cover"]) <= 100
        assert sum(hours["temperature_2m"]) / 24 == pytest.approx(daily["temperature_2m_mean"][index], abs=0.1)


def test_the_model_has_the_archives_numbers(stand_in):
    day, today = date(2027, 7, 20), utc_today()
    found = usual_model.samples(60.39, 5.32, day, today)
    windows = [usual_model.window(7, 20, year) for year in usual_model.whole_years(today)]
    body = archive(stand_in, start=",".join(str(days[0]) for days in windows), end=",".join(str(days[-1]) for days in windows))
    assert [one["temperature_2m_max"] for one in found] == [value for one in body for value in one["daily"]["temperature_2m_max"]]
    assert usual_model.usual(60.39, 5.32, day, today).samples == 70


# The forecast's hours.

def test_forecast_hours_begin_with_this_hour(stand_in):
    more = "hourly=temperature_2m,weather_code,precipitation,precipitation_probability,wind_speed_10m&forecast_hours=48"
    before = datetime.now(timezone.utc)
    body = forecast(stand_in, more=more)
    after = datetime.now(timezone.utc)
    first = datetime.fromisoformat(body["hourly"]["time"][0]) - timedelta(seconds=body["utc_offset_seconds"])
    assert first in {moment.replace(minute=0, second=0, microsecond=0, tzinfo=None) for moment in (before, after)}
    assert {len(values) for values in body["hourly"].values()} == {48}
    assert not [name for name, values in body["hourly"].items() if None in values]


def test_forecast_hours_are_whole_days_otherwise(stand_in):
    body = forecast(stand_in, more="hourly=temperature_2m&daily=temperature_2m_max&forecast_days=3")
    assert len(body["hourly"]["time"]) == 72
    assert [time[:10] for time in body["hourly"]["time"][::24]] == body["daily"]["time"]
    assert [max(body["hourly"]["temperature_2m"][24 * day:24 * day + 24]) for day in range(3)] == body["daily"]["temperature_2m_max"]


def test_with_past_hours_alone_they_run_to_the_horizon(stand_in):
    assert len(forecast(stand_in, more="hourly=is_day&past_hours=2&forecast_days=1")["hourly"]["time"]) == 2 + 16 * 24


@pytest.mark.parametrize("point, hours", [("latitude=27.70&longitude=85.32", 5), ("latitude=47.56&longitude=-52.71", None)])
def test_where_the_offset_has_half_an_hour_the_first_label_goes_by_whole_hours(stand_in, point, hours):
    body = forecast(stand_in, point, "hourly=is_day&forecast_hours=24")
    hours = int(body["utc_offset_seconds"] / 3600) if hours is None else hours
    label = datetime.fromisoformat(body["hourly"]["time"][0])
    now = datetime.now(timezone.utc).replace(tzinfo=None)
    assert label.minute == 0 and timedelta(0) <= now + timedelta(hours=hours) - label < timedelta(hours=1, seconds=5)


def test_too_many_hours_are_refused(stand_in):
    answered = stand_in.ask(f"/v1/forecast?{BERGEN}&hourly=is_day&forecast_hours=385")
    assert answered.status == 400 and "Allowed range 0 to 384" in answered.json()["reason"]


def test_the_chance_of_rain_has_the_days_maximum(stand_in):
    more = "hourly=precipitation_probability&daily=precipitation_probability_max&past_days=30&forecast_days=2"
    body = forecast(stand_in, more=more)
    chances = body["hourly"]["precipitation_probability"]
    assert [max(chances[24 * day:24 * day + 24]) for day in range(32)] == body["daily"]["precipitation_probability_max"]


# Faults.

RANGES = f"/v1/archive?{BERGEN}&start_date=2023-07-01,2024-07-01&end_date=2023-07-03,2024-07-03&daily=weather_code"
ONE_RANGE = f"/v1/archive?{BERGEN}&start_date=2023-07-01&end_date=2023-07-03&daily=weather_code"


def test_lists_can_be_refused_while_one_range_works(stand_in):
    stand_in.misbehave(archive={"kind": "refuse-lists"})
    refused = stand_in.ask(RANGES)
    assert (refused.status, refused.json()["reason"]) == (400, "Invalid date format. Make sure to use 'YYYY-MM-DD'")
    assert stand_in.ask(RANGES.replace("2023-07-01,2024-07-01", "2023-07-01&start_date=2024-07-01")).status == 400
    assert stand_in.ask(ONE_RANGE).status == 200


def test_a_fault_can_be_for_lists_alone(stand_in):
    stand_in.misbehave(archive=[{"kind": "status", "status": 503, "match": {"lists": True}},
                                {"kind": "status", "status": 500, "match": {"lists": False}}])
    assert (stand_in.ask(RANGES).status, stand_in.ask(ONE_RANGE).status) == (503, 500)


def test_a_key_below_professional_is_forbidden(stand_in):
    stand_in.misbehave(archive={"kind": "status", "status": 403, "reason": WORDS_OF_403})
    answered = stand_in.ask(RANGES)
    assert (answered.status, answered.json()) == (403, {"error": True, "reason": WORDS_OF_403})


@pytest.mark.parametrize("match", [{"city": "Bergen"}, {"latitude": 60.39, "longitude": 5.32}, {"query": {"daily": "weather_code"}}])
def test_faults_match_the_archive_too(stand_in, match):
    stand_in.misbehave(archive={"kind": "status", "status": 500, "match": match})
    assert stand_in.ask(ONE_RANGE).status == 500
    assert stand_in.ask("/v1/archive?latitude=1&longitude=1&start_date=2023-07-01&end_date=2023-07-01&daily=sunrise").status == 200
    both = "/v1/archive?latitude=1,60.39&longitude=1,5.32&start_date=2023-07-01&end_date=2023-07-01&daily=weather_code"
    assert stand_in.ask(both).status == 500
    assert stand_in.ask(f"/v1/forecast?{BERGEN}").status == 200


def test_nulls_and_wrong_types_reach_every_element(stand_in):
    stand_in.misbehave(archive={"kind": "nulls"})
    assert [one["daily"]["weather_code"] for one in stand_in.ask(RANGES).json()] == [[None] * 3] * 2
    stand_in.misbehave(archive={"kind": "wrong-types"})
    assert [one["daily"]["weather_code"] for one in stand_in.ask(RANGES).json()] == [{"wrong": True}] * 2


@pytest.mark.parametrize("fault, error", [({"kind": "truncated"}, "cut short"), ({"kind": "close"}, "ended before"),
                                          ({"kind": "reset"}, "reset")])
def test_answers_that_do_not_arrive_whole(stand_in, fault, error):
    stand_in.misbehave(archive=fault)
    with pytest.raises((AssertionError, OSError), match=f"(?i){error}"):
        stand_in.ask(RANGES)


# Counts and costs.

def test_the_archive_is_counted(stand_in):
    stand_in.ask(RANGES)
    stand_in.wait_for(archive=1, forecast=0, inFlight=0)
    assert [request["route"] for request in stand_in.requests()] == ["archive"]
    assert stand_in.counts()["units"] == 2
    stand_in.start_from_zero()
    assert set(stand_in.counts().values()) == {0}


def ten_years(first, last):
    starts, ends = (",".join(f"{year}-{day}" for year in range(2016, 2026)) for day in (first, last))
    return f"/v1/archive?{BERGEN}&start_date={starts}&end_date={ends}&daily={','.join(usual_model.VARIABLES)}"


@pytest.mark.parametrize("target, units", [
    ("/v1/search?name=Bergen", 1), ("/v1/search", 1), ("/v1/get?id=2267057", 1),
    (f"/v1/forecast?{BERGEN}&current=is_day", 1), (f"/v1/forecast?{BERGEN}&daily=nonsense", 1),
    (f"/v1/forecast?{BERGEN}&daily={DAILY}&forecast_days=16", 10 / 10 * 16 / 14),
    (f"/v1/forecast?{BERGEN}&current=is_day,weather_code&daily={DAILY}&forecast_days=7", 1.2),
    ("/v1/forecast?latitude=1,2,3&longitude=1,2,3&current=is_day", 3),
    (ten_years("06-28", "07-18"), 10), (ten_years("06-28", "07-31"), 10 * 0.6 * 34 / 14), (ONE_RANGE, 1),
    (f"{ONE_RANGE}&start_date=2024-01-01", 1),
])
def test_units_are_open_meteos_weights(stand_in, target, units):
    stand_in.ask(target)
    assert stand_in.counts()["units"] == pytest.approx(units, abs=1e-5)


@pytest.mark.parametrize("fault, units", [
    ({"kind": "status", "status": 500}, 1), ({"kind": "html"}, 1), ({"kind": "limit"}, 0), ({"kind": "status", "status": 429}, 0),
    ({"kind": "refuse-lists"}, 1), ({"kind": "delay", "milliseconds": 1}, 2), ({"kind": "nulls"}, 2),
])
def test_a_failed_call_costs_one_and_a_limited_one_nothing(stand_in, fault, units):
    stand_in.misbehave(archive=fault)
    stand_in.ask(RANGES)
    assert stand_in.counts()["units"] == units
