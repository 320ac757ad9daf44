"""Each way in which Open-Meteo can fail has its status, its sentence and its end, and the next request works."""

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


def test_a_bare_nan_is_no_crash(stand_in, start_program):
    program = start_program(QUICK)
    for number in ("nan", "-nan"):
        stand_in.misbehave(forecast={"kind": "nan", "number": number})
        check(stand_in, program, (200, 502), [])


def test_nulls_are_weather_that_is_not_known(stand_in, program):
    stand_in.misbehave(search={"kind": "nulls"}, forecast={"kind": "nulls"})
    answered = program.ask("/weather.json?city=Bergen")
    assert answered.status == 200, answered
    assert answered.json()["current"]["temperature"] is None
    card(program.ask("/weather.html?city=Bergen"), "loaded")


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
