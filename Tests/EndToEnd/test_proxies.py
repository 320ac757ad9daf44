"""No proxy from outside has any effect: not from the environment, and not from a request header (httpoxy)."""

import socket
import threading

import pytest

from processes import eventually
from program import cgi

TARGET = "/weather.json?city=Bergen"


class Trap:
    """A listener that counts who connects."""

    def __init__(self):
        self._listener = socket.socket()
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(16)
        self.visits = 0
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                visitor, _ = self._listener.accept()
            except OSError:
                return
            self.visits += 1
            visitor.close()

    def close(self):
        # shutdown wakes the accept up, close alone doesn't
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def trap():
    trap = Trap()
    yield trap
    trap.close()


def variables(trap):
    names = ("http_proxy", "https_proxy", "all_proxy")
    return {spelling: trap.url for name in names for spelling in (name, name.upper())}


def test_the_trap_works(trap):
    socket.create_connection(("127.0.0.1", int(trap.url.rsplit(":", 1)[1]))).close()
    eventually(lambda: trap.visits == 1)


def test_the_environments_proxies_are_ignored(trap, start_program):
    program = start_program(env=variables(trap))
    assert program.ask(TARGET).status == 200
    assert trap.visits == 0


def test_the_environments_proxies_are_ignored_in_cgi(trap, program):
    assert cgi(program.config, TARGET, **variables(trap)).status == 200
    assert trap.visits == 0


def test_a_proxy_header_has_no_effect_in_fastcgi(trap, program):
    assert program.ask(TARGET, {"Proxy": trap.url}).status == 200
    assert program.ask(TARGET, **variables(trap)).status == 200
    assert trap.visits == 0


def test_a_proxy_header_has_no_effect_in_cgi(trap, program):
    assert cgi(program.config, TARGET, {"Proxy": trap.url}).status == 200
    assert trap.visits == 0


@pytest.mark.parametrize("prefix", ["", "/api", "/cgi"])
def test_a_proxy_header_has_no_effect_through_nginx(trap, nginx, prefix):
    answered = nginx.ask(prefix + TARGET, {"Proxy": trap.url})
    assert answered.status == 200, answered
    assert trap.visits == 0


def test_a_configured_proxy_is_used(trap, start_program):
    program = start_program({"upstream.proxy": trap.url})
    assert program.ask(TARGET).status == 502
    assert trap.visits >= 1
