"""Whoever wants to be forgotten is."""

import pytest

import screens


def cookies(tab):
    return [cookie["name"] for cookie in tab.use().get_cookies()]


@pytest.mark.failed_answers
def test_forgetting_removes_trips_shares_and_the_cookie(open_tab, new_profile):
    tab = open_tab("/")
    trip = screens.keep(tab, "Bergen")
    _, answer = screens.ask(tab, "POST", f"/api/trips/{trip['id']}/share", {"Accept": "application/json"})
    address = answer.split('"')[3]
    other = open_tab(address, profile=new_profile())
    assert other.text("h1") == "Bergen"

    tab.go("/")
    assert "traveller" in cookies(tab)
    tab.click("a[href^='/forget']")
    tab.wait_text("main", "Forget my trips?")
    tab.click("main button.danger")
    tab.wait(lambda: tab.path == "/", what="the overview")
    assert "traveller" not in cookies(tab)
    assert tab.texts(screens.CITIES) == screens.EXAMPLES
    tab.go(f"/trips/{trip['id']}")
    assert tab.text("main h1") == "This trip is gone"
    other.reload()
    assert other.text("main h1") == "This trip is gone"


def test_cancel_forgets_nothing(open_tab):
    tab = open_tab("/")
    screens.keep(tab, "Bergen")
    tab.go("/forget")
    tab.click("main a.cancel")
    tab.wait(lambda: "Bergen" in tab.texts(screens.CITIES), what="the trip in the list")
