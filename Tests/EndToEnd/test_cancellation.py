"""A browser that leaves ends its question, seen from the stand-in's side."""

import resource
import socket

import pytest

import fastcgi_client
from processes import SANITIZED, SLACK, Stopwatch, eventually

PATIENT = {
    "server.readTimeout": "40s", "request.deadline": "30s", "upstream.transferTimeout": "25s", "upstream.firstByteTimeout": "25s",
    "upstream.lowSpeedTime": "25s",
}
MANY = {**PATIENT, "upstream.transfersAtOnce": 600, "upstream.queueLength": 600}
CROWD = 100 if SANITIZED else 500


def city(number):
    return f"/weather.json?city=City%20{number:06d}"


@pytest.fixture
def many_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("route", ["search", "forecast"])
def test_a_closed_connection_cancels(stand_in, start_program, route):
    program = start_program(PATIENT)
    stand_in.misbehave(**{route: {"kind": "never-answer"}})
    client = program.connect()
    client.send(fastcgi_client.request(1, fastcgi_client.parameters(city(1))))
    stand_in.wait_for(inFlight=1)
    client.close()
    stand_in.wait_for(inFlight=0, limit=2)
    stand_in.behave()
    assert program.ask(city(1)).status == 200


def test_a_closed_connection_cancels_while_the_answer_drips(stand_in, start_program):
    program = start_program({**PATIENT, "upstream.lowSpeedBytes": 1})
    stand_in.misbehave(forecast={"kind": "drip", "everyMilliseconds": 20})
    client = program.connect()
    client.send(fastcgi_client.request(1, fastcgi_client.parameters(city(1))))
    stand_in.wait_for(forecast=1, inFlight=1)
    client.close()
    stand_in.wait_for(inFlight=0, limit=2)


@pytest.mark.parametrize("keep", [True, False])
def test_an_abort_cancels_and_ends_the_request(stand_in, start_program, keep):
    program = start_program(PATIENT)
    stand_in.misbehave(search={"kind": "never-answer"})
    with program.connect() as client:
        client.send(fastcgi_client.request(7, fastcgi_client.parameters(city(1)), keep=keep))
        stand_in.wait_for(inFlight=1)
        client.send(fastcgi_client.record(fastcgi_client.ABORT, 7))
        ended, _, protocol, _ = client.next_end()
        assert (ended, protocol) == (7, fastcgi_client.COMPLETE)
        stand_in.wait_for(inFlight=0, limit=2)
        if keep:
            client.send(fastcgi_client.request(8, fastcgi_client.parameters("/livez")))
            assert client.answer(8).status == 200
        else:
            assert client.is_closed(2)


def test_an_abort_leaves_the_others_on_the_connection(stand_in, start_program):
    program = start_program(MANY)
    stand_in.misbehave(search=[{"kind": "never-answer", "match": {"city": "City 000001"}}, {"kind": "delay", "milliseconds": 400}])
    with program.connect() as client:
        for id in (1, 2, 3):
            client.send(fastcgi_client.request(id, fastcgi_client.parameters(city(id))))
        stand_in.wait_for(search=3)
        client.send(fastcgi_client.record(fastcgi_client.ABORT, 1))
        ends = [client.next_end() for _ in range(3)]
        assert ends[0][0] == 1
        assert sorted((id, answered.status) for id, answered, _, _ in ends[1:]) == [(2, 200), (3, 200)]


def test_a_request_that_waits_in_the_queue_is_cancelled_too(stand_in, start_program):
    program = start_program({**PATIENT, "upstream.transfersAtOnce": 1})
    stand_in.misbehave(search={"kind": "never-answer", "match": {"city": "City 000001"}})
    first, second = program.connect(), program.connect()
    first.send(fastcgi_client.request(1, fastcgi_client.parameters(city(1))))
    stand_in.wait_for(inFlight=1)
    second.send(fastcgi_client.request(1, fastcgi_client.parameters(city(2))))
    second.close()
    first.close()
    stand_in.wait_for(inFlight=0, limit=2)
    assert program.ask(city(3)).status == 200
    # The one that left while it waited was never sent: only 1 and 3 were.
    names = [request["target"] for request in stand_in.requests() if request["route"] == "search"]
    assert not [name for name in names if "000002" in name] and len(names) == 2, names


@pytest.mark.parametrize("target", [city(1), "/api" + city(1)])
def test_a_browser_that_leaves_nginx_cancels(stand_in, start_behind_nginx, target):
    _, nginx = start_behind_nginx(PATIENT)
    stand_in.misbehave(search={"kind": "never-answer"})
    browser = nginx.start(target)
    stand_in.wait_for(inFlight=1)
    browser.close()
    stand_in.wait_for(inFlight=0, limit=2)
    stand_in.behave()
    assert nginx.ask(target).status == 200


def _gone(stand_in, name, limit=1 + SLACK):
    """Seconds until the count is 0; a transfer that remains after two seconds is a fault."""
    watch = Stopwatch()
    eventually(lambda: stand_in.counts()[name] == 0, limit, f"{name} back to 0")
    return watch.seconds


def _bare(stand_in):
    """Seconds until the stand-in has seen that many bare sockets close: the most that can be asked for here."""
    open_before = stand_in.counts()["openConnections"]
    sockets = [socket.create_connection(("127.0.0.1", stand_in.port)) for _ in range(CROWD)]
    eventually(lambda: stand_in.counts()["openConnections"] == open_before + CROWD, 10, "the bare sockets")
    watch = Stopwatch()
    for one in sockets:
        one.close()
    eventually(lambda: stand_in.counts()["openConnections"] == open_before, 10, "the bare sockets gone")
    return watch.seconds


def test_five_hundred_browsers_leave_nginx(stand_in, start_behind_nginx, many_descriptors, record_property):
    program, nginx = start_behind_nginx(MANY)
    stand_in.misbehave(search={"kind": "never-answer"})
    bare = _bare(stand_in)
    browsers = [nginx.start(city(number)) for number in range(CROWD)]
    stand_in.wait_for(inFlight=CROWD, limit=20)
    watch = Stopwatch()
    for browser in browsers:
        browser.close()
    seconds = watch.seconds + _gone(stand_in, "inFlight")
    record_property("measured", f"{CROWD} browsers left nginx: all transfers gone after {seconds * 1000:.0f} ms; "
                                f"{CROWD} bare sockets took {bare * 1000:.0f} ms")
    stand_in.behave()
    assert nginx.ask(city(1)).status == 200
    assert program.child.status is None


def test_five_hundred_requests_on_their_own_connections(stand_in, start_program, many_descriptors, record_property):
    program = start_program(MANY)
    stand_in.misbehave(search={"kind": "never-answer"})
    bare = _bare(stand_in)
    clients = [program.connect() for _ in range(CROWD)]
    for number, client in enumerate(clients):
        client.send(fastcgi_client.request(1, fastcgi_client.parameters(city(number))))
    stand_in.wait_for(inFlight=CROWD, limit=20)
    watch = Stopwatch()
    for client in clients:
        client.close()
    seconds = watch.seconds + _gone(stand_in, "inFlight")
    record_property("measured", f"{CROWD} FastCGI connections closed: all transfers gone after {seconds * 1000:.0f} ms; "
                                f"{CROWD} bare sockets took {bare * 1000:.0f} ms")


def test_five_hundred_aborts(stand_in, start_program, record_property):
    program = start_program({**MANY, "server.requestsPerConnection": 600})
    stand_in.misbehave(search={"kind": "never-answer"})
    with program.connect() as client:
        for id in range(1, CROWD + 1):
            client.send(fastcgi_client.request(id, fastcgi_client.parameters(city(id))))
        stand_in.wait_for(inFlight=CROWD, limit=20)
        watch = Stopwatch()
        client.send(b"".join(fastcgi_client.record(fastcgi_client.ABORT, id) for id in range(1, CROWD + 1)))
        seconds = watch.seconds + _gone(stand_in, "inFlight")
        assert {client.next_end()[0] for _ in range(CROWD)} == set(range(1, CROWD + 1))
    record_property("measured", f"{CROWD} FCGI_ABORT_REQUEST on one connection: all transfers gone after {seconds * 1000:.0f} ms")


def test_cancelled_is_not_failed(stand_in, start_program):
    program = start_program(PATIENT)
    stand_in.misbehave(search={"kind": "never-answer"})
    client = program.connect()
    client.send(fastcgi_client.request(1, fastcgi_client.parameters(city(1))))
    stand_in.wait_for(inFlight=1)
    client.close()
    stand_in.wait_for(inFlight=0, limit=2)
    program.logged("cancelled")
    assert '"status":502' not in program.child.log and '"status":504' not in program.child.log
