"""Upstream limits, fails in turns, or is slow: few questions reach it, and whoever has weather keeps it."""

import time

import pytest

import fastcgi_client
from fragment import card
from processes import Stopwatch, eventually


def place(number):
    return f"/weather.json?latitude={number / 4:.2f}&longitude=7.5"


def ask_all(program, targets, together=20):
    """The answers to all targets, so many at a time on one connection each."""
    answers = []
    for start in range(0, len(targets), together):
        with program.connect() as client:
            chunk = targets[start:start + together]
            for number, target in enumerate(chunk, 1):
                client.send(fastcgi_client.request(number, fastcgi_client.parameters(target), keep=True))
            # They come in the order in which they are ready.
            answers += [client.next_end()[1] for _ in chunk]
    return answers


@pytest.mark.parametrize("limit, longest", [("minutely", 60 + 7), ("hourly", 3_600 + 7), ("daily", 86_400 + 7)])
def test_a_storm_of_limits_is_one_question(stand_in, start_program, limit, longest):
    # Another name of the same server is another host.
    program = start_program({"upstream.geocodingURL": stand_in.url.replace("127.0.0.1", "localhost")})
    stand_in.misbehave(forecast={"kind": "limit", "limit": limit})
    first = program.ask(place(1))
    assert first.status == 503, first
    answers = ask_all(program, [place(number) for number in range(2, 62)])
    assert {answer.status for answer in answers} == {503}
    assert all(1 <= int(answer["Retry-After"]) <= longest for answer in answers)
    assert stand_in.counts()["forecast"] == 1
    assert program.ask("/livez").status == 200
    # The other host was not limited.
    assert program.ask("/places.json?q=Berg").status == 200


def test_too_many_at_once_is_waited_out(stand_in, start_program):
    program = start_program()
    stand_in.misbehave(forecast={"kind": "limit", "limit": "concurrent", "times": 1})
    watch = Stopwatch()
    assert program.ask(place(1)).status == 503
    answered = eventually(lambda: (lambda one: one if one.status == 200 else None)(program.ask(place(2 + int(watch.seconds * 50)))), 6)
    assert answered.status == 200
    assert watch.seconds >= 1.0
    assert stand_in.counts()["forecast"] == 2


def test_an_upstream_that_fails_in_turns_is_left_alone_and_found_well_again(stand_in, start_program):
    program = start_program(
        {"breaker.failures": 3, "breaker.firstPause": "200ms", "breaker.longestPause": "400ms", "retry.pause": "0s"})
    well = program.ask(place(0))
    assert well.status == 200
    stand_in.misbehave(forecast={"kind": "status", "status": 500})
    answers = ask_all(program, [place(number) for number in range(1, 101)], together=5)
    assert {answer.status for answer in answers} <= {502, 503}
    assert stand_in.counts()["forecast"] < 40, "a host that is down is asked as if it were not"
    # What is known is not lost meanwhile.
    assert program.ask(place(0)).text == well.text
    for _ in range(3):
        stand_in.behave()
        eventually(lambda: program.ask(place(200 + int(time.monotonic() * 100) % 140)).status == 200, 5, "well again")
        stand_in.misbehave(forecast={"kind": "status", "status": 500})
        program.ask(place(-1))
    assert program.ask(place(0)).text == well.text


def test_a_slow_refresh_keeps_nobody_waiting_who_has_weather(stand_in, start_program):
    program = start_program({"refresh.atMostEvery": "1s"})
    assert program.ask(place(3)).status == 200
    stand_in.misbehave(forecast={"kind": "delay", "milliseconds": 2_000})
    with program.connect() as refreshing:
        refreshing.send(fastcgi_client.request(1, fastcgi_client.parameters(place(3) + "&refresh=1")))
        stand_in.wait_for(inFlight=1)
        watch = Stopwatch()
        for _ in range(20):
            assert program.ask(place(3)).status == 200
        assert watch.seconds < 1.5
        answered = refreshing.answer(1)
    assert answered.status == 200
    assert answered["Cache-Control"] == "no-store"


def test_a_budget_that_is_used_up_asks_nothing_and_keeps_what_is_known(stand_in, start_program):
    program = start_program({"budget.day": 2, "refresh.atMostEvery": "1s"})
    assert program.ask(place(1)).status == 200
    refused = program.ask(place(2))
    assert refused.status == 503
    assert 1 <= int(refused["Retry-After"]) <= 86_400
    assert stand_in.counts()["forecast"] == 1
    old = eventually(
        lambda: (lambda one: one if "could not be refreshed" in one.text else None)(
            program.ask(place(1).replace(".json", ".html") + "&refresh=1")), 5, "a refresh that is not asked for")
    assert old.status == 200
    card(old, "failed")
    assert stand_in.counts()["forecast"] == 1
