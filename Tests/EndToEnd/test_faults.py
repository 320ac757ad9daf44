"""Each way in which Open-Meteo can fail has its status, its sentence and its end, and the next request works."""

import json
from datetime import datetime, timezone

import pytest

from fragment import assert_failed, card
from processes import SLACK, Stopwatch, eventually

# Limits short enough to wait for, in the order in which they nest.
QUICK = {
    "upstream.connectTimeout": "500ms", "upstream.firstByteTimeout": "700ms", "upstream.lowSpeedTime": "1s",
    "upstream.transferTimeout": "1500ms", "request.deadline": "1800ms",
}
LIMIT = 1.8

FAULTS = [
    ({"kind": "never-answer"}, 504, []),
    ({"kind": "drip", "everyMilliseconds": 300}, 504, []),
    ({"kind": "stall"}, 504, []),
    ({"kind": "wrong-length", "by": 10}, 504, []),
    ({"kind": "delay", "milliseconds": 300}, 200, []),
    ({"kind": "status", "status": 400, "reason": "Something <b>odd</b>."}, 502, ["Something <b>odd</b>."]),
    ({"kind": "status", "status": 400}, 502, []),
    ({"kind": "status", "status": 401, "reason": "API key required. Please add &apikey= to the URL."}, 502, ["API key required."]),
    ({"kind": "status", "status": 404, "reason": "Not Found"}, 502, ["Not Found"]),
    ({"kind": "status", "status": 500, "reason": "Something went wrong."}, 502, []),
    ({"kind": "status", "status": 500}, 502, []),
    ({"kind": "status", "status": 503, "reason": "The service is overloaded", "retryAfter": 2}, (502, 503), []),
    ({"kind": "html"}, 502, []),
    ({"kind": "html", "status": 504}, 502, []),
    ({"kind": "limit", "limit": "minutely"}, 503, ["Minutely API request limit exceeded."]),
    ({"kind": "limit", "limit": "hourly"}, 503, ["Hourly API request limit exceeded."]),
    ({"kind": "limit", "limit": "daily"}, 503, ["Daily API request limit exceeded."]),
    ({"kind": "limit", "limit": "concurrent", "retryAfter": 3}, 503, ["Too many concurrent requests"]),
    ({"kind": "truncated"}, 502, []),
    ({"kind": "truncated", "chunked": True}, 502, []),
    ({"kind": "wrong-length"}, 502, []),
    ({"kind": "not-json"}, 502, []),
    ({"kind": "sentence"}, 502, []),
    ({"kind": "sentence", "bytes": 60}, 502, []),
    ({"kind": "wrong-types"}, 502, []),
    ({"kind": "empty"}, 502, []),
    ({"kind": "body", "text": "null"}, 502, []),
    ({"kind": "body", "text": "[" * 5000}, 502, []),
    ({"kind": "huge"}, 502, []),
    ({"kind": "huge", "declared": True}, 502, []),
    ({"kind": "gzip-bomb"}, 502, []),
    ({"kind": "gzip"}, 200, []),
    ({"kind": "reset"}, 502, []),
    ({"kind": "reset", "bytes": 150}, 502, []),
    ({"kind": "redirect"}, 502, []),
    ({"kind": "redirect", "status": 301, "location": "http://localhost:1/"}, 502, []),
    ({"kind": "close"}, 502, []),
]


def named(fault):
    return "-".join(str(value)[:14] for value in fault.values())


def check(stand_in, program, statuses, words, recovers=True):
    """Asks for a fragment and for JSON, both within the limit; then the stand-in behaves and the next request works."""
    statuses = statuses if isinstance(statuses, tuple) else (statuses,)
    for accept in ("text/html", "application/json"):
        watch = Stopwatch()
        answered = program.ask("/weather?city=Bergen&country=Norway", {"Accept": accept})
        assert watch.seconds <= LIMIT + SLACK, f"took {watch.seconds:.2f} s: {answered}"
        assert answered.status in statuses, answered
        if answered.status == 200:
            continue
        assert_failed(answered, answered.status, *words)
        if answered.status == 503:
            assert int(answered["Retry-After"]) >= 1
    stand_in.behave()
    assert program.ask("/livez").status == 200
    if not recovers:
        return

    def recovered():
        answered = program.ask("/weather.html?city=Bergen&country=Norway")
        return answered if answered.status == 200 else None

    # A failure is remembered for a second, or as long as Retry-After said.
    card(eventually(recovered, 5, "the next request"), "loaded")


@pytest.mark.parametrize("route", ["search", "forecast"])
@pytest.mark.parametrize("fault, status, words", FAULTS, ids=[named(fault) for fault, *_ in FAULTS])
def test_a_fault(stand_in, start_program, route, fault, status, words):
    program = start_program(QUICK)
    stand_in.misbehave(**{route: fault})
    # Over a limit Open-Meteo is left alone until the window that its reason names has ended.
    window = fault.get("limit") in ("minutely", "hourly", "daily")
    check(stand_in, program, status, words, recovers=not window)


@pytest.mark.parametrize("number", ["nan", "-nan"])
def test_a_bare_nan_in_a_field_that_nobody_reads_is_passed_over(stand_in, program, number):
    stand_in.misbehave(forecast={"kind": "nan", "number": number})
    card(program.ask("/weather.html?city=Bergen"), "loaded")


HOLLOW = [
    {"kind": "nulls"}, {"kind": "wrong-types"}, {"kind": "body", "text": "{}"},
    {"kind": "body", "text": '{"latitude":1,"longitude":2,"current":null,"daily":null}'},
    {"kind": "body", "text": '{"current":null,"daily":{"time":[]}}'},
    {"kind": "body", "text": '{"current":{"temperature_2m":5},"daily":{"time":["2022-11-30"],"weather_code":[3]}}'},
]


@pytest.mark.parametrize("fault", HOLLOW, ids=[str(number) for number in range(len(HOLLOW))])
def test_an_answer_with_nothing_in_it_is_a_failure_and_the_old_stays(stand_in, program, fault):
    stand_in.misbehave(forecast=fault)
    assert_failed(program.ask("/weather.html?city=Bergen"), 502)
    stand_in.behave()
    good = program.ask("/weather.json?city=Seattle").json()
    stand_in.misbehave(forecast=fault)
    kept = program.ask("/weather.json?city=Seattle&refresh=1").json()
    assert kept["current"]["temperature"] == good["current"]["temperature"]
    assert kept["updatedAt"] == good["updatedAt"] and kept["state"] != good["state"]


def test_one_bad_field_costs_that_field_alone(stand_in, program):
    day = datetime.now(timezone.utc).date().isoformat()
    stand_in.misbehave(forecast={"kind": "body", "text": json.dumps({
        "utc_offset_seconds": 0, "timezone": "GMT",
        "current": {"temperature_2m": 5.0, "weather_code": "3", "relative_humidity_2m": 140, "precipitation": -1},
        "daily": {"time": [day], "temperature_2m_max": [70], "temperature_2m_min": [1.0], "weather_code": [], "sunrise": [0],
                  "sunset": [False]}})})
    answer = program.ask("/weather.json?city=Bergen").json()
    assert answer["current"]["temperature"] == 5 and answer["current"]["precipitation"] is None


def test_a_key_that_open_meteo_echoes_reaches_nobody(stand_in, start_program):
    program = start_program({"upstream.apiKey": "SECRETKEY123"})
    stand_in.misbehave(forecast={"kind": "status", "status": 400, "reason": "The API key SECRETKEY123 is wrong."})
    for representation in ("html", "json", "txt"):
        answered = program.ask(f"/weather.{representation}?city=Bergen")
        assert answered.status == 502 and "The API key *** is wrong." in answered.text


@pytest.mark.parametrize("key, port", [("geocodingURL", "neverAccept"), ("forecastURL", "neverAccept")])
def test_a_server_that_never_accepts(stand_in, start_program, key, port):
    program = start_program({**QUICK, f"upstream.{key}": f"http://127.0.0.1:{stand_in.ports[port]}"})
    watch = Stopwatch()
    assert_failed(program.ask("/weather.html?city=Bergen"), 504)
    assert 0.5 <= watch.seconds <= 0.5 + SLACK
    assert program.ask("/livez").status == 200


def test_a_server_that_refuses(stand_in, start_program):
    program = start_program({**QUICK, "upstream.forecastURL": f"http://127.0.0.1:{stand_in.ports['refuse']}"})
    assert_failed(program.ask("/weather.html?city=Bergen"), 502)
    assert program.ask("/places.json?q=Ber").status == 200


def test_a_redirect_is_not_followed(stand_in, start_program):
    program = start_program(QUICK)
    stand_in.misbehave(search={"kind": "redirect", "times": 1})
    assert_failed(program.ask("/weather.json?city=Bergen"), 502)
    assert stand_in.counts()["search"] == 1


def test_a_refused_automatic_zone_is_asked_for_once_more(stand_in, program):
    stand_in.misbehave(forecast={"kind": "status", "status": 400, "reason": "Invalid timezone", "match": {"query": {"timezone": "auto"}}})
    assert program.ask("/weather.json?city=Bergen&country=Norway").status == 200
    targets = [request["target"] for request in stand_in.requests() if request["route"] == "forecast"]
    assert len(targets) == 2 and "timezone=auto" in targets[0]
    assert "timezone=Europe%2FOslo" in targets[1] or "timezone=Europe/Oslo" in targets[1]


def test_without_any_zone_there_is_still_weather(stand_in, program):
    stand_in.misbehave(forecast=[
        {"kind": "status", "status": 400, "reason": "Invalid timezone", "match": {"query": {"timezone": zone}}}
        for zone in ("auto", "Europe/Oslo")])
    answered = program.ask("/weather.json?city=Bergen&country=Norway")
    assert answered.status == 200, answered


def test_the_reason_is_escaped_in_a_fragment(stand_in, program):
    stand_in.misbehave(forecast={"kind": "status", "status": 400, "reason": "<script>alert(1)</script>"})
    answered = program.ask("/weather.html?city=Bergen")
    assert_failed(answered, 502, "<script>alert(1)</script>")
    assert "<script" not in answered.text


def test_what_cannot_be_read_is_named_in_the_log_alone(stand_in, program):
    stand_in.misbehave(forecast={"kind": "wrong-types"})
    answered = program.ask("/weather.html?city=Bergen")
    assert_failed(answered, 502)
    assert "temperature_2m" not in answered.text
    program.logged("current")
