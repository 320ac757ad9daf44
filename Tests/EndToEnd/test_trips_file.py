"""The trips' file: moved away, restored from a copy, and damaged."""

import pathlib
import shutil
import signal
import sqlite3
import subprocess

import pytest

import program as program_module
from trips import Traveller

RESTORE = pathlib.Path(__file__).resolve().parents[2] / "deploy/restore"


@pytest.fixture
def path(keeper):
    return keeper.folder / "kept/trips.sqlite"


@pytest.fixture
def keeping(path):
    return {"trips.file": str(path), "trips.placeWait": "0s", "trips.perTraveller": 10_000}


def restore(*arguments):
    return subprocess.run([RESTORE, *map(str, arguments)], capture_output=True, text=True, check=False)


def back_up(path, copy):
    source, target = sqlite3.connect(path), sqlite3.connect(copy)
    source.backup(target)
    target.close()
    source.close()


@pytest.fixture
def killed(start_program, keeping, path, keeper):
    """A program that went on writing after a copy was made and was then killed: its write-ahead log is left."""
    program = start_program(keeping)
    traveller = Traveller(program.ask)
    for number in range(30):
        traveller.add(f"Before {number}")
    copy = keeper.folder / "copy.sqlite"
    back_up(path, copy)
    for number in range(200):
        assert traveller.add(f"After {number}").status == 201
    refused = restore(copy, path)
    program.child.signal(signal.SIGKILL)
    program.child.wait(10)
    assert pathlib.Path(f"{path}-wal").stat().st_size > 0
    return traveller, copy, refused


def test_a_copy_is_put_in_its_place_once_nothing_holds_the_file(killed, start_program, keeping, path):
    traveller, copy, refused = killed
    assert refused.returncode == 1 and "in use" in refused.stderr, refused
    done = restore(copy, path)
    assert done.returncode == 0, done
    assert path.stat().st_mode & 0o777 == 0o600
    program = start_program(keeping)
    cities = Traveller(program.ask, traveller.cookie).cities()
    assert "Before 29" in cities and not any(city.startswith("After") for city in cities)
    assert Traveller(program.ask, traveller.cookie).add("Later").status == 201
    program.stop()
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    # What was there before is still whole.
    replaced = sqlite3.connect(f"{path}.replaced")
    assert replaced.execute("SELECT count(*) FROM trip").fetchone() == (230,)


def test_what_is_no_copy_is_refused(killed, keeper, path):
    _, copy, _ = killed
    text = keeper.folder / "text"
    text.write_text("this is no database")
    before = path.read_bytes()
    for wrong in (text, keeper.folder / "missing", path):
        refused = restore(wrong, path)
        assert refused.returncode == 1 and str(wrong) in refused.stderr, refused
    assert path.read_bytes() == before


def test_a_copy_beside_anothers_log_stops_the_start_and_the_words_help(killed, keeper, basics, keeping, path):
    _, copy, _ = killed
    shutil.copy(copy, path)
    config = program_module.write_config(keeper.folder / "wrong.json5", basics, keeping)
    status, _, errors = program_module.run(["--config", config])
    assert status == 1 and "damaged" in errors and "deploy/restore" in errors, errors


def test_a_log_that_was_left_is_looked_through_at_the_start(killed, start_program, keeping):
    program = start_program(keeping)
    assert "trips-checked" in program.child.log
    assert "After 199" in Traveller(program.ask, killed[0].cookie).cities()


def test_a_file_that_is_removed_is_noticed(start_program, keeping, path):
    program = start_program(keeping)
    traveller = Traveller(program.ask)
    assert traveller.add().status == 201
    assert program.ask("/readyz").status == 200
    path.unlink()
    refused = traveller.add("Oslo")
    assert refused.status == 503, refused
    assert program.ask("/readyz").status == 503
    assert "trips-moved" in program.child.log
