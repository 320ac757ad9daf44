"""Pulling the page down on a touch screen asks for the weather again."""

import pytest

import screens
from screens import LOADED, SEATTLE, WEATHER


def pull(tab, distance, steps=12):
    """One finger from near the top, down by so many pixels."""
    def touch(kind, *points):
        tab.cdp("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": 180, "y": y} for y in points])

    touch("touchStart", 150)
    for step in range(1, steps + 1):
        touch("touchMove", 150 + distance * step / steps)
    touch("touchEnd")


def questions(tab):
    """The questions for this trip's weather that the page has sent."""
    return tab.js("return performance.getEntriesByType('resource').filter(({ name }) => /\\/trips\\/[^/]+\\/weather/.test(name)).length")


@pytest.fixture
def tab(open_tab):
    tab = open_tab(SEATTLE, width=390, height=800, touch=True)
    tab.wait(f"{WEATHER} {LOADED}")
    screens.mark(tab)
    return tab


def test_a_long_pull_asks_again_and_keeps_the_page(tab):
    before = questions(tab)
    pull(tab, 300)
    tab.wait(lambda: questions(tab) == before + 1, what="one question more")
    assert screens.is_same_document(tab)
    tab.wait(f"{WEATHER} {LOADED}")


def test_a_short_pull_asks_nothing(tab):
    before = questions(tab)
    pull(tab, 25)
    tab.stays(lambda: questions(tab) == before, 1, "no question")


def test_a_pull_in_the_middle_of_the_page_only_scrolls(tab):
    tab.js("window.scrollTo(0, 400)")
    before = questions(tab)
    pull(tab, 300)
    tab.stays(lambda: questions(tab) == before, 1, "no question")
