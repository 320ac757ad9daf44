"""Deleting asks first; what was deleted is gone, and says so."""

import pytest

import screens
from screens import CARD, SEATTLE

CONFIRM = "section.confirm"


@pytest.mark.failed_answers
def test_a_deleted_trip_is_gone_at_its_old_address(open_tab):
    tab = open_tab(SEATTLE)
    tab.click(f"{CARD} a.delete")
    tab.wait_text(CONFIRM, "Delete Seattle?")
    assert "This cannot be undone." in tab.text(CONFIRM)
    assert tab.texts(f"{CONFIRM} button, {CONFIRM} a") == ["Delete", "Cancel"]
    # What can't be undone is never a stray Enter away.
    assert not tab.js("return document.activeElement.matches('button.danger')")
    tab.click(f"{CONFIRM} button.danger")
    tab.wait(lambda: tab.path == "/", what="the overview")
    assert tab.texts(screens.CITIES) == ["Vancouver", "San Pedro de Atacama"]
    tab.go(SEATTLE)
    assert tab.text("main h1") == "This trip is gone"
    assert not tab.sees(screens.CARD) and not tab.sees("main trip-weather")
    tab.click("section.gone a")
    tab.wait(screens.LIST)
    assert tab.path == "/"


def test_cancel_deletes_nothing(open_tab):
    tab = open_tab(SEATTLE)
    tab.click(f"{CARD} a.delete")
    tab.wait_text(CONFIRM, "Delete Seattle?")
    tab.click(f"{CONFIRM} a.cancel")
    tab.wait_gone(CONFIRM)
    assert tab.path == SEATTLE
    assert tab.sees(CARD)
    tab.go("/")
    assert tab.texts(screens.CITIES) == screens.EXAMPLES


def test_the_question_is_a_page_of_its_own(open_tab):
    tab = open_tab(f"{SEATTLE}/delete")
    assert tab.text(f"{CONFIRM} h1") == "Delete Seattle?"
    assert tab.texts(f"{CONFIRM} button") == ["Delete"]


def test_after_the_last_trip_the_list_says_so(open_tab):
    tab = open_tab("/")
    for name in ("example-seattle", "example-vancouver", "example-san-pedro-de-atacama"):
        tab.go(f"/trips/{name}/delete")
        tab.click(f"{CONFIRM} button.danger")
        tab.wait(lambda: tab.path == "/", what="the overview")
    tab.wait(".trips-none")
    assert tab.texts(screens.CITIES) == []
    tab.reload()
    assert tab.sees(".trips-none"), "the examples came back"


@pytest.mark.failed_answers
@pytest.mark.parametrize("page", ["", "/edit", "/delete"])
def test_a_trip_that_never_was_is_gone_too(open_tab, page):
    tab = open_tab(f"/trips/abcdefghijklmnopqrstuvwxyz{page}")
    assert tab.text(".gone h1") == "This trip is gone"
    assert not tab.sees("main form")
