"""Each state of the weather card, in words and with what can be done about it."""

import re

import pytest

import screens
from screens import FAILED, LOADED, LOADING, REFRESH, RETRY, SEATTLE, UPDATED, WEATHER
from trips_site import PATIENT

BROKEN = {"kind": "status", "status": 500}


def state(name):
    return f"{WEATHER} {name}"


@pytest.mark.failed_answers
@pytest.mark.configured(PATIENT)
def test_while_it_loads_the_card_says_so_and_is_busy(stand_in, open_tab):
    # The page itself waits three seconds for its weather and no longer; then the element asks, and waits on.
    stand_in.misbehave(forecast={"kind": "delay", "milliseconds": 6000})
    tab = open_tab(SEATTLE)
    tab.wait(state(LOADING))
    assert "Asking about the weather…" in tab.text(WEATHER)
    assert tab.find(WEATHER).get_attribute("aria-busy") == "true"
    assert not tab.has(f"{WEATHER} {RETRY}")
    tab.wait(state(LOADED), limit=15)
    assert tab.find(WEATHER).get_attribute("aria-busy") is None
    assert "Asking about" not in tab.text(WEATHER)


def test_loaded_weather_has_its_line_its_days_and_its_date(open_tab):
    tab = open_tab(SEATTLE)
    tab.wait(state(LOADED))
    said = tab.text(WEATHER)
    assert re.search(r"Seattle, United States ?: -?\d+ ?°C", tab.text(f"{WEATHER} .weather-line")), said
    assert len(tab.all(f"{WEATHER} .weather-day")) == 5, "one day for each day of four nights"
    assert re.search(r"Updated \d\d:\d\d", said)
    assert "Open-Meteo.com" in said
    assert tab.sees(REFRESH)
    assert not tab.has(f"{WEATHER} {RETRY}")


def test_weather_that_the_page_came_with_is_not_asked_for_again(stand_in, open_tab):
    tab = open_tab(SEATTLE)
    tab.wait(state(LOADED))
    tab.stays(lambda: stand_in.counts()["forecast"] == 1, 1.5, "one question")
    assert tab.js("return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/weather')"
                  " && name.includes('/api/')).length") == 0


@pytest.mark.failed_answers
def test_failed_weather_says_why_and_retries_without_a_reload(stand_in, open_tab):
    stand_in.misbehave(forecast=BROKEN)
    tab = open_tab(SEATTLE)
    tab.wait(f"{state(FAILED)} {RETRY}")
    assert len(tab.text(f"{WEATHER} .weather-message")) > 20
    # It may count the seconds first in which asking again can't help.
    tab.wait(lambda: tab.text(f"{WEATHER} {RETRY}") == "Retry", what="Retry to be usable")
    screens.mark(tab)
    stand_in.behave()

    def retried():
        # The failure is remembered for a second, in which Retry counts down and can't be pressed.
        if tab.sees(f"{state(FAILED)} {RETRY}") and tab.text(f"{WEATHER} {RETRY}") == "Retry":
            tab.click(f"{WEATHER} {RETRY}")
        return tab.sees(state(LOADED))

    tab.wait(retried, what="loaded weather after Retry")
    assert screens.is_same_document(tab)


@pytest.mark.failed_answers
def test_a_refresh_that_fails_keeps_the_weather_and_says_how_old_it_is(stand_in, open_tab):
    tab = open_tab(SEATTLE)
    tab.wait(state(LOADED))
    screens.mark(tab)
    line = tab.text(f"{WEATHER} .weather-line")
    stand_in.misbehave(forecast=BROKEN)

    def refreshed():
        tab.click(REFRESH)
        # Whatever happens meanwhile, the weather stands.
        assert tab.text(f"{WEATHER} .weather-line") == line
        return tab.sees(f"{WEATHER} {UPDATED}[data-stale]")

    tab.wait(refreshed, what="a card that says it is old")
    said = tab.text(f"{WEATHER} {UPDATED}")
    assert re.search(r"\d\d:\d\d", said) and "could not be refreshed" in said, said
    assert tab.text(f"{WEATHER} .weather-line") == line
    assert tab.sees(f"{WEATHER} {UPDATED} {RETRY}")

    stand_in.behave()

    def recovered():
        if tab.sees(f"{WEATHER} {RETRY}") and tab.text(f"{WEATHER} {RETRY}") == "Retry":
            tab.click(f"{WEATHER} {RETRY}")
        return tab.sees(state(LOADED)) and not tab.has(f"{WEATHER} {UPDATED}[data-stale]")

    tab.wait(recovered, what="fresh weather")
    assert screens.is_same_document(tab)
    assert "could not be refreshed" not in tab.text(WEATHER)


@pytest.mark.failed_answers
def test_a_place_that_nobody_knows_is_named_and_saving_still_works(open_tab):
    tab = open_tab("/")
    trip = screens.keep(tab, "Hogsmeade")
    tab.go(f"/trips/{trip['id']}")
    tab.wait_text(WEATHER, "Open-Meteo knows no place called Hogsmeade.")
    assert tab.text(screens.PASS).count("Hogsmeade") >= 1
    # Without a place there is no zone, and so no time.
    assert not re.search(r"\d\d:\d\d:\d\d", tab.text(screens.PASS))


def test_the_refresh_asks_again_and_the_weather_stands_meanwhile(stand_in, open_tab):
    tab = open_tab(SEATTLE)
    tab.wait(state(LOADED))
    asked = stand_in.counts()["forecast"]
    stand_in.misbehave(forecast={"kind": "delay", "milliseconds": 600})

    def asks():
        tab.click(REFRESH)
        assert tab.sees(state(LOADED))
        return stand_in.counts()["forecast"] > asked

    tab.wait(asks, what="another question")
    tab.wait(lambda: tab.find(WEATHER).get_attribute("aria-busy") is None, what="an answer")
    assert tab.sees(state(LOADED))
