"""What the program answers: by every way in, in every representation, and what it refuses."""

import json
import re
from datetime import date, timedelta
from urllib.parse import quote

import pytest

import fastcgi_client

import program as program_module
from fragment import assert_failed, card
from processes import eventually

JSON, HTML, TEXT = "application/json", "text/html; charset=utf-8", "text/plain; charset=utf-8"


@pytest.fixture(params=["fastcgi", "nginx", "nginx-api", "cgi", "fcgiwrap"])
def ask(request, start_program, start_behind_nginx, keeper):
    """Asks the program in each of the ways that it can be asked."""
    way = request.param
    if way == "fastcgi":
        return start_program().ask
    if way == "cgi":
        config = start_program().config
        return lambda target, headers=None, method="GET": program_module.cgi(config, target, headers, method)
    _, nginx = start_behind_nginx()
    prefix = {"nginx": "", "nginx-api": "/api", "fcgiwrap": "/cgi"}[way]
    return lambda target, headers=None, method="GET": nginx.ask(prefix + target, headers, method)


def test_the_weather_by_city(ask):
    answered = ask("/weather?city=Seattle", {"Accept": "application/json"})
    assert answered.status == 200, answered
    body = answered.json()
    assert body["place"]["name"] == "Seattle" and body["place"]["country"] == "United States"
    assert re.fullmatch(r"Seattle, United States: −?\d+°C, [A-Z][a-z ]+(\d+)?", body["line"])


def test_a_fragment(ask):
    answered = ask("/weather.html?city=Bergen&country=Norway")
    assert answered.status == 200 and answered["Content-Type"] == HTML
    fragment = card(answered, "loaded")
    assert "Bergen, Norway: " in fragment.text
    assert "https://open-meteo.com/" in fragment.links()
    assert "Weather data by Open-Meteo.com" in fragment.text and "GeoNames" in fragment.text


def test_places(ask):
    answered = ask("/places?q=Vanc", {"Accept": "application/json"})
    assert answered.status == 200, answered
    assert answered.text.count('"Vancouver"') == 2 and "Canada" in answered.text


def test_livez(ask):
    assert ask("/livez").status == 200


def test_no_such_place(ask):
    answered = ask("/weather?city=Hogsmeade", {"Accept": "application/json"})
    assert_failed(answered, 404, "Open-Meteo knows no place called Hogsmeade.")


def test_head_has_the_gets_headers_and_no_body(ask):
    got, head = ask("/weather.json?city=Seattle"), ask("/weather.json?city=Seattle", method="HEAD")
    assert head.status == 200 and head.body == b""
    assert got["Content-Type"] == head["Content-Type"]
    assert got["Cache-Control"] == head["Cache-Control"] == "public, max-age=0, must-revalidate"


@pytest.mark.parametrize("accept, kind", [
    (None, JSON), ("*/*", JSON), ("application/json", JSON), ("text/html", HTML), ("text/plain", TEXT),
    ("text/html, application/json;q=0.9", HTML), ("text/html;q=0.5, application/json", JSON),
    ("text/*;q=0.3, text/plain;q=0.8, application/json;q=0.1", TEXT), ("application/json;q=0, text/html;q=0.1", HTML),
    ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", HTML), ("image/png, */*;q=0.1", JSON),
])
def test_accept_chooses_the_representation(program, accept, kind):
    answered = program.ask("/weather?city=Seattle", {"Accept": accept} if accept else None)
    assert answered.status == 200, answered
    assert answered["Content-Type"] == kind
    assert answered["Vary"] == "Accept, Accept-Language"


@pytest.mark.parametrize("suffix, kind", [("json", JSON), ("html", HTML), ("txt", TEXT)])
def test_a_suffix_chooses_whatever_accept_says(program, suffix, kind):
    answered = program.ask(f"/weather.{suffix}?city=Seattle", {"Accept": "image/png"})
    assert answered.status == 200 and answered["Content-Type"] == kind
    assert answered["Vary"] == "Accept-Language"


def test_nothing_acceptable(program):
    answered = program.ask("/weather?city=Seattle", {"Accept": "image/png"})
    assert answered.status == 406 and answered["Vary"] == "Accept, Accept-Language"


def test_an_etag_answers_304(program):
    for sent in (lambda tag: tag, lambda tag: f'"other", {tag}', lambda tag: "*", lambda tag: f"W/{tag.removeprefix('W/')}"):
        first = program.ask("/weather.json?city=Seattle")
        assert re.fullmatch(r'(W/)?"[!#-~]+"', first["ETag"]), first
        again = program.ask("/weather.json?city=Seattle", {"If-None-Match": sent(first["ETag"])})
        assert again.status == 304 and again.body == b"" and again["Cache-Control"] == first["Cache-Control"], again
        assert again["ETag"] == first["ETag"] or sent("") == "*", again
    other = program.ask("/weather.json?city=Seattle", {"If-None-Match": '"another"'})
    assert other.status == 200 and other.body


def test_the_length_is_always_given(program):
    for target in ("/weather.json?city=Seattle", "/weather.html?city=Hogsmeade", "/livez", "/nowhere", "/places.json?q=Ber"):
        answered = program.ask(target)
        assert int(answered["Content-Length"]) == len(answered.body), answered


def test_server_timing_names_the_steps(program):
    timing = program.ask("/weather.json?city=Seattle")["Server-Timing"]
    assert {part.split(";")[0].strip() for part in timing.split(",")} >= {"place", "forecast", "render"}


def test_no_cookie_is_set(program):
    for target in ("/weather.json?city=Seattle", "/places.json?q=Ber", "/livez"):
        assert program.ask(target, {"Cookie": "units=imperial"})["Set-Cookie"] is None


@pytest.mark.parametrize("target, field", [
    ("/weather", "city"), ("/weather?city=", "city"), ("/weather?city=%20%20", "city"), (f"/weather?city={'a' * 201}", "city"),
    ("/weather?city=%FF%FE", "city"), ("/weather?city=Ber%00gen", "city"), ("/weather?latitude=999&longitude=5", "latitude"),
    ("/weather?latitude=60.39", "longitude"), ("/weather?latitude=nan&longitude=5", "latitude"),
    ("/weather?latitude=60,39&longitude=5", "latitude"), ("/weather?latitude=1e400&longitude=5", "latitude"),
    ("/weather?latitude=60&longitude=-181", "longitude"), ("/weather?city=Bergen&town=Oslo", "town"),
    ("/weather?city=Bergen&city=Oslo", "city"), ("/weather?city=Bergen&units=kelvin", "units"),
    ("/weather?city=Bergen&lang=xx", "lang"), ("/weather?city=Bergen&start=2026-13-01&nights=2", "start"),
    ("/weather?city=Bergen&start=2026-02-30&nights=2", "start"), ("/weather?city=Bergen&start=2026-12-01", "nights"),
    ("/weather?city=Bergen&nights=2", "start"), ("/weather?city=Bergen&start=2026-12-01&nights=0", "nights"),
    ("/weather?city=Bergen&start=2026-12-01&nights=61", "nights"), ("/weather?city=Bergen&start=2026-12-01&nights=many", "nights"),
    ("/weather?city=Bergen&latitude=1&longitude=1", "city"), ("/places", "q"), ("/places?q=", "q"), ("/places?city=Bergen", "city"),
])
def test_bad_input_is_refused_before_any_question(stand_in, program, target, field):
    answered = program.ask(target, {"Accept": "application/json"})
    assert_failed(answered, 400)
    assert field in answered.json()["detail"], answered
    assert_failed(program.ask(target, {"Accept": "text/html"}), 400)
    counts = stand_in.counts()
    assert (counts["search"], counts["forecast"]) == (0, 0)


def test_user_text_is_escaped(program):
    name = "<img src=x onerror=alert(1)>&\"'"
    for headers in ({"Accept": "text/html"}, {"Accept": "application/json"}):
        answered = program.ask(f"/weather?city={quote(name)}", headers)
        assert_failed(answered, 404)
        if headers["Accept"] == "text/html":
            assert "<img" not in answered.text
        else:
            assert name in answered.json()["detail"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", "NONSENSE"])
def test_other_methods_are_refused(program, method):
    answered = program.ask("/weather.json?city=Bergen", method=method, body=b"x=1" if method == "POST" else b"")
    assert answered.status == 405, answered
    assert {m.strip() for m in answered["Allow"].split(",")} == {"GET", "HEAD"}


@pytest.mark.parametrize("target", ["/nowhere", "/weather.xml?city=Bergen", "/weatherx", "/", "/weather/more"])
def test_other_addresses_are_404(program, target):
    assert_failed(program.ask(target), 404)


def test_an_overlong_address_is_414(program):
    for target in ("/weather.json?city=" + "a" * 12_000,):
        assert_failed(program.ask(target), 414)


def test_zero_is_a_number(program):
    body = program.ask("/weather.json?latitude=0&longitude=0").json()
    assert body["place"]["latitude"] == 0 and body["place"]["longitude"] == 0
    for city in ("Null Island", "Greenwich", "Mitad del Mundo", "Tema"):
        answered = program.ask(f"/weather.json?city={quote(city)}")
        assert answered.status == 200 and answered.json()["place"]["name"] == city, answered


@pytest.mark.parametrize("city, country, title", [
    ("Vancouver", "Canada", "Vancouver, Canada"), ("Vancouver", "United States", "Vancouver, United States"),
    ("Paris", "France", "Paris, France"), ("Paris", "United States", "Paris, United States"),
    ("London", "Canada", "London, Canada"), ("London", None, "London, United Kingdom"), ("Hong Kong", None, "Hong Kong"),
    ("Macau", None, "Macau"), ("McMurdo Station", None, "McMurdo Station"), ("  new   york ", None, "New York, United States"),
    ("北京", None, "Beijing, China"), ("St. John's", "Canada", "St. John's, Canada"),
    ("Paris, United States", None, "Paris, United States"), ("Kathmandu", "Nepal", "Kathmandu, Nepal"),
])
def test_the_right_place_is_found_and_shown(program, city, country, title):
    target = f"/weather.json?city={quote(city)}" + (f"&country={quote(country)}" if country else "")
    answered = program.ask(target)
    assert answered.status == 200, answered
    assert answered.json()["place"]["title"] == title


@pytest.mark.parametrize("city, title", [("München", "München, Deutschland"), ("Athen", "Athen, Griechenland")])
def test_german_finds_and_shows_german_names(program, city, title):
    answered = program.ask(f"/weather.json?city={quote(city)}&lang=de")
    assert answered.status == 200 and answered.json()["place"]["title"] == title, answered


@pytest.mark.parametrize("city", ["Longyearbyen", "Kiritimati", "Apia", "Adelaide", "St. John's", "Caracas", "Tromsø"])
def test_awkward_places_have_weather(program, city):
    start = date.today().isoformat()
    answered = program.ask(f"/weather.json?city={quote(city)}&start={start}&nights=4")
    assert answered.status == 200, answered
    assert answered.json()["current"]["temperature"] is not None
    assert len(answered.json()["trip"]["days"]) >= 3
    card(program.ask(f"/weather.html?city={quote(city)}&start={start}&nights=4"), "loaded")


def test_units_change_value_and_label_together(program):
    metric, imperial = (program.ask(f"/weather.json?city=Bergen&units={units}").json() for units in ("metric", "imperial"))
    assert metric["units"] != imperial["units"]
    assert imperial["current"]["temperature"] == pytest.approx(metric["current"]["temperature"] * 1.8 + 32, abs=0.2)
    assert "°F" in imperial["line"] and "°C" in metric["line"]


def test_the_question_to_open_meteo_is_the_same_for_every_trip(stand_in, program):
    start = (date.today() + timedelta(days=2)).isoformat()
    for more in ("", f"&start={start}&nights=3", "&units=imperial"):
        assert program.ask(f"/weather.json?city=Bergen&country=Norway{more}").status == 200
    targets = {request["target"] for request in stand_in.requests() if request["route"] == "forecast"}
    assert len(targets) == 1, targets
    target = targets.pop()
    assert "forecast_days=16" in target and "timezone=auto" in target and "start_date" not in target
    assert "latitude=60.39&" in target and "longitude=5.32&" in target


def test_the_program_names_itself_to_open_meteo(stand_in, program):
    program.ask("/weather.json?city=Bergen")
    for request in stand_in.requests():
        assert re.match(r"(?i)trip-?weather/\d", request["headers"]["user-agent"]), request
        assert "gzip" in request["headers"]["accept-encoding"]


def test_a_trip_beyond_the_forecast_says_so(program):
    start = date.today() + timedelta(days=60)
    body = program.ask(f"/weather.json?city=Bergen&start={start}&nights=3").json()
    assert [day["kind"] for day in body["trip"]["days"]] == ["usual"] * 4
    assert "There is no forecast yet; the first comes on" in " ".join(body["trip"]["notes"])


def test_a_trip_that_is_over_says_so(program):
    start = date.today() - timedelta(days=30)
    body = program.ask(f"/weather.json?city=Bergen&start={start}&nights=3").json()
    assert [day["kind"] for day in body["trip"]["days"]] == ["observed"] * 4
    assert body["trip"]["notes"][0] == "This trip is over."


def test_a_trip_that_straddles_the_limit_shows_what_there_is(program):
    start = date.today() + timedelta(days=12)
    trip = program.ask(f"/weather.json?city=Bergen&start={start}&nights=10").json()["trip"]
    kinds = [day["kind"] for day in trip["days"]]
    assert len(kinds) == 11 and 2 <= kinds.count("forecast") <= 5 and kinds == sorted(kinds)
    assert trip["days"][0]["date"] == start.isoformat()
    assert "Come back on" in " ".join(trip["notes"])


def test_sample_weather_is_labelled_everywhere(start_program):
    program = start_program({"answers.sample": True})
    assert program.ask("/weather.json?city=Bergen").json()["sample"] is True
    assert "Sample weather" in program.ask("/weather.html?city=Bergen").text
    assert "Sample weather" in program.ask("/weather.txt?city=Bergen").text


def test_the_program_works_under_a_prefix_that_it_is_told(program):
    for variables in (
        {"SCRIPT_NAME": "/some/where", "PATH_INFO": "/weather.json"},
        {"SCRIPT_NAME": "/some", "PATH_INFO": "/where/api/weather.json"},
        {"SCRIPT_NAME": "/some/where/weather.json"},
        {"SCRIPT_NAME": "", "DOCUMENT_URI": "/some/where/weather.json"},
    ):
        asked = {"REQUEST_URI": "/index.html", **variables}
        answered = program.ask("/weather.json?city=Bergen", **asked, SITE_PREFIX="/some/where")
        assert answered.status == 200 and answered.json()["place"]["name"] == "Bergen", (variables, answered)
        assert program.ask("/weather.json?city=Bergen", **asked).status == 404, variables
        assert program.ask("/weather.json?city=Bergen", **asked, SITE_PREFIX="/else").status == 404, variables


def test_an_empty_post_without_input_is_answered_at_once(program):
    variables = fastcgi_client.parameters("/weather.json", method="POST", CONTENT_LENGTH="0")
    with program.connect(limit=3) as client:
        client.send(fastcgi_client.begin(1, keep=False) + fastcgi_client.record(fastcgi_client.PARAMS, 1, fastcgi_client.pairs(variables))
                    + fastcgi_client.record(fastcgi_client.PARAMS, 1))
        assert client.answer().status == 405
        assert client.is_closed(5)


def test_one_line_is_logged_for_each_request(program):
    program.ask("/weather.json?city=Bergen")
    program.ask("/weather.json?city=Hogsmeade")

    def statuses():
        lines = [json.loads(line) for line in program.child.log.splitlines() if '"event":"request"' in line]
        return [line["status"] for line in lines if line["path"] == "/weather.json"]

    # The line about an answer may follow the answer.
    eventually(lambda: len(statuses()) >= 2, what="a line for each")
    assert statuses() == [200, 404]


def test_the_api_key_is_sent_and_never_logged(stand_in, start_program):
    program = start_program({"upstream.apiKey": "secret-key-1234"})
    program.ask("/weather.json?city=Bergen")
    stand_in.misbehave(search={"kind": "status", "status": 500}, forecast={"kind": "close"})
    program.ask("/weather.json?city=Bergen")
    program.ask("/weather.json?latitude=1&longitude=1")
    assert all("apikey=secret-key-1234" in request["target"] for request in stand_in.requests())
    program.logged('"status":502')
    assert "secret-key-1234" not in program.child.log
