"""The screens of Trips as a person goes through them, and where things stand on them."""

import json
from datetime import datetime, timedelta, timezone

# The overview
PLANNER = "details#planner"
OPENER = f"{PLANNER} > summary"
ADD = f"{PLANNER} form.trip-form[data-purpose=add]"
CITY = f"{ADD} [name=city]"
PREVIEW = f"{PLANNER} trip-weather"
ADD_BUTTON = f"{ADD} button.primary"
LIST = "section.trips"
CITIES = f"{LIST} .trip-city"
STRIP = "section.strip"

# A trip
PASS = "section.pass"
CARD = "section.trip-card"
WEATHER = "main trip-weather:not([form=line])"
EDIT = "form.trip-form[data-purpose=edit]"
FAVOURITE = f"{CARD} form.favourite button"
CLOCK = "local-time"

# The weather, wherever it stands
LOADED = "section.weather[data-state=loaded]"
LOADING = "section.weather[data-state=loading]"
FAILED = "section.weather[data-state=failed]"
REFRESH = "a.refresh, button.refresh"
RETRY = "a.retry"
UPDATED = ".weather-updated"

EXAMPLES = ["Seattle", "Vancouver", "San Pedro de Atacama"]
SEATTLE = "/trips/example-seattle"


def day(ahead):
    """A date as forms and JSON have it."""
    return (datetime.now(timezone.utc).date() + timedelta(days=ahead)).isoformat()


def open_planner(tab):
    tab.wait(OPENER)
    if tab.find(PLANNER).get_property("open") is not True:
        tab.click(OPENER)
    return tab.wait(CITY)


def close_planner(tab):
    tab.click(OPENER)
    tab.wait(lambda: not tab.find(PLANNER).get_property("open"), what="a closed planner")


def is_open(tab):
    return tab.find(PLANNER).get_property("open") is True


def loaded(within):
    return f"{within} {LOADED}"


def keep(tab, city, ahead=10, nights=3, **more):
    """Adds a trip as JSON, from the page that the tab shows; answers with the trip as it is kept."""
    plan = {"city": city, "country": None, "start": day(ahead), "nights": nights, "price": 1000, "picture": None,
            "favourite": False, **more}
    answer = tab.js_later("""
        const [plan, done] = arguments;
        fetch("/api/trips", {
          method: "POST", body: JSON.stringify(plan),
          headers: { "Content-Type": "application/json", Accept: "application/json" },
        }).then(async (response) => done([response.status, await response.text()]), (error) => done([0, String(error)]));
    """, plan)
    assert answer[0] == 201, answer
    return json.loads(answer[1])


def ask(tab, method, address, headers=None, body=None):
    """Asks the program from the page's own script: (status, text)."""
    return tuple(tab.js_later("""
        const [method, address, headers, body, done] = arguments;
        fetch(address, { method, headers, body })
          .then(async (response) => done([response.status, await response.text()]), (error) => done([0, String(error)]));
    """, method, address, headers or {}, body))


def mark(tab):
    """Marks the document, so that a test sees whether it is still the same one."""
    tab.js("globalThis.sameDocument = true")


def is_same_document(tab):
    return tab.js("return globalThis.sameDocument === true")


TYPING = """
    const [selector, text, gap, done] = arguments;
    const field = document.querySelector(selector);
    field.focus();
    field.select();
    const gaps = [];
    let last = null;
    const rest = [...text];
    const key = () => {
      const now = performance.now();
      if (last !== null) gaps.push(now - last);
      last = now;
      document.execCommand("insertText", false, rest.shift());
      if (rest.length > 0) setTimeout(key, gap);
      else done(gaps);
    };
    key();
"""


def type_evenly(tab, selector, text, gap=100):
    """Types inside the page, one key each `gap` ms; answers with the gaps as the page saw them."""
    return tab.js_later(TYPING, selector, text, gap)
