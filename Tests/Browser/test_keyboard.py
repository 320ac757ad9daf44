"""With the keyboard alone: plan, add, open, delete."""

from datetime import date

from selenium.webdriver.common.keys import Keys

import screens
from screens import CITIES


def tab_to(tab, selector, most=80):
    """Presses the Tab key until the focus is there, and sees that the focus can be seen on the way."""
    for _ in range(most):
        tab.press(Keys.TAB)
        focused = tab.focused()
        if tab.js("return arguments[0].matches(arguments[1])", focused, selector):
            assert tab.js("""
                const style = getComputedStyle(arguments[0]);
                return style.outlineStyle !== "none" || style.boxShadow !== "none";
            """, focused), f"the focus on {selector} cannot be seen"
            return focused
    raise AssertionError(f"{selector} was not reached with {most} presses of the Tab key on {tab.path}")


def test_a_trip_is_planned_added_opened_and_deleted(open_tab):
    tab = open_tab("/")
    tab.wait(screens.loaded(screens.STRIP))
    tab_to(tab, "details#planner > summary")
    tab.press(Keys.ENTER)
    tab.wait(screens.CITY)
    tab_to(tab, "[name=city]")
    tab.press("Bergen")
    tab.wait(screens.loaded(screens.PREVIEW))
    tab_to(tab, "[name=country]")
    tab.press("Norway")
    tab_to(tab, "[name=start]")
    # The first of January is written the same in every order of day and month.
    tab.press(f"0101{date.today().year + 1}")
    tab_to(tab, "[name=nights]")
    tab.press(Keys.ARROW_UP)
    tab_to(tab, "button.primary")
    tab.press(Keys.SPACE)
    tab.wait(lambda: "Bergen" in tab.texts(CITIES), what="Bergen in the list")

    trip = next(li for li in tab.all(f"{screens.LIST} li.trip") if "Bergen" in li.text).get_attribute("data-id")
    tab_to(tab, f"li[data-id='{trip}'] a.trip-link")
    tab.press(Keys.ENTER)
    tab.wait_text("h1", "Bergen")

    tab_to(tab, "a.delete")
    tab.press(Keys.ENTER)
    tab.wait_text("section.confirm", "Delete Bergen?")
    tab_to(tab, "section.confirm button.danger")
    tab.press(Keys.ENTER)
    tab.wait(lambda: tab.path == "/", what="the overview")
    tab.wait(lambda: tab.texts(CITIES) == screens.EXAMPLES, what="the examples alone")


def test_escape_takes_the_question_away_and_the_focus_back(open_tab):
    tab = open_tab(screens.SEATTLE)
    tab.wait(screens.loaded(screens.WEATHER))
    tab_to(tab, "a.delete")
    tab.press(Keys.ENTER)
    tab.wait_text("section.confirm", "Delete Seattle?")
    tab.press(Keys.ESCAPE)
    tab.wait_gone("section.confirm")
    assert tab.js("return document.activeElement.matches('a.delete')")


def test_an_answer_does_not_take_the_focus_away(open_tab, stand_in):
    tab = open_tab(screens.SEATTLE)
    tab.wait(screens.loaded(screens.WEATHER))
    tab_to(tab, "a.refresh, button.refresh")
    asked = stand_in.counts()["forecast"]

    def refreshed():
        tab.press(Keys.ENTER)
        return stand_in.counts()["forecast"] > asked

    tab.wait(refreshed, what="another question")
    tab.wait(lambda: tab.find(screens.WEATHER).get_attribute("aria-busy") is None, what="an answer")
    assert tab.js("return document.activeElement.matches('a.refresh, button.refresh')")
