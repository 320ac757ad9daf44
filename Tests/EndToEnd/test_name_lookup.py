"""A name lookup that never ends outlasts no limit, stalls no loop and leaves few threads behind."""

import threading

import pytest

import fastcgi_client
from fragment import assert_failed
from processes import SLACK, Stopwatch, assert_limit

SLOW, FAST = "slow.trip-weather.test", "fast.trip-weather.test"
# Well under the time that a lookup is given here.
AT_ONCE = 0.35 * SLACK
LIMITS = {
    "upstream.connectTimeout": "700ms", "upstream.allowPlainHTTP": True, "dns.retryAfter": "2s", "server.workers": 1,
    "upstream.transfersAtOnce": 200, "upstream.queueLength": 300,
}


@pytest.fixture
def start(stand_in, start_program, slow_lookup):
    """Starts the program with the slow host as forecast service, or as both."""
    def start(both=False, milliseconds=30_000, **changes):
        slow, fast = (f"http://{host}:{stand_in.port}" for host in (SLOW, FAST))
        config = {**LIMITS, "upstream.forecastURL": slow, "upstream.geocodingURL": slow if both else fast, **changes}
        return start_program(config, env={
            "LD_PRELOAD": str(slow_lookup), "SLOW_LOOKUP_MS": str(milliseconds), "SLOW_LOOKUP_HOST": SLOW,
            "SLOW_LOOKUP_FAST_HOST": FAST})

    return start


def test_the_lookup_counts_towards_the_connects_limit(start):
    program = start()
    watch = Stopwatch()
    assert_failed(program.ask("/weather.html?latitude=60.39&longitude=5.32"), 504)
    assert_limit(watch.seconds, 0.7)


def test_a_lookup_that_ends_is_used(start, stand_in):
    program = start(both=True, milliseconds=200)
    assert program.ask("/weather.json?city=Bergen").status == 200
    assert stand_in.counts()["forecast"] == 1


def test_nothing_else_waits_for_a_dead_lookup(start):
    """One loop: if it stalls, everything does."""
    program = start()
    assert program.ask("/places.json?q=Ber").status == 200  # that host is resolved
    slow = []

    def ask_slow():
        watch = Stopwatch()
        answered = program.ask("/weather.json?latitude=60.39&longitude=5.32")
        slow.append((answered.status, watch.seconds))

    threads = [threading.Thread(target=ask_slow) for _ in range(20)]
    for thread in threads:
        thread.start()
    longest = 0.0
    while any(thread.is_alive() for thread in threads):
        for target in ("/livez", "/places.json?q=Ber"):
            watch = Stopwatch()
            assert program.ask(target).status == 200
            longest = max(longest, watch.seconds)
    assert {status for status, _ in slow} <= {503, 504}, slow
    assert all(seconds < 0.7 + SLACK for _, seconds in slow), slow
    assert longest < AT_ONCE, f"an answer that needs no lookup took {longest:.3f} s"


def test_a_hundred_requests_leave_few_threads(start):
    program = start()
    assert program.ask("/places.json?q=Ber").status == 200
    before = program.child.threads()
    clients = [program.connect() for _ in range(100)]
    watch = Stopwatch()
    for number, client in enumerate(clients):
        client.send(fastcgi_client.request(1, fastcgi_client.parameters(f"/weather.json?latitude={number / 10}&longitude=5")))
    for client in clients:
        assert client.answer().status in (503, 504)
        client.close()
    assert watch.seconds < 0.7 + 1 + SLACK
    assert program.child.threads() - before <= 4, (before, program.child.threads())


def test_the_gate_shuts_and_opens_again(start):
    program = start()
    target = "/weather.json?latitude=60.39&longitude=5.32"
    watch = Stopwatch()
    assert_failed(program.ask(target), 504)
    shut_at = watch.seconds
    # While it is shut the same failure comes at once, and says when to come again.
    watch = Stopwatch()
    answered = program.ask(target)
    assert answered.status in (503, 504) and watch.seconds < AT_ONCE, (answered, watch.seconds)
    assert shut_at >= 0.7
    # After that one probe goes out again, and takes its time.
    end = Stopwatch()
    while end.seconds < 2 + SLACK + 0.7:
        watch = Stopwatch()
        assert program.ask(target).status in (503, 504)
        if watch.seconds >= 0.7:
            return
    raise AssertionError("no probe went out after dns.retryAfter")


def test_cancellation_during_a_lookup_blocks_nothing(start):
    program = start()
    client = program.connect()
    client.send(fastcgi_client.request(1, fastcgi_client.parameters("/weather.json?latitude=60.39&longitude=5.32")))
    client.close()
    watch = Stopwatch()
    assert program.ask("/livez").status == 200
    assert watch.seconds < AT_ONCE


def test_the_program_stops_during_a_lookup(start):
    program = start(**{"shutdown.grace": "1s"})
    with program.connect() as client:
        client.send(fastcgi_client.request(1, fastcgi_client.parameters("/weather.json?latitude=60.39&longitude=5.32")))
        watch = Stopwatch()
        assert program.stop() == 0
        assert watch.seconds < 1 + SLACK
