"""Chromium without a screen, profiles apart from each other, and tabs as a test holds them."""

import base64
import json
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

# Chromium without the windows around the pages, which take four times the work of the pages; and all of it.
SHELL = "/usr/bin/chromium-headless-shell"
WHOLE = "/usr/bin/chromium"
CHROMEDRIVER = "/usr/bin/chromedriver"

ARGUMENTS = [
    "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
    "--no-default-browser-check", "--disable-dev-shm-usage",
    # Nothing but this machine can be reached, whatever a page asks for.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]

# Chromium says by itself that an answer was no success; an answer of 4xx or 5xx may be what a test wants.
FAILED_ANSWER = "Failed to load resource: the server responded with a status of"

# What happens before a page's own script runs, in every document of a tab.
WATCH = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`Content-Security-Policy: ${event.effectiveDirective} forbids ${event.blockedURI}`));
globalThis.watched = { shift: 0, shifts: [] };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    watched.shift += entry.value;
    watched.shifts.push([entry.value, ...entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 200) ?? String(node))]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""

# Chromium sends them with weights.
ACCEPT = {"en": "en-GB,en", "en-US": "en-US,en", "de": "de-DE,de,en"}


def poll(condition, limit=10.0, what="the condition"):
    """Looks until the condition is true, not so often that looking keeps the browser busy; answers with its value."""
    end = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what} did not come true within {limit} s"
        time.sleep(0.04)


# chromedriver ends a connection by ending, which is no error.
logging.getLogger("websocket").setLevel(logging.CRITICAL)


class Browser:
    """One Chromium, with a profile folder of its own, and the chromedriver that drives it."""

    def __init__(self, chromium=SHELL):
        self._folder = Path(tempfile.mkdtemp(prefix="tw-chromium-", dir="/tmp"))
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        options.enable_bidi = True
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for argument in (*ARGUMENTS, f"--user-data-dir={self._folder}/profile", f"--disk-cache-dir={self._folder}/cache"):
            options.add_argument(argument)
        if chromium == WHOLE:
            options.add_argument("--headless=new")
        if os.getuid() == 0:
            options.add_argument("--no-sandbox")
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        service = Service(CHROMEDRIVER, env={**kept, "HOME": str(self._folder), "TMPDIR": str(self._folder)})
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(30)
        self.driver.set_script_timeout(30)
        self._home = self.driver.current_window_handle
        self._version = self.driver.execute_cdp_cmd("Browser.getVersion", {})["userAgent"].replace("Headless", "")
        self._current = self._home

    def profile(self):
        return Profile(self)

    def use(self, handle):
        if self._current != handle:
            self.driver.switch_to.window(handle)
            self._current = handle

    def rest(self):
        """Leaves whatever tab is in use, so that it can go."""
        self.use(self._home)

    def user_agent(self):
        return self._version

    def messages(self):
        """What the console got since the last time it was asked, from every tab."""
        return self.driver.get_log("browser")

    def end(self):
        # chromedriver ends Chromium with itself; driver.quit() would wait for a thread of its own, often for ten seconds.
        try:
            self.driver.service.stop()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


class Profile:
    """Cookies, cache and storage of one person: nothing is shared with another profile."""

    def __init__(self, browser):
        self.browser = browser
        self._context = browser.driver.browser.create_user_context()

    def tab(self, **more):
        handle = self.browser.driver.browsing_context.create("window", user_context=self._context)
        return Tab(self, handle, **more)

    def end(self):
        self.browser.rest()
        self.browser.driver.browser.remove_user_context(self._context)


class Tab:
    """A window of a profile. Every call switches to it first, so that two can be used in turns."""

    def __init__(self, profile, handle, dark=False, width=1280, height=900, touch=False, script=True, language="en"):
        self.profile = profile
        self._browser = profile.browser
        self._driver = self._browser.driver
        self.handle = handle
        self.site = None
        self.cdp("Emulation.setFocusEmulationEnabled", enabled=True)
        self.cdp("Page.enable")
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.cdp("Network.setUserAgentOverride", userAgent=self._browser.user_agent(), acceptLanguage=ACCEPT[language])
        self.look(dark)
        self.size(width, height, touch)
        if not script:
            self.cdp("Emulation.setScriptExecutionDisabled", value=True)

    # The tab itself

    def use(self):
        self._browser.use(self.handle)
        return self._driver

    def cdp(self, method, **parameters):
        return self.use().execute_cdp_cmd(method, parameters)

    def look(self, dark):
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                    {"name": "prefers-reduced-motion", "value": "reduce"}]
        self.cdp("Emulation.setEmulatedMedia", features=features)

    def size(self, width, height=900, touch=False):
        self._size = width, height, touch
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.cdp("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=5 if touch else 1)

    def go(self, address):
        """Opens an address: a path of the site, or a whole URL."""
        self.use().get(f"{self.site}{address}" if address.startswith("/") else address)
        return self

    def reload(self):
        self.use().refresh()

    def back(self):
        self.use().back()

    def close(self):
        self.use().close()
        self._browser.rest()

    @property
    def path(self):
        """The address without the site, with its query."""
        return self.use().current_url.removeprefix(self.site or "")

    @property
    def title(self):
        return self.use().title

    # What is on it

    def all(self, selector):
        return self.use().find_elements("css selector", selector)

    def find(self, selector):
        found = self.all(selector)
        assert found, f"there is no {selector} on {self.path}:\n{self.text()[:2000]}"
        return found[0]

    def has(self, selector):
        return bool(self.all(selector))

    def sees(self, selector):
        """Whether something of this selector is displayed."""
        return self._look("elements.some(isSeen)", selector)

    def text(self, selector="body"):
        """What is read there, spaces made one; nothing where nothing is seen."""
        return next(iter(self.texts(selector)), "")

    def texts(self, selector):
        return self._look("elements.map(read)", selector)

    def _look(self, expression, selector):
        """At all elements of a selector in one go: between two calls the page may have replaced them."""
        return self.js(f"""
            const isSeen = (element) => element.checkVisibility({{ visibilityProperty: true }}) && element.getClientRects().length > 0;
            const read = (element) => isSeen(element) ? element.innerText.replace(/\\s+/gu, " ").trim() : "";
            const elements = [...document.querySelectorAll(arguments[0])];
            return {expression};
        """, selector)

    def value(self, selector):
        return self.find(selector).get_property("value")

    def wait(self, condition, limit=10.0, what=None):
        """Polls a condition, or the display of a selector."""
        if callable(condition):
            return poll(condition, limit, what or "the condition")
        try:
            poll(lambda: self.sees(condition), limit)
        except AssertionError:
            raise AssertionError(
                f"{what or condition} was not seen on {self.path} within {limit} s:\n{self.text()[:2000]}") from None
        return self.find(condition)

    def wait_gone(self, selector, limit=10.0):
        poll(lambda: not self.sees(selector), limit, f"{selector} being gone")

    def wait_text(self, selector, wanted, limit=10.0):
        try:
            poll(lambda: wanted in self.text(selector), limit)
        except AssertionError:
            raise AssertionError(
                f"{selector} on {self.path} did not say {wanted!r} within {limit} s, but {self.text(selector)!r}") from None

    def stays(self, condition, seconds, what="the condition"):
        """Looks again and again for so long: the condition is true each time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert condition(), f"{what} did not stay"
            time.sleep(0.04)

    def js(self, script, *arguments):
        return self.use().execute_script(script, *arguments)

    def js_later(self, script, *arguments):
        """Runs a script whose last argument is to be called with the outcome."""
        return self.use().execute_async_script(script, *arguments)

    # What a person does

    def click(self, selector):
        element = self.wait(selector)
        self._driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)
        element.click()

    def double_click(self, selector):
        element = self.wait(selector)
        self._driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)
        ActionChains(self._driver, duration=0).double_click(element).perform()

    def press(self, *keys):
        self.use()
        ActionChains(self._driver, duration=0).send_keys(*keys).perform()

    def fill(self, selector, text):
        field = self.wait(selector)
        field.clear()
        field.send_keys(text)

    def set(self, selector, value):
        """Sets a field as a person's choice does, for kinds (date, number) whose keys depend on the locale."""
        self.wait(selector)
        self.js("""
            const [selector, value] = arguments;
            const field = document.querySelector(selector);
            field.value = value;
            field.dispatchEvent(new Event("input", { bubbles: true }));
            field.dispatchEvent(new Event("change", { bubbles: true }));
        """, selector, value)

    def focused(self):
        return self.use().switch_to.active_element

    # What a machine sees

    def screenshot(self, path):
        """The whole page, from top to bottom, on a screen that is as high."""
        width, height, touch = self._size
        self.size(width, max(height, self.js("return document.documentElement.scrollHeight")), touch)
        self.painted()
        picture = self.cdp("Page.captureScreenshot", format="png")
        Path(path).write_bytes(base64.b64decode(picture["data"]))
        self.size(width, height, touch)

    def painted(self):
        """Waits until what changed last is on the screen."""
        self.js_later("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100)))")

    def shift(self):
        """Cumulative layout shift since the document began, and what moved."""
        return self.js("return watched.shift"), json.dumps(self.js("return watched.shifts"), indent=1)
