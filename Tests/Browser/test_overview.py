"""The overview: examples for whoever is new, a strip with everyone's weather, and the list."""

import pytest

import screens
from screens import CITIES, EXAMPLES, LOADED, STRIP


def test_somebody_new_sees_three_examples_and_their_weather(open_tab, stand_in):
    tab = open_tab("/")
    assert tab.texts(CITIES) == EXAMPLES
    tab.wait(lambda: len(tab.all(f"{STRIP} {LOADED}")) == 3, what="three lines of weather")
    assert tab.texts(f"{STRIP} li a bdi") == EXAMPLES
    # Their places are known: one question is enough for all of them.
    assert stand_in.counts()["search"] == 0
    assert stand_in.counts()["forecast"] == 1
    assert tab.find("section.trips").get_attribute("data-nights") == "16"


def test_looking_around_makes_no_cookie(open_tab):
    tab = open_tab("/")
    tab.go(screens.SEATTLE)
    tab.go("/")
    assert [cookie["name"] for cookie in tab.use().get_cookies() if cookie["name"] == "traveller"] == []


def test_the_examples_stay_once_something_was_added(open_tab):
    tab = open_tab("/")
    screens.keep(tab, "Bergen", ahead=30)
    tab.reload()
    assert tab.texts(CITIES) == ["Seattle", "Vancouver", "Bergen", "San Pedro de Atacama"]
    cookie = next(cookie for cookie in tab.use().get_cookies() if cookie["name"] == "traveller")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax" and cookie["path"] == "/"


@pytest.mark.whole_chromium
def test_a_trip_opens_from_the_list_and_back_leads_back(open_tab):
    tab = open_tab("/")
    tab.click(f"{screens.LIST} li.trip:nth-child(2) a.trip-link")
    tab.wait(screens.PASS)
    assert tab.path == "/trips/example-vancouver"
    assert tab.text("h1.pass-city") == "Vancouver"
    tab.back()
    tab.wait(lambda: tab.path == "/", what="the overview")
    assert tab.texts(CITIES) == EXAMPLES


@pytest.mark.failed_answers
def test_one_failure_in_the_strip_leaves_the_others(open_tab, stand_in):
    tab = open_tab("/")
    screens.keep(tab, "Hogsmeade", ahead=1)
    tab.go("/")
    tab.wait(lambda: len(tab.all(f"{STRIP} {LOADED}")) == 3, what="three lines of weather")
    tab.wait(f"{STRIP} li:first-child {screens.FAILED}")
    assert tab.texts(f"{STRIP} li a bdi")[0] == "Hogsmeade"


@pytest.mark.failed_answers
def test_what_people_type_is_text_everywhere(open_tab):
    tab = open_tab("/")
    nasty = "<img src=x onerror=alert(1)>&\"'"
    trip = screens.keep(tab, nasty, country="</bdi><script>alert(2)</script>", ahead=1)
    for address in ("/", f"/trips/{trip['id']}", f"/trips/{trip['id']}/edit", f"/trips/{trip['id']}/delete"):
        tab.go(address)
        assert tab.js("return document.querySelectorAll('[onerror]').length") == 0
        assert tab.js("return [...document.scripts].every(({ src }) => src.startsWith(location.origin))")
    tab.go("/")
    assert tab.texts(CITIES)[0] == nasty
