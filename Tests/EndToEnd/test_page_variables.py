"""What nginx.conf settles for pages: their language and units, whose trips they show, and what their fragments are asked.

The pages here are the test's own, and tell what their variables are.
"""

from urllib.parse import parse_qs

import pytest

from web_server import WebServer

KEY = "abcdefghijklmnopqrstuvwx4a"
OTHER = "zzzzzzzzzzzzzzzzzzzzzzzzza"
PAGES = {"index": "/", "trip": "/trips/abc-7", "edit": "/trips/abc-7/edit", "delete": "/trips/abc-7/delete",
         "shared": "/shared/def-8", "forget": "/forget"}
# Begins as the pages do.
PROBE = """<!--# set var="units" value="$page_units" --><!--# include virtual="/fragments/language?lang=$arg_lang" set="language" -->\
<!--# include virtual="/parts/top.html" wait="yes" -->
<p>{name}: <!--# if expr="$language = de" -->Guten Tag<!--# else -->Good day<!--# endif -->
trip=<!--# echo var="trip" default="" -->. share=<!--# echo var="share" default="" -->.</p>
<!--# include virtual="/fragments/trips/$trip/weather?lang=$language&units=$units" -->"""


def _with_pages(nginx):
    for name in PAGES:
        nginx.put(f"{name}.html", PROBE.format(name=name))
    return nginx


@pytest.fixture
def echo(shared_echo_behind_nginx):
    echo = shared_echo_behind_nginx[0]
    echo.asked.clear()
    echo.languages_asked.clear()
    echo.language, echo.is_there = "en", True
    return echo


def in_language(answered, language):
    """Whether a page is in a language, and greets in it."""
    return f'<html lang="{language}" ' in answered.text and ("Guten Tag" if language == "de" else "Good day") in answered.text


@pytest.fixture
def nginx(shared_echo_behind_nginx, echo):
    return _with_pages(shared_echo_behind_nginx[1])


@pytest.mark.parametrize("query, accepted, asked", [
    ("", None, ""), ("", "de;q=0.1,en;q=0.9", ""), ("?lang=de", "en", "de"), ("?lang=fr", None, "fr"), ("?lang=", "de", ""),
    ("?lang=de%22%3E", None, "de%22%3E"), ("?lang=de&lang=en", "en", "de"), ("?a=b&lang=de&c=d", None, "de"), ("?language=de", None, ""),
])
@pytest.mark.parametrize("language", ["en", "de"])
def test_the_program_decides_the_language_of_a_page_and_its_fragments(nginx, echo, query, accepted, asked, language):
    echo.language = language
    answered = nginx.ask(f"/trips/abc{query}", {} if accepted is None else {"Accept-Language": accepted})
    assert answered.status == 200 and in_language(answered, language), answered
    assert parse_qs(echo.last["QUERY_STRING"])["lang"] == [language]
    (question,) = echo.languages_asked
    assert question["QUERY_STRING"] == f"lang={asked}" and question["HTTP_ACCEPT_LANGUAGE"] == accepted


@pytest.mark.parametrize("query, accepted, language", [
    ("", None, "en"), ("", "", "en"), ("", "de", "de"), ("", "en", "en"), ("", "DE-at", "de"), ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
    ("", "en-GB,en;q=0.9,de;q=0.8", "en"), ("", "fr", "en"), ("", "fr-CH, fr;q=0.9, de;q=0.7, en;q=0.5", "de"),
    ("", "fr, en;q=0.9, de;q=0.8", "en"), ("", "  de", "de"), ("", "den", "en"), ("", "nl,den,de", "de"), ("", "*", "en"),
    ("", "x-de, en-de", "en"), ("", "fr,it,es,pt;q=0.1,de;q=0.05", "de"), ("", ",,,de", "de"),
    ("?lang=de", None, "de"), ("?lang=de", "en", "de"), ("?lang=en", "de", "en"), ("?lang=fr", "de", "de"), ("?lang=fr", None, "en"),
    ("?lang=", "de", "de"), ("?lang=de%22%3E", None, "en"), ("?lang=de&lang=en", "en", "de"), ("?a=b&lang=de", None, "de"),
    ("?language=de", None, "en"),
])
def test_while_the_program_says_no_language_nginx_guesses_it(nginx, echo, query, accepted, language):
    echo.language = ""
    answered = nginx.ask(f"/trips/abc{query}", {} if accepted is None else {"Accept-Language": accepted})
    assert answered.status == 200 and in_language(answered, language), answered
    assert parse_qs(echo.last["QUERY_STRING"])["lang"] == [language]


def test_a_long_list_of_languages_takes_no_time(nginx, echo):
    echo.language = ""
    answered = nginx.ask("/trips/abc", {"Accept-Language": "x , " * 1500 + "y"}, limit=2)
    assert answered.status == 200 and in_language(answered, "en")


@pytest.mark.parametrize("query, headers, units", [
    ("", {}, "metric"), ("", {"Accept-Language": "en-US,en;q=0.9"}, "imperial"), ("", {"Accept-Language": "en-us"}, "imperial"),
    ("", {"Accept-Language": "en-GB,en-US;q=0.9"}, "metric"), ("", {"Accept-Language": "en-USA"}, "metric"),
    ("", {"Accept-Language": "de"}, "metric"), ("", {"Cookie": "units=imperial"}, "imperial"),
    ("", {"Cookie": "units=metric", "Accept-Language": "en-US"}, "metric"), ("", {"Cookie": "a=b; units=imperial; c=d"}, "imperial"),
    ("", {"Cookie": "units=kelvin", "Accept-Language": "en-US"}, "imperial"), ("", {"Cookie": "units="}, "metric"),
    ("", {"Cookie": "xunits=imperial"}, "metric"), ("?units=imperial", {}, "imperial"),
    ("?units=metric", {"Cookie": "units=imperial"}, "metric"), ("?units=kelvin", {"Cookie": "units=imperial"}, "imperial"),
    ("?units=", {"Accept-Language": "en-US"}, "imperial"),
])
def test_the_units_of_a_page(nginx, echo, query, headers, units):
    answered = nginx.ask(f"/trips/abc{query}", headers)
    assert answered.status == 200 and f'data-units="{units}"' in answered.text, answered
    assert parse_qs(echo.last["QUERY_STRING"])["units"] == [units]


@pytest.mark.parametrize("name, target", PAGES.items())
def test_each_page_knows_what_it_is_about_and_is_kept_nowhere(nginx, name, target):
    answered = nginx.ask(target)
    assert answered.status == 200 and f"<p>{name}: " in answered.text
    assert ("trip=abc-7." in answered.text) == target.startswith("/trips/")
    assert ("share=def-8." in answered.text) == target.startswith("/shared/")
    assert answered["Content-Type"] == "text/html; charset=utf-8"
    assert answered["Cache-Control"] == "private, no-store"
    assert answered["ETag"] is None and answered["Last-Modified"] is None and answered["Expires"] is None
    assert "<!--#" not in answered.text and "[an error" not in answered.text
    assert answered["Referrer-Policy"] == ("no-referrer" if name == "shared" else "same-origin")
    assert "default-src 'none'" in answered["Content-Security-Policy"]


@pytest.mark.parametrize("name", PAGES)
def test_a_pages_file_has_no_address(nginx, name):
    answered = nginx.ask(f"/{name}.html?city=Bergen")
    if name == "index":
        assert answered.status == 301 and answered["Location"] == "/?city=Bergen"
    else:
        assert answered.status == 404 and f"<p>{name}:" not in answered.text


@pytest.mark.parametrize("target", [
    "/trips/", "/trips/ABC", "/trips/a.b", "/trips/a%2fb", "/trips/a%22b", "/trips/a%3Cb", "/trips/a%20b", "/trips/a$b",
    "/trips/abc/", "/trips/abc/share", "/trips/abc/edit/", "/trips/abc.html", "/shared/", "/shared/A", "/shared/a/b", "/forget/",
    "/errors/page.html", "/errors/answer.txt", "/parts/top.html", "/fragments/trips/abc", "/fragments/language",
])
def test_no_other_address_is_a_page(nginx, echo, target):
    answered = nginx.ask(target)
    assert answered.status == 404 and "There is nothing here" in answered.text, answered
    assert "Hier ist nichts" in nginx.ask(target, {"Accept-Language": "de"}).text
    problem = nginx.ask(target, {"Accept": "application/json"})
    assert problem.status == 404 and problem["Content-Type"] == "application/problem+json" and problem.json()["status"] == 404
    assert echo.asked == []


@pytest.mark.parametrize("target", ["/trips/abc-7", "/trips/abc-7/edit", "/trips/abc-7/delete", "/shared/def-8"])
def test_a_page_about_a_trip_that_is_gone_is_a_404(nginx, echo, target):
    assert nginx.ask(target).status == 200
    echo.is_there = False
    answered = nginx.ask(target)
    # The page itself, in which the fragment says what is so.
    assert answered.status == 404 and "Good day" in answered.text, answered
    assert [asked["SCRIPT_NAME"] for asked in echo.asked] == ["/trips/abc-7/weather.html"] * 2 * (not target.startswith("/shared"))
    assert "<!--#" not in answered.text and answered["Content-Type"] == "text/html; charset=utf-8"
    assert answered["Cache-Control"] == "private, no-store" and answered["WWW-Authenticate"] is None
    assert nginx.ask(target, method="HEAD").status == 404


def test_the_address_of_a_shared_trip_is_in_no_error_log(keeper):
    """Not while the program is away, nor when nginx itself refuses."""
    nginx = _with_pages(WebServer(keeper))
    for target in ("/shared/secret-one", "/api/shared/secret-two", "/api/shared/secret-three/weather.json", "/cgi/shared/secret-four/weather"):
        assert nginx.ask(target).status in (200, 502)
    assert nginx.ask("/api/shared/secret-five", method="POST", body=b"x" * 65537).status == 413
    assert nginx.ask("/api/trips").status == 502
    assert "connect() to unix" in nginx.errors and "secret" not in nginx.errors, nginx.errors


def test_a_fragment_gets_the_cookies_and_nothing_else_of_the_browsers(nginx, echo):
    nginx.ask("/trips/abc?city=Bergen", {
        "Cookie": f"units=metric; traveller={KEY}; session=secret", "If-None-Match": '"x"', "Range": "bytes=0-1",
        "Accept-Encoding": "br", "Accept": "image/png", "Authorization": "Basic eDp5", "Origin": "http://evil.example",
        "Sec-Fetch-Site": "cross-site", "X-Anything": "1", "Accept-Language": "de", "Referer": "http://evil.example/"})
    asked = echo.last
    assert {name: value for name, value in asked.parameters.items() if name.startswith("HTTP_")} == {
        "HTTP_ACCEPT": "text/html", "HTTP_COOKIE": f"units=metric; traveller={KEY}; session=secret"}
    assert asked["REQUEST_METHOD"] == "GET" and asked.body == b"" and not asked["CONTENT_LENGTH"] and not asked["REMOTE_USER"]
    assert asked["SCRIPT_NAME"] == "/trips/abc/weather.html"
    assert asked["QUERY_STRING"] == "lang=en&units=metric"
    assert asked["REQUEST_DEADLINE"] == "3s"


@pytest.mark.parametrize("cookie", [None, "units=metric", "a=b;traveller=" + KEY, f"traveller=junk; traveller={KEY}; traveller={OTHER}"])
def test_the_program_alone_reads_whose_trips_a_fragment_is_about(nginx, echo, cookie):
    """nginx hands the cookies on as they came: two readers would have two rules."""
    nginx.ask("/trips/abc", {"Cookie": cookie} if cookie else {})
    assert echo.last["HTTP_COOKIE"] == cookie


def test_fragments_of_a_page_each_get_their_own_address(nginx, echo):
    addresses = ["/trips", "/trips/forget", "/trips/abc-7/weather", "/shared/def-8", "/ideas", "/weather"]
    nginx.put("trip.html", "".join(f'<!--# include virtual="/fragments{one}?lang=en&units=$page_units" -->' for one in addresses))
    assert nginx.ask("/trips/abc-7").text.count("<p>echo</p>") == len(addresses)
    assert sorted(asked["SCRIPT_NAME"] for asked in echo.asked) == sorted(f"{one}.html" for one in addresses)
    assert {asked["QUERY_STRING"] for asked in echo.asked} == {"lang=en&units=metric"}


@pytest.mark.parametrize("city", ["Bergen", "San%20Pedro+de%20Atacama", "%22%3E%3Cscript%3E", "a%26lang=xx", "%24language", "$trip", "a%00b",
                                  "%E5%8C%97" * 100, "<!--%23-->", "%23"])
def test_what_the_planner_is_asked_reaches_its_fragments_as_it_came(nginx, echo, city):
    """Also where it is longer than the 256 characters that an SSI command may have."""
    nginx.put("index.html", '<!--# include virtual="/fragments/trips/form?lang=en&units=$page_units$plan_city$plan_country$plan_nights$plan_start" -->')
    assert nginx.ask(f"/?nights=3&evil=1&city={city}&start=&lang=en").text == "<p>echo</p>"
    assert echo.last["QUERY_STRING"] == f"lang=en&units=metric&city={city}&nights=3"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_writes_come_through_whole(nginx, echo, method):
    body = bytes(range(256)) * 250
    answered = nginx.ask("/api/trips/abc?lang=de", {
        "Content-Type": "application/merge-patch+json", "If-Match": '"7"', "Cookie": f"traveller={KEY}; a=b",
        "Sec-Fetch-Site": "same-origin"}, method, body)
    assert answered.status == 200, answered
    asked = echo.last
    assert asked["REQUEST_METHOD"] == method and asked.body == body and asked["CONTENT_LENGTH"] == str(len(body))
    assert asked["SCRIPT_NAME"] == "/api/trips/abc" and asked["QUERY_STRING"] == "lang=de"
    assert asked["CONTENT_TYPE"] == "application/merge-patch+json" and asked["HTTP_IF_MATCH"] == '"7"'
    assert asked["HTTP_COOKIE"] == f"traveller={KEY}; a=b" and asked["HTTP_SEC_FETCH_SITE"] == "same-origin"
    # Its time is the program's own.
    assert asked["REQUEST_DEADLINE"] is None


def test_a_body_over_the_limit_is_refused(nginx, echo):
    assert nginx.ask("/api/trips", method="POST", body=b"x" * 65537).status == 413
    assert echo.asked == []


@pytest.mark.parametrize("query, location, cookie", [
    ("to=imperial&back=/", "/", "imperial"), ("to=metric&back=/", "/", "metric"), ("to=imperial", "/", "imperial"),
    ("to=imperial&back=/trips/abc-7", "/trips/abc-7", "imperial"), ("back=%2Ftrips%2Fabc-7&to=metric", "/trips/abc-7", "metric"),
    ("to=metric&back=/shared/def-8", "/shared/def-8", "metric"), ("to=metric&back=%2fshared%2fdef-8", "/shared/def-8", "metric"),
    ("to=kelvin&back=/trips/abc-7", "/trips/abc-7", None), ("back=/trips/abc-7", "/trips/abc-7", None), ("to=&back=/", "/", None),
    ("to=metric%0d%0aX-Evil:1", "/", None), ("to=metric;Domain=evil", "/", None),
    ("to=metric&back=//evil.example/", "/", "metric"), ("to=metric&back=https://evil.example/trips/abc", "/", "metric"),
    ("to=metric&back=/trips/abc-7/edit", "/", "metric"), ("to=metric&back=/trips/abc%0d%0aX-Evil:1", "/", "metric"),
    ("to=metric&back=/trips/../units", "/", "metric"), ("to=metric&back=/%5Cevil.example", "/", "metric"),
    ("to=metric&back=/trips/abc?x=1", "/", "metric"),
])
def test_units_are_kept_by_cookie(nginx, query, location, cookie):
    answered = nginx.ask(f"/units?{query}")
    assert answered.status == 303 and answered["Location"] == location, answered
    assert answered["Set-Cookie"] == (cookie and f"units={cookie}; Path=/; Max-Age=31536000; SameSite=Lax")
    assert answered["Cache-Control"] == "private, no-store" and answered["X-Evil"] is None
    assert answered["Content-Security-Policy"] is not None


def test_the_address_of_a_shared_trip_is_in_no_access_log(echo_behind_nginx):
    nginx = _with_pages(echo_behind_nginx[1])
    nginx.ask("/shared/secret-one?lang=de")
    nginx.ask("/api/shared/secret-two/weather.json")
    nginx.ask("/%73hared/secret-three")
    nginx.ask("/api/s%68a%72e%64%2Fsecret-four/weather.json")
    nginx.ask("/trips/abc")
    log = nginx.folder / "run/access.log"
    nginx.child.end()  # writes what it still holds
    text = log.read_text("utf-8")
    assert '"GET /shared/*?lang=de HTTP/1.1" 200' in text and '"GET /api/shared/*/weather.json HTTP/1.1" 200' in text, text
    assert '"GET /trips/abc HTTP/1.1" 200' in text and "secret" not in text
