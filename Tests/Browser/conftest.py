"""What every test in a browser can ask for. Each test has a site, profiles and free ports of its own; the Chromium is shared."""

import shutil
import tempfile
from pathlib import Path

import pytest

import browser as browser_module
from processes import Keeper
from stand_in import REPOSITORY, StandIn
from trips_site import Site


def _folder():
    # Short, since a unix socket's path may have 107 bytes.
    return Path(tempfile.mkdtemp(prefix="tw-", dir="/tmp"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test shows what its programs said."""
    outcome = yield
    report = outcome.get_result()
    if call.when == "call" and report.failed and "keeper" in getattr(item, "funcargs", {}):
        report.sections.append(("what the programs said", item.funcargs["keeper"].logs()))


def pytest_terminal_summary(terminalreporter):
    folder = REPOSITORY / ".build/screenshots"
    if any(folder.glob("*.png")):
        terminalreporter.write_line(f"screenshots: {folder}")


@pytest.fixture(scope="session")
def _session_keeper():
    keeper = Keeper(_folder())
    yield keeper
    keeper.end()
    shutil.rmtree(keeper.folder)


@pytest.fixture(scope="session")
def _running_stand_in(_session_keeper):
    return StandIn(_session_keeper)


@pytest.fixture(scope="session")
def _browser():
    browser = browser_module.Browser()
    yield browser
    browser.end()


@pytest.fixture
def stand_in(_running_stand_in):
    """The stand-in, behaving, with its counts at zero."""
    _running_stand_in.start_from_zero()
    yield _running_stand_in
    _running_stand_in.behave()


@pytest.fixture
def keeper():
    keeper = Keeper(_folder())
    yield keeper
    try:
        keeper.end()
    finally:
        shutil.rmtree(keeper.folder)


@pytest.fixture
def start_site(keeper, stand_in):
    """start_site({"request.deadline": "2s"}) → Site."""
    return lambda changes=None: Site(keeper, stand_in, changes)


@pytest.fixture
def site(start_site, request):
    marker = request.node.get_closest_marker("configured")
    return start_site(marker.args[0] if marker else None)


@pytest.fixture
def new_profile(_browser, request):
    """new_profile() → a person's browser. Afterwards no tab of any may have left an error in the console.

    The first is a profile of the process's Chromium; one more is a Chromium of its own, since two profiles in use at once
    keep each other from loading pages there. Tests marked `whole_chromium` have one of their own from the start.
    """
    profiles, others = [], []
    whole = request.node.get_closest_marker("whole_chromium") is not None
    _browser.messages()

    def new():
        if profiles or whole:
            others.append(browser_module.Browser(browser_module.WHOLE if whole else browser_module.SHELL))
        profiles.append((others[-1] if others else _browser).profile())
        return profiles[-1]

    yield new
    try:
        messages = [message for browser in [_browser, *others] for message in browser.messages()] if profiles else []
    finally:
        for profile in profiles:
            profile.end()
        for browser in others:
            browser.end()
    expected = request.node.get_closest_marker("failed_answers") is not None
    trouble = [
        f"{message['level']} {message['message']}" for message in messages
        if message["level"] in ("SEVERE", "WARNING")
        and not (expected and browser_module.FAILED_ANSWER in message["message"])
    ]
    assert not trouble, "the console says:\n" + "\n".join(trouble)


@pytest.fixture
def open_tab(site, new_profile):
    """open_tab("/", dark=True, width=320) → a Tab of the test's one person, with the page loaded."""
    person = []

    def open_one(path="/", profile=None, **more):
        if profile is None:
            if not person:
                person.append(new_profile())
            profile = person[0]
        tab = profile.tab(**more)
        tab.site = site.url
        return tab.go(path) if path else tab

    return open_one
