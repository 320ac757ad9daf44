"""Every day of a trip in the page: what it is, days that come late, the plan's own days, and the overview's order."""

import pytest

import axe
import screens
from screens import ADD, CITIES, LOADED, PREVIEW, REFRESH, STRIP, WEATHER

DAY = f"{WEATHER} .weather-day"
LEAD = ".weather-lead"
LOOKS = {"wide": {}, "narrow": {"width": 320, "height": 800, "touch": True}, "dark": {"dark": True}}
# An archive so slow that no answer waits for it.
LATE = {"kind": "delay", "milliseconds": 1500}


def open_trip(open_tab, ahead, nights, city="Bergen", **more):
    tab = open_tab("/", **more)
    trip = screens.keep(tab, city, ahead=ahead, nights=nights)
    tab.go(f"/trips/{trip['id']}")
    tab.wait(f"{WEATHER} {LOADED}")
    return tab


def wait_for_days(tab):
    tab.wait(lambda: not tab.has(f"{DAY}[data-state=loading]"), what="all days")


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_trip_under_way_shows_all_three_kinds_and_fits(open_tab, look):
    tab = open_trip(open_tab, -12, 40, **look)
    wait_for_days(tab)
    assert len(tab.all(DAY)) == 41
    for kind in ("observed", "forecast", "usual"):
        assert tab.has(f"{DAY}[data-kind={kind}][data-state=loaded]"), kind
    # Told apart in words, or by a sign before the date.
    assert "usually" in tab.text(f"{DAY}[data-kind=usual]")
    tick = "return getComputedStyle(document.querySelector(arguments[0]), '::before').content"
    assert "✓" in tab.js(tick, f"{DAY}[data-kind=observed][data-state=loaded] > time")
    assert tab.js(tick, f"{DAY}[data-kind=forecast] > time") == "none"
    assert tab.js("return document.documentElement.scrollWidth <= innerWidth")
    # Compact: three lines or so for a day on a wide screen.
    if look.get("width") != 320:
        heights = tab.js("return [...document.querySelectorAll(arguments[0])].map((day) => day.offsetHeight)", DAY)
        assert max(heights) <= 80, heights
    assert axe.violations(tab) == []


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_trip_in_three_months_leads_and_now_is_small(open_tab, look):
    tab = open_trip(open_tab, 90, 7, **look)
    tab.wait_text(f"{WEATHER} {LEAD}", "usually")
    sizes = tab.js("return arguments[0].map((name) => parseFloat(getComputedStyle(document.querySelector(name)).fontSize))",
                   [f"{WEATHER} {LEAD}", f"{WEATHER} .weather-line .weather-temperature"])
    assert sizes[0] > sizes[1], sizes
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert tab.js(top, f"{WEATHER} {LEAD}") < tab.js(top, f"{WEATHER} .weather-line")
    assert tab.js("return document.documentElement.scrollWidth <= innerWidth")
    assert axe.violations(tab) == []


def test_a_trip_that_is_over_shows_what_it_was_like(open_tab):
    tab = open_trip(open_tab, -30, 4)
    wait_for_days(tab)
    assert len(tab.all(f"{DAY}[data-kind=observed][data-state=loaded]")) == 5
    assert "°C" in tab.text(f"{WEATHER} {LEAD}")
    assert "This trip is over." in tab.text(WEATHER)


def test_days_that_are_late_come_by_themselves(open_tab, stand_in):
    stand_in.misbehave(archive=LATE)
    tab = open_trip(open_tab, 90, 3)
    screens.mark(tab)
    assert len(tab.all(f"{DAY}[data-state=loading]")) == 4
    assert "being asked for" in tab.text(DAY)
    tab.wait(lambda: len(tab.all(f"{DAY}[data-state=loaded]")) == 4, what="the days")
    assert screens.is_same_document(tab)
    about_bergen = [one for one in stand_in.requests() if one["route"] == "archive" and "latitude=60.39" in one["target"]]
    assert len(about_bergen) == 1
    assert tab.find(WEATHER).get_attribute("aria-busy") is None


def asked(tab):
    return tab.js("return performance.getEntriesByType('resource').filter(({ name }) => /\\/trips\\/[^/]+\\/weather/.test(name)).length")


def test_a_card_that_goes_asks_no_more(open_tab, stand_in):
    stand_in.misbehave(archive={"kind": "never-answer"})
    tab = open_trip(open_tab, 90, 3)
    tab.wait(lambda: asked(tab) == 1, what="one more question")
    tab.js("document.querySelector(arguments[0]).remove()", WEATHER)
    tab.stays(lambda: asked(tab) == 1, 3.0, "no question")


def test_without_script_a_reload_brings_the_days(open_tab, stand_in):
    stand_in.misbehave(archive=LATE)
    tab = open_tab("/")
    trip = screens.keep(tab, "Bergen", ahead=90)
    plain = tab.profile.tab(script=False)
    plain.site = tab.site
    plain.go(f"/trips/{trip['id']}")
    assert "being asked for" in plain.text(DAY)

    def reloaded():
        plain.reload()
        return "usually" in plain.text(DAY)

    plain.wait(reloaded, what="the days after a reload")


def test_the_preview_is_of_the_plans_days(open_tab):
    tab = open_tab("/")
    screens.open_planner(tab)
    tab.set(f"{ADD} [name=start]", screens.day(90))
    tab.set(f"{ADD} [name=nights]", "4")
    tab.set(screens.CITY, "Bergen")
    tab.wait_text(f"{PREVIEW} {LEAD}", "usually")
    # Other days are asked for once typing pauses, and the city's line stays meanwhile.
    first = tab.text(f"{PREVIEW} {LEAD}")
    tab.set(f"{ADD} [name=start]", screens.day(5))
    assert tab.has(f"{PREVIEW} {LOADED}")
    tab.wait(lambda: tab.has(f"{PREVIEW} {LEAD}") and tab.text(f"{PREVIEW} {LEAD}") not in (first, "")
             and "usually" not in tab.text(f"{PREVIEW} {LEAD}"), what="the weather of the new days")
    # A date that is none leaves the weather of now.
    tab.set(f"{ADD} [name=nights]", "")
    tab.wait(lambda: tab.has(f"{PREVIEW} {LOADED}") and not tab.has(f"{PREVIEW} {LEAD}"), what="the line alone")


def test_the_overview_has_the_next_trip_first(open_tab):
    tab = open_tab("/")
    for city, ahead in (("Lisbon", -30), ("Oslo", -2), ("Kyoto", 1), ("Bergen", 90)):
        screens.keep(tab, city, ahead=ahead)
    tab.reload()
    order = ["Oslo", "Kyoto", "Seattle", "Vancouver", "San Pedro de Atacama", "Bergen", "Lisbon"]
    assert tab.texts(CITIES) == order
    assert tab.texts(f"{STRIP} li a bdi") == order
    assert tab.texts(f"{screens.LIST} h3") == ["Under way", "Upcoming", "Over"]
    assert tab.texts(f"{screens.LIST} .trip-when") == [
        "under way", "tomorrow", "in 6 days", "in 20 days", "in 45 days", "in 90 days", "over"]
    assert tab.texts(f"{screens.LIST} .trip-example") == ["Example"] * 3
    tab.wait(lambda: tab.has(f'{STRIP} [data-id="example-seattle"] {LEAD}'), what="the trip's own weather in the strip")
    assert axe.violations(tab) == []


@pytest.mark.failed_answers
def test_a_refresh_of_the_overview_is_one_question(open_tab, stand_in):
    tab = open_tab("/")
    tab.wait(lambda: len(tab.all(f"{STRIP} {LOADED}")) == 3, what="three lines of weather")
    before = stand_in.counts()["forecast"]
    # refresh.atMostEvery is a second here.
    tab.stays(lambda: True, 1.2)
    sent = "return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/weather')).map(({ name }) => name)"
    known = len(tab.js(sent))
    tab.click(REFRESH)
    tab.wait_text("#status", "up to date")
    assert stand_in.counts()["forecast"] == before + 1
    assert len(tab.js(sent)) == known + 1
    # If none of them can be had, what is shown stays and says so.
    stand_in.misbehave(forecast={"kind": "status", "status": 500})
    tab.stays(lambda: True, 1.2)
    tab.click(REFRESH)
    tab.wait(lambda: len(tab.all(f"{STRIP} .weather-updated[data-stale=error]")) == 3, what="three old lines")
