"""The checks of every other test see what they are there for."""

import pytest

import axe
from browser import FAILED_ANSWER


@pytest.fixture
def trouble(_browser, open_tab):
    """What the console says of a script that the page runs."""
    def run(script, wanted):
        tab = open_tab("/")
        _browser.messages()
        tab.js(script)
        seen = []
        tab.wait(lambda: seen.extend(m["message"] for m in _browser.messages()) or any(wanted in m for m in seen),
                 what=f"{wanted!r} in the console")

    return run


def test_an_error_in_a_script_is_seen(trouble):
    trouble("setTimeout(() => { throw new Error('thrown on purpose') })", "thrown on purpose")


def test_a_forbidden_script_is_seen(trouble):
    trouble("document.head.append(Object.assign(document.createElement('script'), { textContent: '1' }))",
            "Content-Security-Policy: script-src-elem forbids inline")


def test_a_forbidden_picture_is_seen(trouble):
    trouble("new Image().src = 'http://example.com/x.png'", "Content-Security-Policy: img-src forbids http://example.com/x.png")


def test_a_file_that_is_not_there_is_seen(trouble):
    trouble("fetch('/nothing-here.json')", FAILED_ANSWER)


def test_axe_sees_a_field_without_a_name(open_tab):
    tab = open_tab("/")
    tab.js("document.querySelector('main').append(document.createElement('input'))")
    assert any(found.startswith("label:") for found in axe.violations(tab))


def test_axe_sees_pale_words(open_tab):
    tab = open_tab("/")
    tab.js("""const p = document.createElement('p');
              p.append('hardly seen'); p.style.color = '#ccc'; p.style.background = '#fff';
              document.querySelector('main').append(p)""")
    assert any(found.startswith("color-contrast:") for found in axe.violations(tab))


def test_a_shift_of_the_layout_is_measured(open_tab):
    tab = open_tab("/")
    tab.js("""const box = document.createElement('div');
              box.style.blockSize = '300px';
              document.body.prepend(box)""")
    tab.wait(lambda: tab.shift()[0] > 0.05, what="a layout shift")


def test_profiles_know_nothing_of_each_other(new_profile, open_tab):
    mine, other = open_tab("/"), open_tab("/", profile=new_profile())
    mine.js("document.cookie = 'whose=mine'; localStorage.whose = 'mine'")
    assert other.js("return [document.cookie, localStorage.whose ?? null]") == ["", None]
    assert open_tab("/").js("return localStorage.whose") == "mine"


def test_without_script_a_page_says_so_itself(open_tab):
    tab = open_tab("/", script=False)
    tab.go("data:text/html,<title>plain</title><noscript><p>no script</p></noscript><script>document.title = 'script'</script>")
    assert (tab.title, tab.text("p")) == ("plain", "no script")


def test_the_language_of_the_browser_is_what_a_test_asks_for(open_tab):
    assert open_tab("/", language="de").js("return navigator.languages") == ["de-DE", "de", "en"]
