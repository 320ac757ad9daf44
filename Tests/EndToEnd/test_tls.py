"""TLS to Open-Meteo, through a real nginx with right and wrong certificates."""

import pytest

from fragment import assert_failed
from program import cgi, run, write_config
from web_server import TLSFront


@pytest.fixture
def start(keeper, stand_in, certificates, start_program):
    """Starts nginx with a certificate before the stand-in, and the program that asks through it."""
    def start(certificate, changes=None, host="localhost", trust="ca.pem"):
        front = TLSFront(keeper, stand_in.url, certificates / certificate)
        url = front.url.replace("localhost", host)
        # Reading all the system's authorities takes its time in a program that a sanitizer watches.
        config = {
            "upstream.geocodingURL": url, "upstream.forecastURL": url, "upstream.archiveURL": url,
            "upstream.connectTimeout": "6s"}
        if trust:
            config["upstream.caFile"] = str(certificates / trust)
        return front, start_program({**config, **(changes or {})})

    return start


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_the_right_certificate(start, stand_in, host):
    front, program = start("right", host=host)
    answered = program.ask("/weather.json?city=Bergen")
    assert answered.status == 200, answered
    assert stand_in.counts()["forecast"] == 1
    assert set(front.wait_for_requests(2)) == {"HTTP/1.1"}


@pytest.mark.parametrize("certificate, trust", [
    ("expired", "ca.pem"), ("wrong-name", "ca.pem"), ("self-signed", "ca.pem"), ("right", "self-signed.pem"), ("right", None),
])
def test_wrong_certificates_are_refused(start, stand_in, certificate, trust):
    _, program = start(certificate, trust=trust)
    assert_failed(program.ask("/weather.html?city=Bergen"), 502)
    assert_failed(program.ask("/weather.json?city=Bergen"), 502)
    assert stand_in.counts()["search"] == 0
    program.logged("tls")


def test_http2_where_it_is_set(start):
    front, program = start("right", {"upstream.http2": True})
    assert program.ask("/weather.json?city=Bergen").status == 200
    assert program.ask("/weather.json?city=Seattle").status == 200
    assert set(front.wait_for_requests(4)) == {"HTTP/2.0"}


def test_connections_are_kept(start, stand_in):
    front, program = start("right", {"server.workers": 1})
    for number in range(5):
        assert program.ask(f"/weather.json?city=City%20{number:06d}").status == 200
    front.wait_for_requests(10)
    assert stand_in.counts()["forecast"] == 5


def test_no_redirect_from_https_to_http(start, stand_in):
    _, program = start("right")
    stand_in.misbehave(search={"kind": "redirect"})
    assert_failed(program.ask("/weather.json?city=Bergen"), 502)
    assert stand_in.counts()["search"] == 1


def test_plain_http_to_another_host_is_refused(keeper, basics):
    config = write_config(keeper.folder / "c.json5", basics, {"upstream.forecastURL": "http://open-meteo.invalid"})
    status, _, errors = run(["--config", config])
    assert status != 0 and "upstream.forecastURL: plain http to open-meteo.invalid" in errors
    # A CGI process always answers.
    assert_failed(cgi(config, "/weather.json?city=Bergen"), 502)


def test_a_ca_file_that_is_not_there_is_said(keeper):
    config = write_config(keeper.folder / "c.json5", {"upstream": {"caFile": "/nonexistent/ca.pem"}})
    status, _, errors = run(["-t", "--config", config])
    assert status != 0 and "upstream.caFile" in errors
