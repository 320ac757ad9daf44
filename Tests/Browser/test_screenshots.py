"""Pictures of the main screens, kept in .build/screenshots for people to look at."""

import base64

import pytest

import screens
from screens import FAILED, LOADED, SEATTLE, WEATHER
from stand_in import REPOSITORY

FOLDER = REPOSITORY / ".build/screenshots"
SIZES = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844, "touch": True}}

pytestmark = [
    pytest.mark.parametrize("size", SIZES),
    pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"]),
]

LOOK = """
    const [data, done] = arguments;
    const picture = new Image();
    picture.onload = () => {
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(picture, 0, 0);
      const { data } = context.getImageData(0, 0, picture.width, picture.height);
      const colours = new Set();
      let light = 0;
      for (let at = 0; at < data.length; at += 4) {
        colours.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
        light += 0.2126 * data[at] + 0.7152 * data[at + 1] + 0.0722 * data[at + 2];
      }
      done([picture.width, picture.height, colours.size, light / (data.length / 4)]);
    };
    picture.onerror = () => done(null);
    picture.src = `data:image/png;base64,${data}`;
"""


@pytest.fixture
def keep_picture(dark, size):
    """keep_picture(tab, "overview"): into the folder; it has the screen's width, is not blank, and as light as it should be."""
    FOLDER.mkdir(parents=True, exist_ok=True)

    def keep(tab, name):
        tab.js("window.scrollTo(0, 0)")
        tab.wait(lambda: tab.js("return [...document.images].every((i) => i.complete || i.loading === 'lazy')"), what="the pictures")
        tab.js("for (const image of document.images) image.loading = 'eager'")
        tab.wait(lambda: tab.js("return [...document.images].every((image) => image.complete && image.naturalWidth > 0)"),
                 what="every picture")
        path = FOLDER / f"{name}-{size}-{'dark' if dark else 'light'}.png"
        tab.screenshot(path)
        # Another page looks at it: this one's policy lets no such picture in.
        eye = tab.profile.tab().go("about:blank")
        seen = eye.js_later(LOOK, base64.b64encode(path.read_bytes()).decode())
        assert seen is not None, f"{path} cannot be read"
        width, height, colours, light = seen
        assert width == SIZES[size]["width"], f"{path} is {width} px wide"
        assert height >= 400, f"{path} is {height} px high"
        assert colours > 200, f"{path} has {colours} colours only"
        assert (light < 110) == dark, f"{path} is as light as {light:.0f} of 255"

    return keep


@pytest.fixture
def tab_at(open_tab, dark, size):
    return lambda address: open_tab(address, dark=dark, **SIZES[size])


def test_the_overview(tab_at, keep_picture):
    tab = tab_at("/")
    screens.keep(tab, "Bergen", country="Norway", ahead=10, nights=3, price=1750, picture="mountains", favourite=True)
    tab.go("/")
    tab.wait(lambda: len(tab.all(f"{screens.STRIP} {LOADED}")) == 4, what="four lines of weather")
    keep_picture(tab, "overview")


def test_the_planner(tab_at, keep_picture):
    tab = tab_at("/")
    screens.open_planner(tab)
    tab.click(".ideas a[data-city=Bergen]")
    tab.wait(f"{screens.PREVIEW} {LOADED}")
    tab.js("document.querySelector(arguments[0]).click()", f"{screens.ADD} [name=picture][value=harbour]")
    keep_picture(tab, "planner")


def test_a_trip(tab_at, keep_picture):
    tab = tab_at(SEATTLE)
    tab.wait(f"{WEATHER} {LOADED}")
    keep_picture(tab, "trip")


@pytest.mark.failed_answers
def test_failed_weather(tab_at, keep_picture, stand_in):
    stand_in.misbehave(forecast={"kind": "status", "status": 500})
    tab = tab_at(SEATTLE)
    tab.wait(f"{WEATHER} {FAILED}")
    keep_picture(tab, "failed")
