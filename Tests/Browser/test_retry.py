"""Retry says when asking again will help, and works from then on."""

import pytest

from screens import FAILED, LOADED, RETRY

ELEMENT = "#tried"
SECTION = """<section class="weather" data-state="{state}"><div class="weather-card"><p class="weather-message">{state}</p>{more}</div></section>"""
LINK = '<p class="weather-retry"><a class="retry" href="" data-retry-after="{seconds}">Retry</a></p>'


@pytest.fixture
def tab(open_tab):
    """A page with an element whose answers are the test's: first a failure that names its seconds, then weather."""
    tab = open_tab("/forget")
    tab.js("""
        globalThis.asked = 0;
        const [failed, loaded] = arguments;
        globalThis.fetch = async () => new Response(
          (globalThis.asked += 1) === 1 ? failed : loaded, { headers: { "Content-Type": "text/html" } });
        const element = document.createElement("trip-weather");
        element.id = "tried";
        element.setAttribute("city", "Bergen");
        document.querySelector("main").append(element);
    """, SECTION.format(state="failed", more=LINK.format(seconds=3)), SECTION.format(state="loaded", more=""))
    tab.wait(f"{ELEMENT} {FAILED}")
    return tab


def test_it_counts_down_and_works_from_then_on(tab):
    link = tab.find(f"{ELEMENT} {RETRY}")
    assert link.get_attribute("aria-disabled") == "true" and link.text in ("Retry in 3 s", "Retry in 2 s")
    tab.click(f"{ELEMENT} {RETRY}")
    assert tab.js("return asked") == 1
    tab.wait(lambda: tab.text(f"{ELEMENT} {RETRY}") == "Retry in 1 s", what="the last second")
    tab.wait(lambda: tab.text(f"{ELEMENT} {RETRY}") == "Retry", what="a link that works")
    assert tab.find(f"{ELEMENT} {RETRY}").get_attribute("aria-disabled") is None
    tab.click(f"{ELEMENT} {RETRY}")
    tab.wait(f"{ELEMENT} {LOADED}")


def test_a_question_about_another_place_need_not_wait(tab):
    tab.js("document.querySelector(arguments[0]).setAttribute('city', 'Oslo')", ELEMENT)
    tab.wait(f"{ELEMENT} {LOADED}")


def test_the_elements_loaded_twice_stay_as_they_are(tab):
    assert tab.js_later("""
        const [done] = arguments;
        Promise.all(["trip-weather", "local-time"].map((name) => import(`/js/${name}.js?again`))).then(() => done("both"), (e) => done(String(e)));
    """) == "both"
