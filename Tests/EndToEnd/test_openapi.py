"""What may be asked of the stand-in, and what it answers, against Open-Meteo's own OpenAPI documents."""

import copy

import pytest

import openapi
from usual_model import VARIABLES  # and with it the stand-in's own files

import sections
from archive import DAILY, HOURLY

pytestmark = pytest.mark.skipif(openapi.reason_to_skip() is not None, reason=str(openapi.reason_to_skip()))

POINT, POINTS = "latitude=60.39&longitude=5.32", "latitude=60.39,78.22,-33.87&longitude=5.32,15.65,151.21"
UNITS = "&temperature_unit=fahrenheit&wind_speed_unit=mph&precipitation_unit=inch"
EVERY_FORECAST = (f"current={','.join(sections.CURRENT_UNITS)}&hourly={','.join(sections.HOURLY_UNITS)}"
                  f"&daily={','.join(sections.DAILY_UNITS)}")
EVERY_ARCHIVE = f"hourly={','.join(sorted(HOURLY))}&daily={','.join(sorted(DAILY))}"
TEN_YEARS = "&".join(f"{end}_date=" + ",".join(f"{year}-{day}" for year in range(2016, 2026))
                     for end, day in (("start", "02-26"), ("end", "03-03")))

GOOD = (
    f"/v1/forecast?{POINT}&{EVERY_FORECAST}&timezone=auto&forecast_days=16",
    f"/v1/forecast?{POINTS}&{EVERY_FORECAST}&timezone=auto&past_days=3{UNITS}",
    f"/v1/forecast?{POINT}&hourly=temperature_2m&forecast_hours=72",
    f"/v1/forecast?{POINT}",
    f"/v1/archive?{POINT}&{EVERY_ARCHIVE}&start_date=2024-02-26&end_date=2024-03-03&timezone=auto",
    f"/v1/archive?{POINT}&daily={','.join(VARIABLES)}&{TEN_YEARS}&timezone=Europe/Oslo{UNITS}",
    f"/v1/archive?{POINTS}&{EVERY_ARCHIVE}&start_date=1940-01-01&end_date=1940-01-02",
)


@pytest.mark.parametrize("target", GOOD)
def test_good_answers_are_as_the_document_says(stand_in, target):
    answered = stand_in.ask(target)
    assert answered.status == 200, answered
    assert openapi.faults_of_question(target) == []
    assert openapi.faults_of_answer(target.partition("?")[0], answered.json()) == []


def test_days_without_values_too(stand_in):
    stand_in.misbehave(archive={"kind": "nulls"})
    assert openapi.faults_of_answer("/v1/archive", stand_in.ask(GOOD[5]).json()) == []


@pytest.mark.parametrize("path", ["/v1/forecast", "/v1/archive"])
def test_refusals_are_as_the_document_says(stand_in, path):
    answered = stand_in.ask(f"{path}?latitude=91&longitude=1&start_date=2024-01-01&end_date=2024-01-01")
    assert answered.status == 400
    assert openapi.faults_of_answer(path, answered.json(), "400") == []


@pytest.mark.parametrize("target, fault", [
    ("/v1/archive?latitude=1&longitude=1&start_date=2024-01-01", "end_date is missing"),
    ("/v1/archive?latitude=1&start_date=2024-01-01&end_date=2024-01-01", "longitude is missing"),
    ("/v1/archive?latitude=1&longitude=1&start_date=2024-01-01&end_date=2024-1-01", "end_date=2024-1-01 is no date"),
    ("/v1/archive?latitude=1&longitude=1&start_date=2024-01-01&end_date=2024-01-01&daily=uv_index_max",
     "daily=uv_index_max is not allowed"),
    ("/v1/archive?latitude=1&longitude=1&start_date=2024-01-01&end_date=2024-01-01&current=is_day", "current is no parameter"),
    ("/v1/forecast?latitude=1&longitude=1&curent=is_day", "curent is no parameter"),
    ("/v1/forecast?latitude=1&longitude=1&forecast_days=17", "forecast_days=17 is out of range"),
    ("/v1/forecast?latitude=1&longitude=1&forecast_days=x", "forecast_days=x is no integer"),
    ("/v1/forecast?latitude=1&longitude=1&temperature_unit=kelvin", "temperature_unit=kelvin is not allowed"),
    ("/v1/forecast?latitude=1&longitude=1&hourly=temperature_2m,wind", "hourly=wind is not allowed"),
])
def test_a_wrong_question_is_seen(target, fault):
    assert openapi.faults_of_question(target) == [fault]


def test_only_the_programs_questions_are_held_against_it(stand_in):
    stand_in.ask(f"/v1/forecast?{POINT}&curent=is_day")
    assert openapi.faults_of_questions(stand_in.requests()) == []
    stand_in.ask(f"/v1/forecast?{POINT}&hourly=wind", {"User-Agent": "trip-weather/1"})
    found = openapi.faults_of_questions(stand_in.requests())
    stand_in.start_from_zero()
    assert found == [f"/v1/forecast?{POINT}&hourly=wind: hourly=wind is not allowed"]


def test_a_wrong_answer_is_seen(stand_in):
    right = stand_in.ask(GOOD[4]).json()

    def faults(change):
        body = copy.deepcopy(right)
        change(body)
        return openapi.faults_of_answer("/v1/archive", body)

    assert faults(lambda body: body["daily"].update(weather_code=["1"] * 7)) == [".daily.weather_code is '1', no integer"] * 7
    assert faults(lambda body: body["daily"].update(sunrise=None)) == [".daily.sunrise is no array"]
    assert faults(lambda body: body["daily"].pop("sunset")) == ["daily and its units have other members"]
    assert faults(lambda body: body["daily"]["sunset"].pop()) == ["daily has lists of other lengths"]
    assert faults(lambda body: body.pop("hourly_units")) == ["hourly without its units, or they without it"]
    assert faults(lambda body: body.update(current={})) == [
        ".current is not in the document", "current without its units, or they without it"]
    assert faults(lambda body: body.update(utc_offset_seconds=1.5)) == [".utc_offset_seconds is 1.5, no integer"]
    assert openapi.faults_of_answer("/v1/archive", [right]) == ["an array of fewer than two elements"]
