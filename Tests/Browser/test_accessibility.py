"""axe finds nothing wrong with any page in any state, in light and in dark."""

import pytest

import axe
import screens
from screens import FAILED, LOADED, SEATTLE, WEATHER
from trips_site import PATIENT

pytestmark = [pytest.mark.failed_answers, pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])]
BROKEN = {"kind": "status", "status": 500}


def test_the_overview(open_tab, dark):
    tab = open_tab("/", dark=dark)
    tab.wait(screens.loaded(screens.STRIP))
    axe.assert_accessible(tab, "the overview")
    screens.open_planner(tab)
    axe.assert_accessible(tab, "the open planner")
    tab.find(screens.CITY).send_keys("Vancouver")
    tab.wait("[role=option]")
    axe.assert_accessible(tab, "the planner with suggestions")
    tab.wait(f"{screens.PREVIEW} {LOADED}")
    axe.assert_accessible(tab, "the planner with weather")


def test_a_trip_and_its_forms(open_tab, dark):
    tab = open_tab(SEATTLE, dark=dark)
    tab.wait(f"{WEATHER} {LOADED}")
    axe.assert_accessible(tab, "a trip")
    tab.click(f"{screens.CARD} form.share button")
    tab.wait(f"{screens.CARD} .share-link a")
    axe.assert_accessible(tab, "a trip that is shared")
    shared = tab.find(f"{screens.CARD} .share-link a").get_attribute("href")
    tab.click(f"{screens.CARD} a.delete")
    tab.wait_text("section.confirm", "Delete Seattle?")
    axe.assert_accessible(tab, "the question before deleting, over the trip")
    for address, what in ((f"{SEATTLE}/edit", "the edit form"), (f"{SEATTLE}/delete", "the question before deleting"),
                          ("/forget", "the question before forgetting"), (shared, "a shared trip")):
        tab.go(address)
        tab.wait("main h1, main form")
        axe.assert_accessible(tab, what)


def test_what_is_wrong_with_a_form(open_tab, dark):
    tab = open_tab(f"{SEATTLE}/edit", dark=dark)
    tab.js("document.querySelector(arguments[0]).noValidate = true", screens.EDIT)
    tab.set(f"{screens.EDIT} [name=nights]", "61")
    tab.click(f"{screens.EDIT} button.primary")
    tab.wait("[aria-invalid=true]")
    axe.assert_accessible(tab, "a form with a fault")


def test_two_versions(open_tab, dark):
    first, second = open_tab(f"{SEATTLE}/edit", dark=dark), open_tab(f"{SEATTLE}/edit", dark=dark)
    for tab, price in ((first, "2000"), (second, "3000")):
        tab.set(f"{screens.EDIT} [name=price]", price)
        tab.click(f"{screens.EDIT} button.primary")
    second.wait_text("main", "was changed meanwhile")
    axe.assert_accessible(second, "two versions of a trip")


def test_a_trip_that_is_gone(open_tab, dark):
    axe.assert_accessible(open_tab("/trips/abcdefghijklmnopqrstuvwxyz", dark=dark), "a trip that is gone")


def test_failed_and_old_weather(open_tab, stand_in, dark):
    stand_in.misbehave(forecast=BROKEN)
    tab = open_tab(SEATTLE, dark=dark)
    tab.wait(f"{WEATHER} {FAILED} .retry")
    axe.assert_accessible(tab, "failed weather")
    stand_in.behave()

    def retried():
        if tab.sees(f"{WEATHER} {FAILED} .retry"):
            tab.click(f"{WEATHER} .retry")
        return tab.sees(f"{WEATHER} {LOADED}")

    tab.wait(retried, what="weather")
    stand_in.misbehave(forecast=BROKEN)

    def old():
        tab.click(screens.REFRESH)
        return tab.sees(f"{WEATHER} [data-stale]")

    tab.wait(old, what="old weather")
    axe.assert_accessible(tab, "old weather")


@pytest.mark.configured(PATIENT)
def test_weather_that_is_loading(open_tab, stand_in, dark):
    stand_in.misbehave(forecast={"kind": "never-answer"})
    tab = open_tab(SEATTLE, dark=dark)
    tab.wait(f"{WEATHER} {screens.LOADING}")
    axe.assert_accessible(tab, "weather that is loading")


def test_no_trips(open_tab, dark):
    tab = open_tab("/", dark=dark)
    for name in ("example-seattle", "example-vancouver", "example-san-pedro-de-atacama"):
        tab.go(f"/trips/{name}/delete")
        tab.click("section.confirm button.danger")
        tab.wait(lambda: tab.path == "/", what="the overview")
    tab.wait(".trips-none")
    axe.assert_accessible(tab, "the overview without trips")
