"""Through the repository's own nginx: the page, fragments within pages, and what nginx does when the program is away."""

import gzip
import os

import pytest

import http_client
from fragment import Fragment
from processes import SLACK, Stopwatch
from stand_in import REPOSITORY
from web_server import WebServer


def included(answered):
    """The fragment that a page holds."""
    assert answered.status == 200, answered
    assert "<!--#" not in answered.text and "[an error occurred" not in answered.text, answered.text
    start, end = answered.text.index("<section"), answered.text.rindex("</section>")
    fragment = Fragment(answered.text[start:end] + "</section>")
    assert not fragment.faults, (fragment.faults, answered.text)
    return fragment


def loaded_card(answered):
    fragment = included(answered)
    assert fragment.elements[0][1]["data-state"] == "loaded", answered.text
    assert "Bergen, Norway: " in fragment.text, answered.text


@pytest.mark.parametrize("headers", [
    {}, {"If-None-Match": '"1-2"'}, {"If-None-Match": 'W/"anything"'}, {"If-Modified-Since": "Sun, 29 Nov 2099 00:00:00 GMT"},
    {"Range": "bytes=0-10"}, {"Range": "bytes=-5", "If-Range": '"x"'}, {"Accept-Encoding": "gzip, br"}, {"Accept": "application/json"},
    {"Accept": "image/png"},
])
def test_a_page_holds_its_fragment_whatever_the_browser_sends(nginx, headers):
    answered = nginx.ask("/ssi-example.html", headers)
    if answered["Content-Encoding"] == "gzip":
        answered.body = gzip.decompress(answered.body)
    loaded_card(answered)
    # So no browser has anything to ask "has it changed?" with.
    assert answered["ETag"] is None and answered["Last-Modified"] is None


def test_a_posted_page_leaves_no_hole(nginx):
    answered = nginx.ask("/ssi-example.html", {"Content-Type": "application/x-www-form-urlencoded"}, method="POST", body=b"a=b")
    if answered.status == 405:  # nginx itself refuses to post to a file
        assert "data-state" not in answered.text
    else:
        loaded_card(answered)


def test_fragments_for_pages_are_not_for_browsers(nginx):
    assert nginx.ask("/fragments/weather?city=Bergen").status == 404


def test_a_page_shows_its_stub_when_the_program_is_away(behind_nginx):
    program, nginx = behind_nginx
    program.stop()
    answered = nginx.ask("/ssi-example.html")
    assert answered.status == 200
    assert 'data-state="failed"' in answered.text and "<title>502" not in answered.text


def test_a_failed_fragment_is_a_small_valid_one(stand_in, nginx):
    stand_in.misbehave(search={"kind": "status", "status": 500})
    answered = nginx.ask("/ssi-example.html")
    assert included(answered).elements[0][1]["data-state"] == "failed"


def test_the_page(nginx):
    answered = nginx.ask("/")
    assert answered.status == 200 and answered["Content-Type"].startswith("text/html")
    policy = answered["Content-Security-Policy"]
    assert "unsafe-inline" not in policy and "default-src" in policy
    assert answered["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("target, kind, word", [
    ("/weather.html?city=Bergen", "text/html", 'data-state="failed"'),
    ("/weather.json?city=Bergen", "application/problem+json", '"title"'),
    ("/api/weather.html?city=Bergen", "text/html", 'data-state="failed"'),
])
def test_nginx_answers_for_a_program_that_is_away(behind_nginx, target, kind, word):
    program, nginx = behind_nginx
    program.stop()
    answered = nginx.ask(target)
    assert answered.status == 502
    assert answered["Content-Type"].startswith(kind) and word in answered.text


@pytest.mark.parametrize("headers, word, card", [
    ({}, "Trip Weather doesn't answer", "The weather service doesn't answer"),
    ({"Accept-Language": "de"}, "Trip Weather antwortet nicht", "Der Wetterdienst antwortet nicht"),
])
def test_nginx_answers_in_the_readers_language(behind_nginx, headers, word, card):
    program, nginx = behind_nginx
    program.stop()
    # In the form that was asked for.
    for target in ("/weather.html?city=Bergen", "/weather.json?city=Bergen", "/weather.txt?city=Bergen"):
        answered = nginx.ask(target, headers)
        assert answered.status == 502 and (card if ".html" in target else word) in answered.text
    # The question's own language comes first.
    assert "Der Wetterdienst" in nginx.ask("/weather.html?city=Bergen&lang=de", headers).text
    # Whoever has sent a form sees nothing but the answer.
    answered = nginx.ask("/api/trips", {**headers, "Accept": "text/html"}, method="POST", body=b"city=Bergen")
    assert answered.status == 502 and answered.text.startswith("<!doctype html>") and answered["Content-Type"].startswith("text/html")
    answered = nginx.ask("/api/trips", {**headers, "Accept": "application/json"}, method="POST", body=b"city=Bergen")
    assert answered["Content-Type"] == "application/problem+json" and answered.json()["title"] == word


@pytest.mark.parametrize("accepted, query, language", [
    ("de;q=0.1,en;q=0.9", "", "en"), ("en;q=0.1,de;q=0.9", "", "de"), ("fr,de;q=0.5", "", "de"), ("fr", "", "en"), (None, "", "en"),
    ("en", "?lang=de", "de"), ("de", "?lang=fr", "de"),
])
def test_a_page_and_its_fragments_speak_one_language(nginx, accepted, query, language):
    nginx.put("index.html", (REPOSITORY / "deploy/www/forget.html").read_text("utf-8").replace(
        "/fragments/trips/forget?", "/fragments/weather?city=Bergen&"))
    answered = nginx.ask(f"/{query}", {"Accept-Language": accepted} if accepted else {})
    assert f'<html lang="{language}" ' in answered.text, answered
    assert ("Luftfeuchte " if language == "de" else "Humidity ") in answered.text, answered.text
    assert ("Wetterdaten von" if language == "de" else "Weather data by") in answered.text


def test_every_answer_bears_the_policy_once(nginx):
    for target in (
            "/", "/forget", "/trips/abc", "/trips/ABC", "/shared/abc", "/units?to=metric", "/index.html", "/ssi-example.html", "/nowhere",
            "/css/page.css", "/js/page.js", "/icons/sun.svg", "/pictures/city-320.jpg", "/pictures/nowhere-320.jpg",
            "/weather?city=Bergen", "/weather.html?city=Hogsmeade", "/api/weather.html?city=Bergen", "/api/metrics", "/livez",
            "/cgi/livez", "/metrics"):
        answered = nginx.ask(target)
        assert "default-src 'none'" in answered["Content-Security-Policy"], target
        assert answered["X-Content-Type-Options"] == "nosniff", target
        assert answered["Referrer-Policy"] == ("no-referrer" if "/shared/" in target else "same-origin"), target
        for name in ("Cache-Control", "Set-Cookie", "Retry-After"):
            answered[name]  # at most once


@pytest.fixture(scope="module")
def guarded_nginx(module_keeper):
    """nginx with no program behind it, for which nobody is the operator."""
    return WebServer(module_keeper, {"allow 127.0.0.0/8;": ""})


FORMS = [("text/html,*/*;q=0.8", "text/html"), ("application/json", "application/problem+json"), ("text/plain", "text/plain")]


@pytest.mark.parametrize("accept, kind", FORMS)
@pytest.mark.parametrize("status, target, method, body, headers, title, german", [
    (403, "/metrics", "GET", b"", {}, "Not allowed", "Nicht erlaubt"),
    (404, "/nowhere", "GET", b"", {}, "There is nothing here", "Hier ist nichts"),
    (405, "/forget", "POST", b"a=b", {}, "Method not allowed", "Methode nicht erlaubt"),
    (413, "/api/trips", "POST", b"x" * 65537, {}, "Too much was sent", "Zu viel gesendet"),
    (431, "/weather?city=Bergen", "GET", b"", {"X-Long": "x" * 9000}, "The request's header is too large", "Der Kopf der Anfrage ist zu groß"),
    (431, "/trips/abc", "GET", b"", {"Cookie": "a=" + "x" * 9000}, "The request's header is too large", "Der Kopf der Anfrage ist zu groß"),
])
def test_nginxs_own_refusals_have_the_form_that_was_asked_for(guarded_nginx, accept, kind, status, target, method, body, headers, title, german):
    nginx = guarded_nginx
    answered = nginx.ask(target, {"Accept": accept, **headers}, method, body)
    assert answered.status == status and answered["Content-Type"].startswith(kind) and title in answered.text, answered
    assert "<!--#" not in answered.text and "default-src 'none'" in answered["Content-Security-Policy"]
    if kind == "application/problem+json":
        problem = answered.json()
        assert problem["title"] == title and problem["status"] == status and problem["detail"]
    assert german in nginx.ask(target, {"Accept": accept, "Accept-Language": "de", **headers}, method, body).text
    # The page's own parameter, too, which isn't nginx's first thought.
    separator = "&" if "?" in target else "?"
    assert german in nginx.ask(f"{target}{separator}lang=de", {"Accept": accept, **headers}, method, body).text


@pytest.mark.parametrize("request_line, status", [("GET /" + "x" * 9000 + " HTTP/1.1", 414), ("GET / HTTP/1.1\r\nHost: a b", 400), ("??", 400)])
def test_what_nginx_refuses_before_it_reads_a_header_is_one_short_page(guarded_nginx, request_line, status):
    answered = http_client.raw(guarded_nginx.port, f"{request_line}\r\nAccept: application/json\r\n\r\n".encode())
    assert answered.status == status and answered["Content-Type"].startswith("text/html")
    assert "This can’t be read" in answered.text and len(answered.body) < 1000


def test_nothing_in_nginxs_error_log_after_good_answers(nginx):
    for target in ("/", "/weather.html?city=Bergen", "/weather.json?city=Hogsmeade", "/places?q=Ber", "/livez"):
        nginx.ask(target)
    assert "[error]" not in nginx.errors and "[crit]" not in nginx.errors, nginx.errors


def test_connections_to_the_program_are_kept(behind_nginx):
    """nginx keeps a connection only if the end of an answer is the last thing on it."""
    program, nginx = behind_nginx
    for _ in range(40):
        assert nginx.ask("/livez").status == 200
    sockets = [os.readlink(f"/proc/{program.child.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{program.child.pid}/fd")]
    # One listener, one or two kept connections, the loops' own: not forty.
    assert sum(one.startswith("socket:") for one in sockets) < 12


def test_the_program_answers_before_nginx_gives_up(stand_in, start_behind_nginx):
    _, nginx = start_behind_nginx({"request.deadline": "2s", "upstream.transferTimeout": "2s", "upstream.firstByteTimeout": "2s",
                                   "upstream.lowSpeedTime": "2s"})
    stand_in.misbehave(search={"kind": "never-answer"})
    watch = Stopwatch()
    answered = nginx.ask("/weather.json?city=Bergen")
    assert answered.status == 504 and answered["Content-Type"].startswith("application/problem+json")
    assert 2 <= watch.seconds <= 2 + SLACK


def test_cgi_ends_at_its_deadline(stand_in, start_behind_nginx):
    _, nginx = start_behind_nginx({"request.deadline": "1s", **{
        f"upstream.{key}": "1s" for key in ("connectTimeout", "transferTimeout", "firstByteTimeout", "lowSpeedTime")}})
    stand_in.misbehave(search={"kind": "never-answer"})
    browser = nginx.start("/cgi/weather.json?city=Bergen")
    stand_in.wait_for(inFlight=1)
    browser.close()
    stand_in.wait_for(inFlight=0, limit=1 + SLACK)


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", "%2e%2e/", "Ber%0d%0aX-Evil: 1"])
def test_nothing_escapes_into_headers_or_files(nginx, name):
    answered = nginx.ask(f"/weather.json?city={name}".replace(" ", "%20"))
    assert answered.status in (400, 404)
    assert answered["X-Evil"] is None


def test_the_browsers_authorization_is_no_ones_name(nginx):
    answered = nginx.ask("/weather.json?city=Bergen", {"Authorization": "Basic dXNlcjpwYXNz", "Cookie": "a=b"})
    assert answered.status == 200 and answered["Set-Cookie"] is None
