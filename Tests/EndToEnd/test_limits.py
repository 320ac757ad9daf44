"""Each time limit, measured from outside: not before it exactly, not after it with the slack."""

import fcntl
import struct
import termios
import threading
import time

import pytest

import fastcgi_client
from fragment import assert_failed
from processes import SLACK, Stopwatch, assert_limit, eventually

LONG = {
    "server.readTimeout": "30s", "request.deadline": "20s", "upstream.transferTimeout": "15s", "upstream.firstByteTimeout": "15s",
    "upstream.lowSpeedTime": "15s", "upstream.connectTimeout": "15s", "server.arrivalTimeout": "15s", "server.writeTimeout": "15s",
}
TARGET = "/weather.json?city=Bergen&country=Norway"


def timed(program, limit, target=TARGET, status=504, **variables):
    watch = Stopwatch()
    answered = program.ask(target, **variables)
    seconds = watch.seconds
    assert_failed(answered, status)
    assert_limit(seconds, limit)


def test_connect(stand_in, start_program):
    program = start_program({
        **LONG, "upstream.connectTimeout": "700ms", "upstream.geocodingURL": f"http://127.0.0.1:{stand_in.ports['neverAccept']}"})
    timed(program, 0.7)


@pytest.mark.parametrize("route", ["search", "forecast"])
def test_first_byte(stand_in, start_program, route):
    program = start_program({**LONG, "upstream.firstByteTimeout": "700ms"})
    stand_in.misbehave(**{route: {"kind": "never-answer"}})
    timed(program, 0.7)


def test_low_speed(stand_in, start_program):
    program = start_program({**LONG, "upstream.lowSpeedBytes": 1000, "upstream.lowSpeedTime": "2s"})
    stand_in.misbehave(forecast={"kind": "stall", "bytes": 10})
    timed(program, 2.0)


def test_low_speed_of_a_drip(stand_in, start_program):
    program = start_program({**LONG, "upstream.lowSpeedBytes": 1000, "upstream.lowSpeedTime": "2s"})
    # From the body on: libcurl tells of the first byte when it has a whole line of the header.
    stand_in.misbehave(forecast={"kind": "drip", "everyMilliseconds": 50, "from": "body"})
    timed(program, 2.0)


def test_whole_transfer(stand_in, start_program):
    program = start_program({**LONG, "upstream.lowSpeedBytes": 1, "upstream.transferTimeout": "1s", "upstream.firstByteTimeout": "1s",
                             "upstream.connectTimeout": "1s", "upstream.lowSpeedTime": "1s"})
    stand_in.misbehave(forecast={"kind": "drip", "everyMilliseconds": 20})
    timed(program, 1.0)


QUICK_DEADLINE = {"request.deadline": "1200ms", **{
    f"upstream.{key}": "1200ms" for key in ("transferTimeout", "firstByteTimeout", "lowSpeedTime", "connectTimeout")}}


def test_deadline_of_place_and_forecast_together(stand_in, start_program):
    program = start_program({**LONG, **QUICK_DEADLINE})
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 800}, forecast={"kind": "delay", "milliseconds": 800})
    timed(program, 1.2)
    stand_in.wait_for(inFlight=0)


def test_the_queue_counts_towards_the_deadline(stand_in, start_program):
    program = start_program({**LONG, **QUICK_DEADLINE})
    stand_in.misbehave(search={"kind": "never-answer"})
    with program.connect() as first:
        first.send(fastcgi_client.request(1, fastcgi_client.parameters("/weather.json?city=City%20000001")))
        stand_in.wait_for(inFlight=1)
        timed(program, 1.2, "/weather.json?city=City%20000002")
        assert_failed(first.answer(), 504)


def test_a_parameter_lowers_the_deadline(stand_in, start_program):
    program = start_program(LONG)
    stand_in.misbehave(search={"kind": "never-answer"})
    timed(program, 0.6, REQUEST_DEADLINE="600ms")


def test_a_parameter_never_raises_the_deadline(stand_in, start_program):
    program = start_program({**LONG, **QUICK_DEADLINE})
    stand_in.misbehave(search={"kind": "never-answer"})
    timed(program, 1.2, REQUEST_DEADLINE="10s")


@pytest.mark.parametrize("value", ["soon", "-1s", "", "1", "99999999999999999999s", "0.5"])
def test_a_bad_deadline_is_ignored(stand_in, start_program, value):
    program = start_program({**LONG, **QUICK_DEADLINE})
    assert program.ask("/weather.json?city=Seattle", REQUEST_DEADLINE=value).status == 200
    stand_in.misbehave(search={"kind": "never-answer"})
    timed(program, 1.2, REQUEST_DEADLINE=value)
    if value:
        program.logged("REQUEST_DEADLINE")


def test_arrival_of_a_request(start_program):
    program = start_program({**LONG, "server.arrivalTimeout": "800ms"})
    with program.connect() as client:
        watch = Stopwatch()
        client.send(fastcgi_client.begin(1) + fastcgi_client.record(fastcgi_client.PARAMS, 1, fastcgi_client.pairs({"A": "B"})))
        try:
            _, answered, _, _ = client.next_end()
        except fastcgi_client.Ended:
            answered = None
        assert_limit(watch.seconds, 0.8)
        assert answered is None or answered.status in (408, 503), answered


def test_arrival_of_a_body(start_program):
    program = start_program({**LONG, "server.arrivalTimeout": "800ms"})
    with program.connect() as client:
        variables = fastcgi_client.parameters(TARGET, method="POST", CONTENT_LENGTH="100")
        watch = Stopwatch()
        client.send(fastcgi_client.begin(1) + fastcgi_client.record(fastcgi_client.PARAMS, 1, fastcgi_client.pairs(variables))
                    + fastcgi_client.record(fastcgi_client.PARAMS, 1))
        try:
            _, answered, _, _ = client.next_end()
            assert answered.status in (405, 408, 503), answered
        except fastcgi_client.Ended:
            answered = None
        if answered is None or answered.status != 405:
            assert_limit(watch.seconds, 0.8)


def test_a_kept_connection_has_no_arrival_limit(start_program):
    """The web server closes idle connections, not the program; only one that never said anything is closed."""
    program = start_program({**LONG, "server.arrivalTimeout": "300ms"})
    with program.connect() as kept, program.connect() as silent:
        kept.send(fastcgi_client.request(1, fastcgi_client.parameters("/livez")))
        assert kept.answer().status == 200
        assert not kept.is_closed(1.0)
        kept.send(fastcgi_client.request(1, fastcgi_client.parameters("/livez")))
        assert kept.answer().status == 200
        assert silent.is_closed(0.3 + SLACK)


def test_writing_to_a_reader_that_does_not_read(start_program):
    program = start_program({**LONG, "server.writeTimeout": "1s"})
    with program.connect() as client:
        many = fastcgi_client.request(1, fastcgi_client.parameters("/nowhere")) * 50
        last_growth, unread = time.monotonic(), -1
        client.socket.setblocking(False)
        out, end = memoryview(b""), time.monotonic() + 15
        while True:
            now = struct.unpack("i", fcntl.ioctl(client.socket, termios.FIONREAD, b"\0" * 4))[0]
            if now != unread:
                last_growth, unread = time.monotonic(), now
            try:
                out = out[client.socket.send(out or memoryview(many)):] if out else memoryview(many)
            except BlockingIOError:
                time.sleep(0.002)
            except (BrokenPipeError, ConnectionResetError):
                break
            assert time.monotonic() < end, "the program never gave up writing"
        seconds = time.monotonic() - last_growth
        # A record that is half written may have moved some bytes since the count was last looked at.
        assert_limit(seconds + 0.05, 1.0)
    assert program.ask("/livez").status == 200


def test_shutdown_finishes_what_is_in_flight(stand_in, start_program):
    program = start_program({**LONG, "shutdown.grace": "5s"})
    stand_in.misbehave(forecast={"kind": "delay", "milliseconds": 1000})
    with program.connect() as client:
        client.send(fastcgi_client.request(1, fastcgi_client.parameters(TARGET)))
        stand_in.wait_for(forecast=1, inFlight=1)
        watch = Stopwatch()
        program.child.signal(15)
        assert client.answer().status == 200
        assert program.child.wait(5) == 0
        assert watch.seconds < 1 + SLACK


def test_shutdown_cancels_what_outlasts_the_grace(stand_in, start_program):
    program = start_program({**LONG, "shutdown.grace": "1s"})
    stand_in.misbehave(search={"kind": "never-answer"})
    with program.connect() as client:
        client.send(fastcgi_client.request(1, fastcgi_client.parameters(TARGET)))
        stand_in.wait_for(inFlight=1)
        watch = Stopwatch()
        program.child.signal(15)
        assert program.child.wait(10) == 0
        assert_limit(watch.seconds, 1.0)
    stand_in.wait_for(inFlight=0)


def test_shutdown_without_work_is_immediate(start_program):
    program = start_program({**LONG, "shutdown.grace": "10s"})
    with program.connect():
        watch = Stopwatch()
        assert program.stop() == 0
        assert watch.seconds < SLACK


def test_a_stopping_program_takes_no_new_connections(stand_in, start_program):
    program = start_program({**LONG, "shutdown.grace": "5s"})
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 1500})
    with program.connect() as client:
        client.send(fastcgi_client.request(1, fastcgi_client.parameters("/places.json?q=Ber")))
        stand_in.wait_for(inFlight=1)
        program.child.signal(15)

        def refused():
            try:
                with fastcgi_client.Client(program.address, 0.3) as other:
                    other.send(fastcgi_client.request(1, fastcgi_client.parameters("/livez")))
                    return other.is_closed(0.3)
            except OSError:
                return True

        eventually(refused, 1.4, "new connections refused")
        assert client.answer().status == 200
    assert program.child.wait(5) == 0


def test_only_so_many_transfers_at_once(stand_in, start_program):
    program = start_program({**LONG, "upstream.transfersAtOnce": 2})
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 100})
    answers = []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(program.ask(f"/weather.json?city=City%20{n:06d}").status)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 10
    assert stand_in.most()["inFlight"] <= 4  # two a host name and port; search and forecast may count apart


def test_the_default_is_one_transfer_at_a_time(stand_in, program):
    threads = [threading.Thread(target=program.ask, args=(f"/places.json?q=City%20{n:06d}",)) for n in range(8)]
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 50})
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stand_in.counts()["search"] == 8 and stand_in.most()["inFlight"] == 1


def test_a_full_queue_is_a_503(stand_in, start_program):
    program = start_program({**LONG, "upstream.queueLength": 1})
    stand_in.misbehave(search={"kind": "never-answer"})
    with program.connect() as first, program.connect() as second:
        first.send(fastcgi_client.request(1, fastcgi_client.parameters("/places.json?q=City%20000001")))
        stand_in.wait_for(inFlight=1)
        second.send(fastcgi_client.request(1, fastcgi_client.parameters("/places.json?q=City%20000002")))
        # The second may be read later than a third one would be: it is another loop's.
        eventually(lambda: 'state="waiting"} 1' in program.ask("/metrics").text, 5, "a full queue")
        answered = program.ask("/places.json?q=City%20000003")
        assert_failed(answered, 503)
        assert int(answered["Retry-After"]) >= 1


@pytest.mark.parametrize("key, limit", [("server.requestsInFlight", 2), ("server.connections", 2)])
def test_over_a_limit_of_the_server_is_a_503(stand_in, start_program, key, limit):
    program = start_program({**LONG, key: limit, "server.workers": 1})
    stand_in.misbehave(search={"kind": "never-answer"})
    clients = [program.connect() for _ in range(limit)]
    try:
        for number, client in enumerate(clients):
            client.send(fastcgi_client.request(1, fastcgi_client.parameters(f"/places.json?q=City%20{number:06d}")))
        stand_in.wait_for(inFlight=1)

        def over():
            answered = program.ask("/livez", limit=5)
            return answered if answered.status == 503 else None

        answered = eventually(over, 5, "a 503 over the limit")
        assert int(answered["Retry-After"]) >= 1
    finally:
        for client in clients:
            client.close()
    eventually(lambda: program.ask("/livez").status == 200, 5, "answers again")


def test_parameters_over_the_limit(start_program):
    program = start_program({"server.parameterBytes": 4096})
    answered = program.ask("/weather.json?city=Bergen", {"X-Large": "x" * 8000})
    assert answered.status in (414, 431), answered
    assert program.ask("/livez").status == 200


def test_a_body_over_the_limit(start_program):
    program = start_program({"server.bodyBytes": 1024})
    answered = program.ask("/weather.json?city=Bergen", method="POST", body=b"x" * 5000)
    assert answered.status in (405, 413), answered
    assert program.ask("/livez").status == 200
