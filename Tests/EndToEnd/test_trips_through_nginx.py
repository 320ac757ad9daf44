"""A traveller without script, through nginx: forms, pages that include what the program keeps, and whose trips they are.

The pages here are the test's own: what is tested is that nginx hands the right things on, not how pages look.
"""

import re
from urllib.parse import urlencode

import pytest

FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
STUB = '<!--# block name="away" --><p>away</p><!--# endblock -->'


def page(*addresses):
    return STUB + "".join(f'<!--# include virtual="/fragments{one}?lang=en&units=$page_units" stub="away" -->' for one in addresses)


@pytest.fixture
def behind_nginx(start_behind_nginx, keeper):
    program, nginx = start_behind_nginx({"trips.file": str(keeper.folder / "trips.sqlite")})
    nginx.put("index.html", page("/trips", "/trips/form"))
    nginx.put("trip.html", page("/trips/$trip", "/trips/$trip/card", "/trips/$trip/weather"))
    nginx.put("edit.html", page("/trips/$trip/form"))
    nginx.put("delete.html", page("/trips/$trip/delete"))
    nginx.put("shared.html", page("/shared/$share", "/shared/$share/weather"))
    nginx.put("forget.html", page("/trips/forget"))
    return program, nginx


class Browser:
    """Keeps the traveller's cookie, and sends forms as they stand on a page."""

    def __init__(self, nginx):
        self.nginx = nginx
        self.cookie = None

    def _headers(self, headers):
        return {**headers, **({"Cookie": f"units=metric; {self.cookie}; other=1"} if self.cookie else {})}

    def see(self, target, status=200):
        answered = self.nginx.ask(target, self._headers({}))
        assert answered.status == status and "<!--#" not in answered.text and "[an error" not in answered.text, answered
        assert answered["Cache-Control"] == "private, no-store" and answered["Set-Cookie"] is None
        return answered.text

    def send(self, target, **fields):
        answered = self.nginx.ask(target, self._headers(FORM), "POST", urlencode(fields).encode())
        if answered["Set-Cookie"]:
            self.cookie = answered["Set-Cookie"].partition(";")[0]
        return answered

    def sent(self, target, **fields):
        answered = self.send(target, **fields)
        assert answered.status == 303, answered
        return answered["Location"]


def hidden(text, name):
    return re.search(rf'name="{name}" value="([^"]*)"', text)[1]


def trip_of(text, city):
    """The id of the trip to a city, out of a page with the list."""
    return next(id for id, rest in re.findall(r'data-id="([a-z0-9-]+)"(.*?)</li>', text, re.DOTALL) if city in rest)


@pytest.fixture
def browser(nginx):
    return Browser(nginx)


def add(browser, city="Bergen"):
    form = {"key": hidden(browser.see("/"), "key"), "city": city, "country": "Norway", "start": "2027-01-10", "nights": "3", "price": "500"}
    assert browser.sent("/api/trips?lang=en", **form) == "/"
    # A double tap.
    assert browser.sent("/api/trips?lang=en", **form) == "/"
    assert browser.see("/").count(f"<bdi>{city}</bdi>") == 1
    return trip_of(browser.see("/"), city)


def test_a_trip_that_is_added_is_on_the_pages_of_its_traveller_alone(nginx, browser):
    trip = add(browser)
    assert re.fullmatch(r"traveller=[a-z2-7]{26}", browser.cookie)
    text = browser.see(f"/trips/{trip}")
    assert "<bdi>Bergen</bdi>" in text and 'class="trip-card"' in text and "Bergen, Norway</bdi>: " in text
    # Somebody else, with a cookie of their own or none.
    other = Browser(nginx)
    assert 'class="gone"' in other.see(f"/trips/{trip}", 404) and "Bergen" not in other.see("/")
    add(other, "Oslo")
    assert 'class="gone"' in other.see(f"/trips/{trip}", 404) and "Bergen" not in other.see("/")
    assert other.send(f"/api/trips/{trip}", version=hidden(browser.see(f"/trips/{trip}/edit"), "version"), city="Mine").status == 404


def test_a_trip_is_edited_and_deleted_by_forms(browser):
    trip = add(browser)
    version = hidden(browser.see(f"/trips/{trip}/edit"), "version")
    assert browser.sent(f"/api/trips/{trip}?lang=en", version=version, nights="5") == f"/trips/{trip}"
    assert "5 nights" in browser.see("/")
    # The form of an older version meets a whole page, not a fragment.
    stale = browser.send(f"/api/trips/{trip}?lang=en", version=version, nights="9")
    assert stale.status == 412 and stale.text.lstrip().lower().startswith("<!doctype html>")
    version = hidden(browser.see(f"/trips/{trip}/delete"), "version")
    assert browser.sent(f"/api/trips/{trip}/delete?lang=en", version=version) == "/"
    for page in ("", "/edit", "/delete"):
        assert 'class="gone"' in browser.see(f"/trips/{trip}{page}", 404)


def test_a_shared_trip_is_read_by_whoever_has_its_address(nginx, browser):
    trip = add(browser)
    assert browser.sent(f"/api/trips/{trip}/share?lang=en") == f"/trips/{trip}"
    share = re.search(r'href="(/shared/[a-z0-9-]+)"', browser.see(f"/trips/{trip}"))[1]
    other = Browser(nginx)
    text = other.see(share)
    assert "<bdi>Bergen</bdi>" in text and "Bergen, Norway</bdi>: " in text and trip not in text
    assert browser.sent(f"/api/trips/{trip}/unshare?lang=en") == f"/trips/{trip}"
    assert 'class="gone"' in other.see(share, 404)


def test_a_traveller_can_be_forgotten(browser):
    trip = add(browser)
    assert browser.see("/forget")
    assert browser.sent("/api/trips/forget?lang=en") == "/"
    assert browser.cookie == "traveller="
    assert 'class="gone"' in browser.see(f"/trips/{trip}", 404)


def test_another_site_writes_nothing(nginx, browser):
    trip = add(browser)
    version = hidden(browser.see(f"/trips/{trip}/delete"), "version")
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "", "Origin": "http://evil.example"}):
        answered = nginx.ask(f"/api/trips/{trip}/delete", {**FORM, "Cookie": browser.cookie, **headers}, "POST", f"version={version}".encode())
        assert answered.status == 403, answered
    assert "Bergen" in browser.see("/")


def test_a_name_from_an_authorization_header_opens_nothing(nginx, browser):
    add(browser)
    answered = nginx.ask("/api/trips.json", {"Authorization": "Basic c29tZW9uZTp4"})
    assert "Bergen" not in {trip["city"] for trip in answered.json()["trips"]}


def test_pages_show_their_stubs_while_the_program_is_away(behind_nginx, browser):
    trip = add(browser)
    behind_nginx[0].stop()
    for target, stubs in (("/", 2), (f"/trips/{trip}", 3), (f"/trips/{trip}/edit", 1)):
        assert browser.see(target).count("<p>away</p>") == stubs
    answered = browser.send(f"/api/trips/{trip}?lang=de", version="x", nights="5")
    assert answered.status == 502 and "Trip Weather antwortet nicht" in answered.text
