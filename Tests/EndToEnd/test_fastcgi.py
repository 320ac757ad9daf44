"""FastCGI as the specification has it, record by record, against the running program."""

import os
import random
import re
import socket
import struct
import threading
import time

import pytest

import fastcgi_client as fcgi
from processes import SANITIZED, eventually

TARGET = "/weather.json?city=Bergen&country=Norway"


def livez(id=1, keep=True):
    return fcgi.request(id, fcgi.parameters("/livez"), keep=keep)


def test_one_byte_at_a_time(program):
    with program.connect() as client:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        for byte in livez():
            client.send(bytes([byte]))
        assert client.answer().status == 200


def test_random_cuts(program):
    dice = random.Random(20261130)
    with program.connect() as client:
        for id in range(1, 30):
            data = fcgi.request(id, fcgi.parameters("/nowhere", {"X-Filler": "x" * dice.randrange(3000)}), b"b" * dice.randrange(300))
            while data:
                cut = dice.randrange(1, 400)
                client.send(data[:cut])
                data = data[cut:]
            assert client.answer(id).status == 404


def test_padding_and_many_small_records(program):
    encoded = fcgi.pairs(fcgi.parameters("/livez"))
    data = fcgi.begin(1)
    for at in range(0, len(encoded), 3):
        data += fcgi.record(fcgi.PARAMS, 1, encoded[at:at + 3], padding=at % 256)
    data += fcgi.record(fcgi.PARAMS, 1, padding=255) + fcgi.record(fcgi.STDIN, 1, padding=7)
    with program.connect() as client:
        client.send(data)
        assert client.answer().status == 200


def test_lengths_in_four_bytes(program):
    encoded = fcgi.pairs(fcgi.parameters("/livez"), long=True)
    with program.connect() as client:
        client.send(fcgi.begin(1) + fcgi.record(fcgi.PARAMS, 1, encoded) + fcgi.record(fcgi.PARAMS, 1) + fcgi.record(fcgi.STDIN, 1))
        assert client.answer().status == 200


def test_the_connection_is_kept_or_closed_as_asked(program):
    with program.connect() as client:
        for id in (1, 1, 40000):
            client.send(livez(id))
            assert client.answer(id).status == 200
        client.send(livez(2, keep=False))
        assert client.answer(2).status == 200
        assert client.is_closed(2)


def test_requests_are_multiplexed(stand_in, start_program):
    program = start_program({"upstream.transfersAtOnce": 10})
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 500, "match": {"city": "City 000001"}})
    with program.connect() as client:
        for id in (1, 2, 65535):
            target = "/livez" if id == 65535 else f"/weather.json?city=City%20{id:06d}"
            client.send(fcgi.request(id, fcgi.parameters(target)))
        ends = [client.next_end() for _ in range(3)]
        assert [answered.status for _, answered, _, _ in ends] == [200] * 3
        assert ends[-1][0] == 1, "the slow request held the others up"


def test_interleaved_parameters(program):
    encoded = fcgi.pairs(fcgi.parameters("/livez"))
    data = fcgi.begin(1) + fcgi.begin(2)
    for at in range(0, len(encoded), 40):
        data += fcgi.record(fcgi.PARAMS, 1, encoded[at:at + 40]) + fcgi.record(fcgi.PARAMS, 2, encoded[at:at + 40])
    for id in (2, 1):
        data += fcgi.record(fcgi.PARAMS, id) + fcgi.record(fcgi.STDIN, id)
    with program.connect() as client:
        client.send(data)
        assert {client.next_end()[0] for _ in range(2)} == {1, 2}


def test_get_values(program):
    with program.connect() as client:
        asked = {"FCGI_MAX_CONNS": "", "FCGI_MAX_REQS": "", "FCGI_MPXS_CONNS": "", "SOMETHING_ELSE": ""}
        client.send(fcgi.record(fcgi.GET_VALUES, 0, fcgi.pairs(asked)))
        kind, id, content = client.read_record()
        assert (kind, id) == (fcgi.GET_VALUES_RESULT, 0)
        values = fcgi.parsed_pairs(content)
        assert values == {"FCGI_MAX_CONNS": "12000", "FCGI_MAX_REQS": "12000", "FCGI_MPXS_CONNS": "1"}
        client.send(fcgi.record(fcgi.GET_VALUES, 0, fcgi.pairs({"FCGI_MPXS_CONNS": ""})))
        assert fcgi.parsed_pairs(client.read_record()[2]) == {"FCGI_MPXS_CONNS": "1"}


def test_an_unknown_type_is_named(program):
    with program.connect() as client:
        client.send(fcgi.record(99, 0, b"what"))
        kind, id, content = client.read_record()
        assert (kind, id, content[0], len(content)) == (fcgi.UNKNOWN_TYPE, 0, 99, 8)
        client.send(livez())
        assert client.answer().status == 200


@pytest.mark.parametrize("role", [fcgi.AUTHORIZER, fcgi.FILTER, 0, 9999])
def test_an_unknown_role_is_refused(program, role):
    with program.connect() as client:
        client.send(fcgi.begin(1, role))
        ended, answered, protocol, _ = client.next_end()
        assert (ended, answered, protocol) == (1, None, fcgi.UNKNOWN_ROLE)
        # What still comes for the refused request is dropped.
        client.send(fcgi.record(fcgi.PARAMS, 1, fcgi.pairs({"A": "B"})) + fcgi.record(fcgi.PARAMS, 1) + fcgi.record(fcgi.STDIN, 1))
        client.send(livez(2))
        assert client.answer(2).status == 200


def test_records_of_inactive_requests_are_ignored(program):
    with program.connect() as client:
        client.send(fcgi.record(fcgi.STDIN, 5, b"late") + fcgi.record(fcgi.ABORT, 6) + fcgi.record(fcgi.DATA, 7, b"x") + livez())
        assert client.answer().status == 200


def malformed():
    whole = fcgi.pairs(fcgi.parameters("/livez"))
    end = fcgi.record(fcgi.PARAMS, 1) + fcgi.record(fcgi.STDIN, 1)
    return {
        "version 2": fcgi.record(fcgi.BEGIN, 1, b"\0\1\1\0\0\0\0\0", version=2),
        "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "short begin": fcgi.record(fcgi.BEGIN, 1, b"\0\1"),
        "a name that is longer than its record": fcgi.begin(1) + fcgi.record(fcgi.PARAMS, 1, b"\xff\xff\xff\xff\x01ab") + end,
        "pairs that end early": fcgi.begin(1) + fcgi.record(fcgi.PARAMS, 1, whole[:-3]) + end,
        "begin of an active request": fcgi.begin(1) + fcgi.begin(1) + fcgi.begin(1),
        "begin with id 0": fcgi.begin(0),
        "random": random.Random(7).randbytes(4096),
    }


@pytest.mark.parametrize("name", malformed())
def test_a_malformed_record_harms_no_other(stand_in, start_program, name):
    program = start_program()
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 500})
    with program.connect() as other, program.connect() as broken:
        other.send(fcgi.request(1, fcgi.parameters("/places.json?q=Ber")))
        stand_in.wait_for(inFlight=1)
        lines = len(program.child.log.splitlines())
        broken.send(malformed()[name])
        try:
            while True:  # an answer that refuses the request is right too, but nothing good
                kind, _, content = broken.read_record()
                assert kind in (fcgi.STDOUT, fcgi.STDERR, fcgi.END, fcgi.UNKNOWN_TYPE)
                assert b"Status: 200" not in content
                if kind in (fcgi.END, fcgi.UNKNOWN_TYPE):
                    break
        except fcgi.Ended:
            assert len(program.child.log.splitlines()) > lines or eventually(
                lambda: len(program.child.log.splitlines()) > lines, 2, "the reason in the log")
        assert other.answer().status == 200
    assert program.child.status is None and program.ask("/livez").status == 200


def test_bytes_that_end_anywhere_leave_the_program_whole(program):
    data = fcgi.request(1, fcgi.parameters(TARGET), b"body")
    for cut in range(0, len(data), 7):
        with program.connect() as client:
            client.send(data[:cut])
    assert program.ask("/livez").status == 200
    eventually(lambda: len(os.listdir(f"/proc/{program.child.pid}/fd")) < 60, 5, "descriptors closed")


def test_thousands_of_begins_are_bounded(start_program):
    program = start_program({"server.requestsPerConnection": 8})
    with program.connect() as client:
        client.send(b"".join(fcgi.begin(id) for id in range(1, 300 if SANITIZED else 2000)))
        # Those over the limit are refused in a way that ends them; the program goes on.
        assert program.ask("/livez").status == 200
    assert program.ask("/livez").status == 200


def test_over_the_requests_of_a_connection_is_a_503(stand_in, start_program):
    program = start_program({"server.requestsPerConnection": 2, "upstream.transfersAtOnce": 10})
    stand_in.misbehave(search={"kind": "never-answer"})
    with program.connect() as client:
        for id in (1, 2):
            client.send(fcgi.request(id, fcgi.parameters(f"/places.json?q=City%20{id:06d}")))
        stand_in.wait_for(inFlight=2)
        client.send(livez(3))
        ended, answered, protocol, _ = client.next_end()
        assert (ended, protocol) == (3, fcgi.COMPLETE)
        assert answered.status == 503 and int(answered["Retry-After"]) >= 1


def test_the_end_comes_in_one_write_with_nothing_after(program):
    with program.connect() as client:
        client.send(livez())
        kinds = []
        while not kinds or kinds[-1] != fcgi.END:
            kind, _, content = client.read_record()
            kinds.append((kind, len(content)) if kind == fcgi.STDOUT and not content else kind)
        assert kinds[-2:] == [(fcgi.STDOUT, 0), fcgi.END]
        client.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.socket.recv(1)


def test_the_header_fits_four_kilobytes(program):
    for target in (TARGET, "/weather.json?city=" + "x" * 9000, "/nowhere"):
        answered = program.ask(target)
        assert sum(len(name) + len(value) + 4 for name, value in answered.fields) < 4000


def test_a_body_is_read_and_dropped(program):
    with program.connect() as client:
        body = b"x" * 60_000
        client.send(fcgi.request(1, fcgi.parameters(TARGET, method="POST", body=body), body))
        assert client.answer().status == 405
        client.send(livez(2))
        assert client.answer(2).status == 200


def test_a_body_of_unknown_length_is_read(program):
    with program.connect() as client:
        client.send(fcgi.request(1, fcgi.parameters("/livez", CONTENT_LENGTH=None), b"chunked"))
        assert client.answer().status == 200


def test_two_hundred_connections_at_once(start_program):
    program = start_program()
    clients = [program.connect() for _ in range(200)]
    try:
        for client in clients:
            client.send(livez())
        assert all(client.answer().status == 200 for client in clients)
        for client in clients:
            client.send(livez(2))
        assert all(client.answer(2).status == 200 for client in clients)
    finally:
        for client in clients:
            client.close()


def test_kept_connections_are_spread_evenly(start_program):
    program = start_program({"server.workers": 2})
    clients = [program.connect() for _ in range(200)]
    try:
        for client in clients:
            client.send(livez())
            assert client.answer().status == 200
        clients[0].send(fcgi.request(1, fcgi.parameters("/metrics")))
        text = clients[0].answer().text
        shares = [int(number) for number in re.findall(r'gateway_connections\{loop="\d+"\} (\d+)', text)]
        assert len(shares) == 2 and sum(shares) == 200 and all(90 <= share <= 110 for share in shares), text
    finally:
        for client in clients:
            client.close()


def test_threads_stay_few_under_load(stand_in, start_program):
    program = start_program({"server.workers": 2, "upstream.transfersAtOnce": 100, "upstream.queueLength": 200})
    assert program.ask(TARGET).status == 200
    before = program.child.threads()
    # Two loops, the main thread, the storage's; libcurl needs none to look an address up that is a number.
    assert before <= 5, before
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 200})
    most, answers = [], []

    def ask(number):
        answers.append(program.ask(f"/weather.json?city=City%20{number:06d}").status)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        most.append(program.child.threads())
        time.sleep(0.005)
    assert answers == [200] * 100
    assert max(most) <= before, (before, max(most))


def test_a_reset_peer_is_no_fault(start_program):
    program = start_program()
    for _ in range(20):
        client = program.connect()
        client.send(livez())
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    assert program.ask("/livez").status == 200
