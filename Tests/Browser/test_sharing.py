"""A shared trip can be read by whoever has the address, and by nobody once it isn't shared any more."""

import json

import pytest

import screens
from screens import CARD


def share(tab):
    """Shares the trip that the tab shows; answers with the address, as a path."""
    tab.click(f"{CARD} form.share button")
    link = tab.wait(f"{CARD} .share-link a")
    return link.get_attribute("href").removeprefix(tab.site)


@pytest.fixture
def mine(open_tab):
    tab = open_tab("/")
    trip = screens.keep(tab, "Bergen", country="Norway", price=2500)
    tab.go(f"/trips/{trip['id']}")
    tab.trip = trip
    return tab


def test_another_person_reads_a_shared_trip(mine, open_tab, new_profile):
    address = share(mine)
    assert address.startswith("/shared/") and mine.trip["id"] not in address
    other = open_tab(address, profile=new_profile())
    assert other.text("h1.pass-city") == "Bergen"
    assert "$2,500" in other.text("section.pass")
    other.wait(screens.loaded(screens.WEATHER))
    assert "Bergen" in other.text(f"{screens.WEATHER} .weather-line")
    # Nothing of the one who shares, and nothing to change.
    assert "over all trips" not in other.text()
    assert mine.trip["id"] not in other.js("return document.documentElement.outerHTML")
    assert not other.has("main form")


@pytest.mark.failed_answers
def test_another_person_changes_nothing(mine, open_tab, new_profile):
    address = share(mine)
    other = open_tab(address, profile=new_profile())
    key = address.rsplit("/", 1)[1]
    plan = json.dumps({"city": "Nairobi", "country": None, "start": screens.day(3), "nights": 1, "price": 0, "picture": None,
                       "favourite": False})
    writes = {"PUT": ("application/json", plan), "PATCH": ("application/merge-patch+json", '{"price": 0}'), "DELETE": (None, None)}
    for method, (kind, body) in writes.items():
        headers = {"Accept": "application/json", "If-Match": f'"{mine.trip["version"]}"', **({"Content-Type": kind} if kind else {})}
        for name in (key, mine.trip["id"]):
            status, _ = screens.ask(other, method, f"/api/trips/{name}", headers, body)
            assert status == 404, f"{method} /api/trips/{name} answered {status}"
        status, _ = screens.ask(other, method, f"/api/shared/{key}", headers, body)
        assert status in (404, 405), f"{method} /api/shared/… answered {status}"
    other.go(f"/trips/{mine.trip['id']}")
    assert other.text("main h1") == "This trip is gone"
    mine.reload()
    assert "$2,500" in mine.text("section.pass")


@pytest.mark.failed_answers
def test_what_is_no_longer_shared_is_gone(mine, open_tab, new_profile):
    address = share(mine)
    mine.click(f"{CARD} form.unshare button")
    mine.wait_gone(f"{CARD} .share-link")
    mine.wait(f"{CARD} form.share button")
    other = open_tab(address, profile=new_profile())
    assert other.text("main h1") == "This trip is gone"
    assert not other.sees("main trip-weather")


@pytest.mark.failed_answers
def test_sharing_again_makes_another_address(mine, open_tab):
    first = share(mine)
    mine.click(f"{CARD} form.unshare button")
    mine.wait(f"{CARD} form.share button")
    second = share(mine)
    assert first != second
    assert open_tab(first).text("main h1") == "This trip is gone"
    assert open_tab(second).text("h1") == "Bergen"
