"""Who chooses one of two places of a name gets that one's weather, today and after a restart."""

import json

import screens
from screens import ADD_BUTTON, CITY, LOADED, PREVIEW

MAINE, OREGON = 43.66, 45.52


def latitude(tab, address):
    status, text = screens.ask(tab, "GET", f"/api{address}")
    assert status == 200, text
    return round(json.loads(text)["place"]["latitude"], 2)


def choose(tab, region):
    """Types Portland, and chooses the one in a region with the mouse."""
    screens.open_planner(tab)
    tab.find(CITY).send_keys("Portland")
    tab.wait(lambda: any(region in text for text in tab.texts("[role=option]")), what=f"a Portland in {region}")
    at = next(index for index, text in enumerate(tab.texts("[role=option]"), 1) if region in text)
    tab.click(f"[role=option]:nth-child({at})")
    tab.wait(lambda: tab.value(CITY) == "Portland", what="Portland in the field")
    tab.wait(f"{PREVIEW} {LOADED}")


def add(tab):
    tab.wait(lambda: tab.find(ADD_BUTTON).is_enabled(), what="a button that can be pressed")
    tab.click(ADD_BUTTON)
    tab.wait(lambda: "Portland" in tab.texts(screens.CITIES), what="Portland among the trips")
    status, text = screens.ask(tab, "GET", "/api/trips")
    assert status == 200, text
    return next(f"/trips/{trip['id']}/weather" for trip in json.loads(text)["trips"] if trip["city"] == "Portland")


def test_portland_in_maine_is_still_there_after_a_restart(site, open_tab):
    tab = open_tab("/")
    choose(tab, "Maine")
    address = add(tab)
    assert latitude(tab, address) == MAINE
    site.stop_program()
    site.start_program()
    tab.go(address.removesuffix("/weather"))
    tab.wait(f"{screens.WEATHER} {LOADED}")
    assert latitude(tab, address) == MAINE


def test_a_name_that_is_typed_again_is_no_longer_the_chosen_place(open_tab):
    tab = open_tab("/")
    choose(tab, "Maine")
    tab.fill(CITY, "Portland")
    tab.wait(f"{PREVIEW} {LOADED}")
    assert latitude(tab, add(tab)) == OREGON
