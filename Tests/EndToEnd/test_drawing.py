"""The weather as a picture: an SVG of its own, and drawn within the card."""

from datetime import date, timedelta
from xml.etree import ElementTree

import pytest

from fragment import card
from trips import Traveller

SVG = "image/svg+xml; charset=utf-8"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
CITY = "city=Bergen&country=Norway"


def trip(begins=0, nights=4):
    return f"start={date.today() + timedelta(days=begins)}&nights={nights}"


def drawing(answered, status=200):
    """The picture's root; fails if it is none, or if it could load or run anything."""
    assert answered.status == status, answered
    assert answered["Content-Type"] == SVG, answered
    root = ElementTree.fromstring(answered.body)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for element in root.iter():
        name = element.tag.rpartition("}")[2]
        assert name in {"svg", "title", "desc", "style", "g", "path", "rect", "circle", "text"}, name
        assert not [a for a in element.attrib if a == "id" or a == "style" or a.startswith("on") or "href" in a]
    assert "url(" not in answered.text
    assert root.find("{*}title").text and root.find("{*}desc").text
    return root


def days(root):
    return [g for g in root.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "weather-chart-day"]


@pytest.mark.parametrize("target, headers", [
    ("/weather.svg", None), ("/weather.svg", {"Accept": "text/html"}),
    ("/weather", {"Accept": "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"}),
])
def test_a_trip_is_a_picture(program, target, headers):
    answered = program.ask(f"{target}?{CITY}&{trip()}", headers)
    root = drawing(answered)
    assert len(days(root)) == 5
    assert answered["Content-Security-Policy"] == POLICY
    assert answered["Vary"] == ("Accept-Language" if target.endswith(".svg") else "Accept, Accept-Language")
    assert "Weather data by Open-Meteo.com (CC BY 4.0)" in answered.text
    assert "Bergen, Norway" in root.find("{*}title").text


def test_a_saved_trip_and_a_shared_one_are_pictures(start_program, keeper):
    program = start_program({"trips.file": str(keeper.folder / "trips.sqlite")})
    traveller = Traveller(program.ask)
    added = traveller.add(start=str(date.today()), nights=2).json()
    own = traveller.get(f"/api/trips/{added['id']}/weather.svg", {"Accept": "image/*"})
    assert len(days(drawing(own))) == 3
    assert own["Cache-Control"] == "private, no-store" and own["Content-Security-Policy"] == POLICY
    share = traveller.send("POST", f"/api/trips/{added['id']}/share").json()["share"]
    assert len(days(drawing(program.ask(f"/api{share}/weather.svg")))) == 3
    drawing(program.ask("/api/shared/nosuchkey/weather.svg"), 404)


def test_without_a_trip_it_is_the_forecasts_days(program):
    assert len(days(drawing(program.ask(f"/weather.svg?{CITY}")))) == 16


def test_it_is_kept_as_other_forms_are(program):
    target = f"/weather.svg?{CITY}"
    first = program.ask(target)
    assert first["Cache-Control"] == "public, max-age=0, must-revalidate", first
    again = program.ask(target, {"If-None-Match": first["ETag"]})
    assert again.status == 304 and again.body == b"" and again["ETag"] == first["ETag"], again
    head = program.ask(target, method="HEAD")
    assert head.status == 200 and head.body == b"" and head["Content-Security-Policy"] == POLICY, head


@pytest.mark.parametrize("query, status, words", [
    ("city=Hogsmeade", 404, "Open-Meteo knows no place called Hogsmeade."),
    ("city=%3C/text%3E%3Cscript%3E", 404, "Open-Meteo knows no place called"),
    ("city=Bergen&nights=x", 400, "nights"),
    ("place=60.39,5.32&place=47.61,-122.33", 406, "JSON, HTML"),
])
def test_a_failure_is_a_picture_under_its_status(program, query, status, words):
    answered = program.ask(f"/weather.svg?{query}")
    root = drawing(answered, status)
    assert words in root.find("{*}desc").text
    assert answered["Cache-Control"] == "no-store" and answered["Content-Security-Policy"] == POLICY


def test_sample_weather_says_so(start_program):
    answered = start_program({"answers.sample": True}).ask(f"/weather.svg?{CITY}")
    drawing(answered)
    assert "Sample weather" in answered.text


def test_only_weather_is_drawn(program):
    assert program.ask("/places.svg?q=Ber").status == 404
    assert program.ask("/places?q=Ber", {"Accept": "image/svg+xml"}).status == 406


def test_the_card_with_its_days_drawn(program):
    fragment = card(program.ask(f"/weather.html?{CITY}&{trip()}&form=chart"), "loaded")
    charts = [attributes for name, attributes in fragment.elements if name == "svg"]
    assert len(charts) == 1 and charts[0]["role"] == "img" and charts[0]["aria-label"], charts
    assert not [attributes for _, attributes in fragment.elements if "id" in attributes]
    rows = [name for name, attributes in fragment.elements if attributes.get("class") == "weather-day"]
    assert rows == ["li"] * 5
    assert "details" in [name for name, _ in fragment.elements]


def test_behind_nginx_the_picture_has_its_own_policy_alone(start_behind_nginx):
    program, nginx = start_behind_nginx()
    for target in (f"/weather.svg?{CITY}", f"/api/weather.svg?{CITY}", f"/cgi/weather.svg?{CITY}"):
        answered = nginx.ask(target)
        drawing(answered)
        assert answered["Content-Security-Policy"] == POLICY
    assert "script-src 'self'" in nginx.ask(f"/weather.html?{CITY}")["Content-Security-Policy"]
    assert "script-src 'self'" in nginx.ask("/icons/sun.svg")["Content-Security-Policy"]
    drawing(nginx.ask("/weather.svg?city=Hogsmeade"), 404)
    program.stop()
    gone = nginx.ask("/weather.svg?city=Bergen&lang=de")
    assert gone.status == 502 and gone["Content-Type"] == "image/svg+xml", gone
    assert "antwortet nicht" in ElementTree.fromstring(gone.body).find("{*}title").text
