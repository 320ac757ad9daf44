"""Nothing jumps while it loads, and nothing is wider than the smallest phone."""

import pytest

import screens
from trips_site import PATIENT

# Slower than a page waits for its fragments, and all at once.
SLOW = {"kind": "delay", "milliseconds": 3600}
AT_ONCE = {**PATIENT, "upstream.transfersAtOnce": 4}
MOST = 0.02


def assert_still(tab):
    tab.painted()
    shift, moved = tab.shift()
    assert shift < MOST, f"things moved by {shift:.3f}:\n{moved}"


@pytest.mark.failed_answers
@pytest.mark.configured(AT_ONCE)
@pytest.mark.parametrize("width", [1280, 390])
def test_the_overview_does_not_jump_with_slow_weather(stand_in, open_tab, width):
    stand_in.misbehave(forecast=SLOW)
    tab = open_tab("/", width=width)
    tab.wait(lambda: len(tab.all(screens.loaded(screens.STRIP))) == 3, limit=15, what="three lines of weather")
    assert_still(tab)


@pytest.mark.failed_answers
@pytest.mark.configured(AT_ONCE)
@pytest.mark.parametrize("width", [1280, 390])
def test_a_trip_does_not_jump_with_slow_weather(stand_in, open_tab, width):
    stand_in.misbehave(forecast=SLOW)
    tab = open_tab(screens.SEATTLE, width=width)
    tab.wait(screens.loaded(screens.WEATHER), limit=15)
    assert_still(tab)


def assert_fits(tab, what):
    excess, wide = tab.js("""
        const width = document.documentElement.clientWidth;
        const range = document.createRange();
        const isWide = (node) => {
          range.selectNode(node);
          return [...range.getClientRects()].some((box) => box.width > 1 && box.right > width + 1);
        };
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
        const wide = [];
        while (walker.nextNode()) {
          const node = walker.currentNode;
          if (isWide(node)) wide.push(node.outerHTML?.slice(0, 120) ?? `${node.parentNode.className}: ${node.data.slice(0, 80)}`);
        }
        return [document.documentElement.scrollWidth - width, wide];
    """)
    assert excess <= 0, f"{what} is {excess} px too wide: {wide[-3:]}"


@pytest.mark.parametrize("language", ["en", "de"])
def test_nothing_is_wider_than_the_smallest_phone(open_tab, language):
    tab = open_tab("/", width=320, touch=True, language=language)
    tab.wait(screens.loaded(screens.STRIP))
    assert tab.js("return innerWidth") == 320
    assert_fits(tab, "the overview")
    screens.open_planner(tab)
    tab.fill(screens.CITY, "Bergen")
    tab.wait(screens.loaded(screens.PREVIEW))
    assert_fits(tab, "the open planner")
    trip = screens.keep(tab, "San Pedro de Atacama", nights=14)
    for address in (f"/trips/{trip['id']}", f"/trips/{trip['id']}/edit", f"/trips/{trip['id']}/delete", "/forget"):
        tab.go(address)
        assert_fits(tab, address)


LONG = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"


@pytest.mark.failed_answers
def test_a_long_name_fits_the_smallest_phone(open_tab):
    tab = open_tab("/", width=320, touch=True)
    long, before = screens.keep(tab, LONG, ahead=8), screens.keep(tab, "Bergen", ahead=7)
    tab.go(f"/trips/{before['id']}")
    assert LONG in tab.text(f"{screens.CARD} .trip-next")
    assert_fits(tab, "the trip before")
    tab.go(f"/trips/{long['id']}")
    tab.wait_text(screens.WEATHER, LONG)
    assert_fits(tab, "the trip itself")


@pytest.mark.failed_answers
def test_a_pass_without_a_local_time_keeps_its_perforation_away(open_tab):
    tab = open_tab("/", width=390)
    trip = screens.keep(tab, "Hogsmeade")
    tab.go(f"/trips/{trip['id']}")
    assert not tab.has(f"{screens.PASS} local-time")
    gap = tab.js("""
        const pass = document.querySelector("section.pass");
        const range = document.createRange();
        range.selectNodeContents(pass.querySelector(".pass-city"));
        return pass.querySelector(".pass-facts").getBoundingClientRect().top - range.getBoundingClientRect().bottom;
    """)
    assert gap >= 16, f"the name stands {gap:.0f} px above the perforation"


def test_words_twice_as_large_fit_a_desk(open_tab):
    # 200 % zoom on 1280 px is a page of 640 px at twice the density.
    tab = open_tab("/", width=640, height=450)
    tab.wait(screens.loaded(screens.STRIP))
    assert_fits(tab, "the overview")
    assert_fits(tab.go(screens.SEATTLE), "a trip")
