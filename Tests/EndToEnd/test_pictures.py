"""Pictures: the set, and how nginx makes, keeps and renews the sizes that pages ask for."""

import re
import shutil
import signal
import struct
import threading

import pytest

from processes import SLACK, Stopwatch, eventually
from stand_in import REPOSITORY
from web_server import WebServer

NAMES = {"city", "harbour", "desert", "mountains", "beach", "forest", "lake", "snow"}
WIDTHS = (320, 640, 1280)

# Each question is in the log at once.
UNBUFFERED = {" timed buffer=32k flush=1s": " timed"}
# What is kept is a second old before it is looked at again.
SHORT = {**UNBUFFERED, "proxy_cache_valid 200 1m;": "proxy_cache_valid 200 1s;",
         "proxy_cache_valid 404 415 10s;": "proxy_cache_valid 404 415 1s;"}


def size(data):
    """Width and height of a JPEG, out of its frame header (ITU T.81, B.2.2)."""
    assert data[:2] == b"\xff\xd8", f"no JPEG: {data[:40]!r}"
    at = 2
    while True:
        assert data[at] == 0xFF, "no marker where one must be"
        marker, length = data[at + 1], struct.unpack(">H", data[at + 2:at + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5:at + 9])
            return width, height
        at += 2 + length


@pytest.fixture
def start_nginx(keeper):
    return lambda changes=UNBUFFERED: WebServer(keeper, changes)


@pytest.fixture(scope="module")
def nginx(module_keeper):
    """One for the tests that leave nothing behind."""
    return WebServer(module_keeper, UNBUFFERED)


def originals(nginx):
    return nginx.folder / "deploy/www/pictures"


def fetches(nginx, target=""):
    """The status of each question to the server that makes sizes."""
    log = (nginx.folder / "run/access.log").read_text("utf-8")
    return re.findall(rf'^unix: \[[^]]*\] "GET {target}[^ "]* [^"]*" (\d+)', log, re.MULTILINE)


def test_the_set_is_whole():
    for folder, ending in (("deploy/www/pictures", ".jpg"), ("deploy/pictures", ".svg")):
        assert {path.stem for path in (REPOSITORY / folder).glob(f"*{ending}")} == NAMES
    for name in NAMES:
        data = (REPOSITORY / f"deploy/www/pictures/{name}.jpg").read_bytes()
        assert size(data) == (1600, 1000)
        assert len(data) <= 150_000


@pytest.mark.parametrize("width", WIDTHS)
def test_each_picture_has_each_size(nginx, width):
    for name in sorted(NAMES):
        answered = nginx.ask(f"/pictures/{name}-{width}.jpg")
        assert answered.status == 200, answered
        assert answered["Content-Type"] == "image/jpeg"
        assert size(answered.body) == (width, width * 5 // 8)
        assert len(answered.body) < 150 * width, f"{name} has {len(answered.body)} bytes"


def test_many_askers_make_one_fetch(start_nginx):
    nginx = start_nginx()
    answers = []

    def ask():
        answers.append(nginx.ask("/pictures/harbour-1280.jpg"))

    askers = [threading.Thread(target=ask) for _ in range(30)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert [a.status for a in answers] == [200] * 30
    assert len({a.body for a in answers}) == 1
    eventually(lambda: fetches(nginx), what="the line of the fetch")
    assert fetches(nginx) == ["200"]
    # Another size of the same picture is something else to keep.
    assert size(nginx.ask("/pictures/harbour-320.jpg").body) == (320, 200)


def test_a_picture_stays_while_its_source_is_gone(start_nginx):
    nginx = start_nginx(SHORT)
    kept = nginx.ask("/pictures/lake-640.jpg")
    assert kept.status == 200
    (nginx.folder / "run/pictures.sock").unlink()

    def asked_in_vain():
        answered = nginx.ask("/pictures/lake-640.jpg")
        assert answered.status == 200 and answered.body == kept.body, answered
        return "pictures.sock failed" in nginx.errors

    eventually(asked_in_vain, what="a question to the source that is gone")
    asked_in_vain()
    # What was never made can't be had, and that is said at once.
    watch = Stopwatch()
    assert nginx.ask("/pictures/lake-1280.jpg").status == 502
    assert watch.seconds < SLACK


def test_an_unchanged_original_is_not_sized_again_and_a_changed_one_is(start_nginx):
    nginx = start_nginx(SHORT)
    before = nginx.ask("/pictures/beach-320.jpg").body

    def renewed(expected):
        answered = nginx.ask("/pictures/beach-320.jpg")
        assert answered.status == 200
        return expected(answered)

    eventually(lambda: renewed(lambda _: "304" in fetches(nginx)), what="a question whether the original has changed")
    assert fetches(nginx).count("200") == 1
    shutil.copyfile(originals(nginx) / "forest.jpg", originals(nginx) / "beach.jpg")
    eventually(lambda: renewed(lambda answered: answered.body != before), what="the new picture")
    assert nginx.ask("/pictures/beach-320.jpg").body == nginx.ask("/pictures/forest-320.jpg").body


def test_a_browser_keeps_a_picture_and_asks_whether_it_has_changed(nginx):
    first = nginx.ask("/pictures/city-640.jpg")
    assert re.fullmatch(r"public, max-age=\d{5,}(?:, .*)?", first["Cache-Control"])
    for condition in ({"If-None-Match": first["ETag"]}, {"If-Modified-Since": first["Last-Modified"]}):
        again = nginx.ask("/pictures/city-640.jpg", condition)
        assert again.status == 304 and again.body == b""
        assert again["Cache-Control"] == first["Cache-Control"]
    assert nginx.ask("/pictures/city-640.jpg", {"If-None-Match": '"another"'}).body == first.body


def test_a_head_keeps_no_picture_without_its_bytes(start_nginx):
    nginx = start_nginx()
    head = nginx.ask("/pictures/city-320.jpg", method="HEAD")
    assert head.status == 200 and head["Content-Type"] == "image/jpeg"
    assert size(nginx.ask("/pictures/city-320.jpg").body) == (320, 200)


@pytest.mark.parametrize("target", [
    "/pictures/city.jpg", "/pictures/city-641.jpg", "/pictures/city-.jpg", "/pictures/-640.jpg", "/pictures/City-640.jpg",
    "/pictures/city-640.png", "/pictures/nowhere-640.jpg", "/pictures/city-320-640.jpg", "/pictures/",
    "/pictures/../pictures/../../nginx-640.jpg", "/pictures/..%2f..%2fnginx-640.jpg", "/pictures/%2e%2e/city-640.jpg",
    "/pictures/folder/city-640.jpg", "/pictures/folder%2fcity-640.jpg", "/pictures/ci%0aty-640.jpg", "/pictures/city-640.jpg/x",
    "/pictures/city%20-640.jpg", "/pictures/c%69ty-640.JPG",
])
def test_no_other_name_is_a_picture(nginx, target):
    answered = nginx.ask(target)
    assert answered.status in (400, 404), answered
    assert "image" not in answered["Content-Type"]
    assert "max-age" not in (answered["Cache-Control"] or "")
    assert answered["Content-Security-Policy"] is not None


def test_pictures_take_no_writes(nginx):
    for method in ("POST", "PUT", "DELETE"):
        assert nginx.ask("/pictures/city-640.jpg", method=method, body=b"x").status == 405


@pytest.mark.parametrize("name, content", [("empty", b""), ("drawing", b"<svg/>" * 100), ("broken", b"\xff\xd8\xff\xe0" + bytes(2000)),
                                            ("vast", b"\xff\xd8" + b"x" * 5_000_000)], ids=lambda value: value if isinstance(value, str) else "")
def test_an_original_that_is_no_picture_is_refused_at_once(nginx, name, content):
    (originals(nginx) / f"{name}.jpg").write_bytes(content)
    watch = Stopwatch()
    answered = nginx.ask(f"/pictures/{name}-640.jpg")
    assert answered.status == 415 and watch.seconds < SLACK, answered
    assert "max-age" not in (answered["Cache-Control"] or "")


def test_a_picture_that_comes_later_is_seen(start_nginx):
    nginx = start_nginx(SHORT)
    assert nginx.ask("/pictures/volcano-320.jpg").status == 404
    shutil.copyfile(originals(nginx) / "desert.jpg", originals(nginx) / "volcano.jpg")
    eventually(lambda: nginx.ask("/pictures/volcano-320.jpg").status == 200, what="the new picture")


def test_what_is_kept_is_bounded(start_nginx):
    nginx = start_nginx({**UNBUFFERED, "max_size=64m": "max_size=200k"})
    for name in sorted(NAMES):
        assert nginx.ask(f"/pictures/{name}-1280.jpg").status == 200
    kept = nginx.folder / "run/pictures"

    def bytes_kept():
        total = 0
        for path in kept.rglob("*"):
            try:
                total += path.stat().st_size if path.is_file() else 0
            except FileNotFoundError:  # nginx is just removing it
                pass
        return total

    assert bytes_kept() > 400_000
    # nginx looks every ten seconds.
    eventually(lambda: bytes_kept() <= 200 * 1024, limit=25, what="a cache within its bound")


def test_a_size_that_is_kept_outlives_a_restart_and_a_crash(keeper, start_nginx):
    nginx = start_nginx()
    assert nginx.ask("/pictures/snow-640.jpg").status == 200
    nginx.child.signal(signal.SIGKILL)
    nginx.child.end()
    assert (nginx.folder / "run/pictures.sock").exists(), "nginx left nothing behind: then WebServer needn't remove it"
    again = start_nginx()
    # The new one reads what there is only after a while, or at the first question for it.
    assert size(again.ask("/pictures/snow-640.jpg").body) == (640, 400)
    assert fetches(again).count("200") == 1
