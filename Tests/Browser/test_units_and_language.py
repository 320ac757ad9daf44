"""°C or °F is remembered; the page speaks the browser's language."""

import re

import pytest

import screens
from screens import LOADED, SEATTLE, STRIP, WEATHER


def unit(tab, within):
    tab.wait(f"{within} {LOADED}")
    return set(re.findall(r"°[CF]", tab.text(f"{within} .weather-line")))


def choose(tab, unit):
    """Presses the switch, whatever it is made of."""
    pressed = tab.js("""
        const to = arguments[0];
        const made = document.querySelector(`input[name=units][value=${to}], a[href*="to=${to}"], button[value=${to}]`);
        made?.click();
        return made !== null;
    """, unit)
    assert pressed, f"there is no switch to {unit} on {tab.path}"


def test_the_unit_is_remembered_over_reloads_and_pages(open_tab):
    tab = open_tab("/")
    assert unit(tab, STRIP) == {"°C"}
    screens.mark(tab)
    choose(tab, "imperial")
    tab.wait(lambda: unit(tab, STRIP) == {"°F"}, what="°F in the strip")
    assert screens.is_same_document(tab)
    tab.reload()
    assert unit(tab, STRIP) == {"°F"}
    tab.go(SEATTLE)
    assert unit(tab, WEATHER) == {"°F"}
    choose(tab, "metric")
    tab.wait(lambda: unit(tab, WEATHER) == {"°C"}, what="°C on the card")
    tab.go("/")
    assert unit(tab, STRIP) == {"°C"}


def test_another_tab_has_the_unit_too(open_tab):
    tab = open_tab("/")
    unit(tab, STRIP)
    choose(tab, "imperial")
    tab.wait(lambda: unit(tab, STRIP) == {"°F"}, what="°F in the strip")
    assert unit(open_tab(SEATTLE), WEATHER) == {"°F"}


def test_a_browser_from_the_united_states_starts_with_fahrenheit(open_tab):
    assert unit(open_tab(SEATTLE, language="en-US"), WEATHER) == {"°F"}


@pytest.mark.parametrize("address, words", [
    ("/", ["Ihre Reisen", "Stadt"]),
    (SEATTLE, ["Hinreise", "Nächte aller Reisen", "Alle Reisen", "Ortszeit"]),
    (f"{SEATTLE}/edit", ["Speichern", "Abbrechen"]),
    (f"{SEATTLE}/delete", ["Seattle löschen?", "Das lässt sich nicht rückgängig machen."]),
    ("/forget", ["Meine Reisen vergessen?"]),
])
def test_a_german_browser_gets_german_pages(open_tab, address, words):
    tab = open_tab(address, language="de")
    assert tab.js("return document.documentElement.lang") == "de"
    if address == "/":
        screens.open_planner(tab)
    for wanted in words:
        tab.wait_text("body", wanted)
    english = {"Your trips", "City", "Country", "Departure", "Save", "Cancel", "Delete", "Refresh the weather", "Share", "All trips",
               "Plan a trip", "Close the planner", "Forget my trips"}
    left = [text for text in tab.texts("button, a, label, h1, h2, summary, legend") if text in english]
    assert not left, f"English on a German page: {left}"


def test_german_weather_comes_with_a_german_page_and_stays_german(open_tab):
    tab = open_tab(SEATTLE, language="de")
    tab.wait(f"{WEATHER} {LOADED}")
    said = tab.text(WEATHER)
    assert "Aktualisiert" in said or "Luftfeuchtigkeit" in said or "Gefühlt" in said, said
    choose(tab, "imperial")
    tab.wait(lambda: unit(tab, WEATHER) == {"°F"}, what="°F on the card")
    assert tab.find(f"{WEATHER} [lang]").get_attribute("lang") == "de"


def test_a_language_in_the_address_wins(open_tab):
    tab = open_tab("/?lang=de")
    assert tab.js("return document.documentElement.lang") == "de"
    assert "Ihre Reisen" in tab.text()
