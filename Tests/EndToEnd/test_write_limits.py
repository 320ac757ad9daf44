"""How often one address may write: a burst, then a few each second. Reads are never counted."""

import http_client
import pytest

from processes import Stopwatch, eventually

BURST, RATE = 20, 5
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def write(nginx, headers=None, target="/api/trips", method="POST", source=None):
    return nginx.ask(target, {**FORM, **(headers or {})}, method, b"city=Bergen", source=source)


@pytest.fixture
def spent(shared_echo_behind_nginx):
    """nginx with nothing left for 127.0.0.1."""
    nginx = shared_echo_behind_nginx[1]
    eventually(lambda: write(nginx).status == 429, what="a write too many")
    return nginx


def refused(nginx, headers, target="/api/trips", method="POST"):
    """The first refusal: now and then a write gets through, five a second."""
    return eventually(
        lambda: (answered := write(nginx, headers, target, method)).status == 429 and answered, what="a refused write")


def test_writes_above_the_rate_are_refused(echo_behind_nginx):
    echo, nginx = echo_behind_nginx
    watch = Stopwatch()
    statuses = [write(nginx).status for _ in range(80)]
    # The first and the burst, and what came back meanwhile.
    assert statuses[:BURST + 1] == [200] * (BURST + 1)
    most = BURST + 2 + RATE * watch.seconds
    assert statuses.count(200) <= most and set(statuses) == {200, 429}, (statuses, most)
    # What is refused never comes to the program.
    assert len(echo.asked) == statuses.count(200)


def test_after_the_time_that_was_named_one_may_write_again(spent):
    answered = refused(spent, {})
    assert answered["Retry-After"] == "1"
    eventually(lambda: write(spent).status == 200, limit=2, what="a write that is let through")


@pytest.mark.parametrize("method, target", [
    ("PUT", "/api/trips/abc"), ("PATCH", "/api/trips/abc"), ("DELETE", "/api/trips/abc"), ("POST", "/api/trips/abc/share"),
    ("POST", "/cgi/trips"), ("POST", "/weather"),
])
def test_every_way_to_write_counts(spent, method, target):
    assert refused(spent, {}, target, method)["Retry-After"] == "1"


def test_reads_are_never_refused(spent):
    with http_client.start(spent.port, "/livez", keep=True) as connection:
        statuses = {http_client.read(connection).status}
        for _ in range(500):
            http_client.send(connection, "/api/trips", keep=True)
            answered = http_client.read(connection)
            statuses.add(answered.status)
            assert answered["Retry-After"] is None
        assert statuses == {200}
    for _ in range(30):
        assert spent.ask("/api/trips", method="HEAD").status == 200
    assert spent.ask("/ssi-example.html").text.count("<p>echo</p>") == 1


def test_another_address_may_still_write(spent):
    assert write(spent, source="127.0.0.2").status == 200
    refused(spent, {})


@pytest.mark.parametrize("accept, target, kind, word, german", [
    ("text/html,application/xhtml+xml,*/*;q=0.8", "/api/trips", "text/html", "Too many changes at once", "Zu viele Änderungen"),
    ("*/*", "/api/trips.html", "text/html", "Too many changes at once", "Zu viele Änderungen"),
    ("application/json", "/api/trips", "application/problem+json", '"title"', "Zu viele Änderungen"),
    ("*/*", "/api/trips", "application/problem+json", '"title"', "Zu viele Änderungen"),
    ("text/html", "/api/trips.json", "application/problem+json", '"title"', "Zu viele Änderungen"),
    ("text/plain", "/api/trips", "text/plain", "Too many changes at once", "Zu viele Änderungen"),
])
def test_the_refusal_has_the_form_and_language_that_was_asked_for(spent, accept, target, kind, word, german):
    answered = refused(spent, {"Accept": accept}, target)
    assert answered["Content-Type"].startswith(kind) and word in answered.text
    assert answered["Retry-After"] == "1" and answered["Content-Security-Policy"] is not None
    if kind == "application/problem+json":
        assert answered.json()["status"] == 429 and answered.json()["detail"]
    if kind == "text/html":
        # A browser without script shows nothing but this.
        assert answered.text.startswith("<!doctype html>") and '<html lang="en">' in answered.text
        assert '<a href="/">' in answered.text
    answered = refused(spent, {"Accept": accept, "Accept-Language": "de-AT, en;q=0.5"}, target)
    assert answered["Content-Type"].startswith(kind) and german in answered.text
    assert german in refused(spent, {"Accept": accept}, f"{target}?lang=de").text
