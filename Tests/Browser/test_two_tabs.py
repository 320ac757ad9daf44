"""Two tabs of one person never overwrite each other unseen."""

import json

import pytest

import screens
from screens import EDIT, FAVOURITE

pytestmark = pytest.mark.failed_answers


@pytest.fixture
def trip(open_tab):
    return screens.keep(open_tab("/"), "Bergen", country="Norway", price=1000, nights=3)


def save(tab, **fields):
    for name, value in fields.items():
        tab.set(f"{EDIT} [name={name}]", value)
    tab.click(f"{EDIT} button.primary")


def kept(tab, trip):
    status, text = screens.ask(tab, "GET", f"/api/trips/{trip['id']}", {"Accept": "application/json"})
    assert status == 200, text
    return json.loads(text)


def test_the_second_to_save_sees_both_versions(open_tab, trip):
    first, second = open_tab(f"/trips/{trip['id']}/edit"), open_tab(f"/trips/{trip['id']}/edit")
    save(first, price="2000")
    first.wait(screens.PASS)
    save(second, price="3000")
    second.wait_text("main", "Bergen was changed meanwhile")
    said = second.text("main")
    assert "$2,000" in said and "$3,000" in said, said
    assert kept(first, trip)["price"] == 2000, "the first tab's change was overwritten"
    assert second.find("form").is_displayed()


def test_having_seen_both_the_second_can_save_its_own(open_tab, trip):
    first, second = open_tab(f"/trips/{trip['id']}/edit"), open_tab(f"/trips/{trip['id']}/edit")
    save(first, price="2000")
    first.wait(screens.PASS)
    save(second, price="3000")
    second.wait_text("main", "was changed meanwhile")
    button = next(b for b in second.all("main form button") if b.text == "Save mine")
    button.click()
    second.wait(screens.PASS)
    assert kept(first, trip)["price"] == 3000


def test_an_old_favourite_button_overwrites_nothing_unseen(open_tab, trip):
    first, second = open_tab(f"/trips/{trip['id']}"), open_tab(f"/trips/{trip['id']}/edit")
    save(second, price="2000")
    second.wait(screens.PASS)
    first.click(FAVOURITE)
    first.wait(lambda: "changed" in first.text("[role=alert]"), what="a word about the change")
    assert first.find(FAVOURITE).get_attribute("aria-pressed") == "false"
    assert kept(first, trip)["price"] == 2000


def test_a_trip_that_is_gone_cannot_be_saved_back(open_tab, trip):
    first, second = open_tab(f"/trips/{trip['id']}/delete"), open_tab(f"/trips/{trip['id']}/edit")
    first.click("section.confirm button.danger")
    first.wait(screens.LIST)
    save(second, price="3000")
    second.wait_text("main", "This trip is gone")
    assert "Bergen" not in open_tab("/").texts(screens.CITIES)


def test_a_write_without_a_version_is_refused(open_tab, trip):
    tab = open_tab("/")
    headers = {"Content-Type": "application/merge-patch+json", "Accept": "application/json"}
    status, _ = screens.ask(tab, "PATCH", f"/api/trips/{trip['id']}", headers, '{"price": 2000}')
    assert status == 428
    status, text = screens.ask(tab, "PATCH", f"/api/trips/{trip['id']}", {**headers, "If-Match": '"0"'}, '{"price": 2000}')
    assert status == 412 and '"current"' in text
    assert kept(tab, trip)["price"] == 1000


def test_the_first_writes_of_a_visitor_in_two_tabs_belong_to_one(open_tab, stand_in):
    """The first brings the cookie; the second, sent from elsewhere meanwhile, waits for it."""
    first, second = open_tab("/"), open_tab("/trips/example-vancouver")
    assert second.has(f"{FAVOURITE}[aria-pressed=false]")
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 1500})
    first.js("""
        import("/js/writes.js").then(({ write }) => write("/api/trips", {
          method: "POST", headers: { "Content-Type": "application/json" }, body: arguments[0] }));
    """, json.dumps({"city": "Nairobi", "country": None, "start": screens.day(9), "nights": 2, "price": 0, "picture": None,
                     "favourite": False}))
    first.wait(lambda: stand_in.counts()["search"] > 0, what="the first write on its way")
    second.use()
    second.click(FAVOURITE)
    second.wait(f"{FAVOURITE}[aria-pressed=true]")
    first.reload()
    assert "Nairobi" in first.texts(screens.CITIES)
    favourites = [trip.text for trip in first.all(f"{screens.LIST} li.trip") if "Favourite" in trip.text]
    assert any("Vancouver" in trip for trip in favourites), "the favourite was somebody else's"


def test_a_form_that_the_browser_sends_waits_for_a_write_too(open_tab):
    first, second = open_tab("/"), open_tab("/")
    first.js("navigator.locks.request('trip-weather-write', () => new Promise((resolve) => { globalThis.finish = resolve; }))")
    screens.open_planner(second)
    second.fill(screens.CITY, "Bergen")
    screens.mark(second)
    second.click(screens.ADD_BUTTON)
    second.stays(lambda: screens.is_same_document(second), 0.8, "a form that waits")
    first.use()
    first.js("globalThis.finish()")
    second.use()
    second.wait(lambda: "Bergen" in second.texts(screens.CITIES), what="Bergen among the trips")
