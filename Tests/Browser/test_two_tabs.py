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
