"""Without the program a page still stands, says what is wrong, and gets well again."""

import pytest

import axe
import screens
from screens import LOADED, RETRY, SEATTLE, WEATHER

pytestmark = pytest.mark.failed_answers


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
@pytest.mark.parametrize("address", ["/", SEATTLE, f"{SEATTLE}/edit", f"{SEATTLE}/delete", "/forget"])
def test_the_page_shows_what_stands_in(site, open_tab, address, script):
    site.stop_program()
    tab = open_tab(address, script=script)
    said = tab.text("main")
    assert "can't be shown just now" in said, said
    assert "Bad Gateway" not in tab.text() and "an error occurred" not in tab.text()
    assert tab.sees(f"main {RETRY}"), "there is no Retry"


@pytest.mark.parametrize("address", ["/", SEATTLE, f"{SEATTLE}/edit", "/forget"])
def test_what_stands_in_speaks_one_language(site, open_tab, address):
    site.stop_program()
    words = {"en": "Retry", "de": "Erneut versuchen"}
    for language, other in (("en", "de"), ("de", "en")):
        said = open_tab(address, language=language).text("main")
        assert words[language] in said and words[other] not in said, said


def test_once_the_program_is_back_retry_brings_everything(site, open_tab):
    site.stop_program()
    tab = open_tab(SEATTLE)
    tab.wait(f"main {RETRY}")
    site.start_program()

    def retried():
        if not tab.sees("h1.pass-city") and tab.sees(f"main {RETRY}"):
            tab.click(f"main {RETRY}")
        elif tab.sees(f"{WEATHER} {RETRY}"):
            tab.click(f"{WEATHER} {RETRY}")
        return tab.sees("h1.pass-city") and tab.sees(f"{WEATHER} {LOADED}")

    tab.wait(retried, what="the trip and its weather")


@pytest.mark.whole_chromium
def test_a_trip_that_cannot_be_saved_is_not_lost(site, open_tab):
    tab = open_tab("/")
    screens.open_planner(tab)
    tab.fill(screens.CITY, "Bergen")
    tab.wait(f"{screens.PREVIEW} {LOADED}")
    site.stop_program()
    tab.click(screens.ADD_BUTTON)
    tab.wait_text("main", "may not have been saved")
    site.start_program()
    tab.back()
    screens.open_planner(tab)
    assert tab.value(screens.CITY) == "Bergen"
    tab.click(screens.ADD_BUTTON)
    tab.wait(lambda: "Bergen" in tab.texts(screens.CITIES), what="Bergen in the list")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_stands_in_is_accessible(site, open_tab, dark):
    site.stop_program()
    for address in ("/", SEATTLE):
        axe.assert_accessible(open_tab(address, dark=dark), f"{address} without the program")
