"""What outlives the program and is shared between its processes: the folder of `cache.folder`."""

import random
import sqlite3
import subprocess
import threading
import time
from urllib.parse import quote

import pytest

import answer
import fastcgi_client
import program as program_module
from fragment import assert_failed, card
from processes import eventually
from stand_in import StandIn

BERGEN = "/weather.json?city=Bergen&country=Norway"
# What the service counts a request as: 14 variables for 16 days.
SEARCH, FORECAST = 1, 17 * 16 / 140


@pytest.fixture
def folder(keeper):
    return keeper.folder / "cache"


@pytest.fixture
def start_with_folder(start_program, folder):
    def start(changes=None, **more):
        return start_program({"cache.folder": str(folder), "budget.day": 10_000, **(changes or {})}, **more)

    return start


@pytest.fixture
def own_stand_in(keeper):
    """A stand-in that the test may end."""
    return StandIn(keeper)


def at(stand_in):
    return {"upstream.geocodingURL": stand_in.url, "upstream.forecastURL": stand_in.url, "upstream.archiveURL": stand_in.archive_url}


def cold_config(keeper, basics, folder, **changes):
    """A configuration of which no process runs yet."""
    return program_module.write_config(keeper.folder / "cgi.json5", basics, {"cache.folder": str(folder), **changes})


def start_cgi(config, target):
    given = fastcgi_client.parameters(target)
    given = {name: value.decode() if isinstance(value, bytes) else value for name, value in given.items()}
    return subprocess.Popen(
        [str(program_module.binary())], env=program_module.environment(TRIP_WEATHER_CONFIG=str(config), **given),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish_cgi(process, limit=60):
    output, errors = process.communicate(timeout=limit)
    assert process.returncode == 0, errors
    return answer.from_cgi(output, errors)


def rows(folder, table):
    with sqlite3.connect(f"file:{folder}/cache.sqlite?mode=ro", uri=True, timeout=20) as database:
        return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def metric(running, name):
    for line in running.ask("/metrics").text.splitlines():
        if line.startswith(f"tripweather_{name} "):
            return float(line.rsplit(" ", 1)[1])
    raise AssertionError(f"no {name} among the metrics")


def make_older(folder, seconds):
    """Moves the time at which all weather was fetched."""
    with sqlite3.connect(folder / "cache.sqlite", timeout=20) as database:
        database.execute("UPDATE weather SET fetched = fetched - ?", (seconds,))


def test_a_restarted_program_answers_what_it_knew_without_upstream(own_stand_in, start_with_folder):
    changes = {**at(own_stand_in), "refresh.atMostEvery": "1s"}
    program = start_with_folder(changes)
    before = program.ask(BERGEN).json()
    assert before["state"] == "loaded"
    program.logged("Saved Bergen to disk")
    left = 'upstream_budget_remaining{window="day"}'
    assert metric(program, left) < 10_000
    assert program.stop() == 0
    own_stand_in.child.end()

    program = start_with_folder(changes)
    after = program.ask(BERGEN)
    assert after.status == 200, after
    assert after.json() == before
    # What was spent is remembered too.
    eventually(lambda: metric(program, left) < 10_000, what="the budget of before")
    assert program.child.log.count("Asking Open-Meteo") == 0
    # A refresh fails, and takes nothing away.
    refreshed = program.ask("/weather.html?city=Bergen&country=Norway&refresh=1")
    assert refreshed.status == 200 and refreshed["Cache-Control"] == "no-store", refreshed
    assert "could not be refreshed" in card(refreshed, "failed").text


def test_old_weather_is_answered_after_a_restart_while_upstream_is_dead(own_stand_in, start_with_folder, folder):
    changes = at(own_stand_in)
    program = start_with_folder(changes)
    before = program.ask(BERGEN).json()
    program.logged("Saved 60.39,5.32 to disk")
    assert program.stop() == 0
    own_stand_in.child.end()
    make_older(folder, 20 * 3_600)
    program = start_with_folder(changes)
    # Past answering at once: upstream is asked first, in vain.
    old = program.ask(BERGEN)
    assert old.status == 200, old
    body = old.json()
    assert (body["state"], body["stale"]) == ("failed", "error")
    assert body["updatedAt"] < before["updatedAt"] and body["place"] == before["place"]
    assert int(old["Age"]) >= 20 * 3_600
    # Past all use.
    assert program.stop() == 0
    make_older(folder, 5 * 3_600)
    assert_failed(start_with_folder(changes).ask(BERGEN), 502)


def test_twenty_cgi_processes_make_one_pair_of_requests(stand_in, keeper, basics, folder):
    config = cold_config(keeper, basics, folder, **{"server.readTimeout": "60s", "request.deadline": "40s", "budget.minute": 100})
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 300}, forecast={"kind": "delay", "milliseconds": 300})
    started = [start_cgi(config, BERGEN) for _ in range(20)]
    answered = [finish_cgi(process) for process in started]
    assert [one.status for one in answered] == [200] * 20
    assert len({one.text for one in answered}) == 1
    counts = stand_in.counts()
    assert (counts["search"], counts["forecast"]) == (1, 1), counts
    # The budget was shared: both requests, once.
    with sqlite3.connect(folder / "cache.sqlite", timeout=20) as database:
        assert database.execute("SELECT max(spent) FROM budget WHERE length = 86400").fetchone()[0] == pytest.approx(SEARCH + FORECAST)
    # Nothing is left claimed.
    assert rows(folder, "claim") == 0


def test_cgi_processes_together_keep_to_the_transfers_at_once(stand_in, keeper, basics, folder):
    config = cold_config(keeper, basics, folder, **{"server.readTimeout": "60s", "request.deadline": "40s", "upstream.transfersAtOnce": 2})
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 100}, forecast={"kind": "delay", "milliseconds": 100})
    started = [start_cgi(config, f"/weather.json?city={quote(f'City {number:06}')}") for number in range(8)]
    assert [finish_cgi(process).status for process in started] == [200] * 8
    assert stand_in.most()["inFlight"] <= 2
    assert stand_in.counts()["forecast"] == 8


def test_cgi_processes_share_a_budget(stand_in, keeper, basics, folder):
    config = cold_config(keeper, basics, folder, **{"budget.day": 6})
    cities = [f"/weather.json?city={quote(f'City {number:06}')}" for number in range(3)]
    assert [finish_cgi(start_cgi(config, city)).status for city in cities] == [200, 200, 503]
    assert stand_in.counts()["forecast"] == 2


def test_a_cgi_answer_is_out_before_it_is_saved(stand_in, keeper, basics, folder):
    config = cold_config(keeper, basics, folder)
    assert finish_cgi(start_cgi(config, "/weather.json?city=Seattle")).status == 200
    assert rows(folder, "place") == 1
    lock = sqlite3.connect(folder / "cache.sqlite", timeout=20, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    process = start_cgi(config, BERGEN)
    output = process.stdout.read()
    # Its output has ended, and it waits for the disk.
    assert answer.from_cgi(output).status == 200
    assert process.poll() is None
    lock.execute("ROLLBACK")
    lock.close()
    assert process.wait(20) == 0
    process.stdout.close()
    process.stderr.close()
    assert rows(folder, "place") == 2 and rows(folder, "weather") == 2


def test_a_cgi_process_that_answers_from_the_file_says_hit(stand_in, keeper, basics, folder):
    config = cold_config(keeper, basics, folder)
    assert finish_cgi(start_cgi(config, BERGEN))["Cache-Status"] == "trip-weather; fwd=miss"
    assert finish_cgi(start_cgi(config, BERGEN))["Cache-Status"] == "trip-weather; hit"


def test_a_cgi_process_asks_nothing_behind_its_answer(stand_in, keeper, basics, folder):
    config = cold_config(keeper, basics, folder)
    assert finish_cgi(start_cgi(config, BERGEN)).status == 200
    make_older(folder, 1_800)
    stand_in.misbehave(forecast={"kind": "delay", "milliseconds": 3_000})
    begin = time.monotonic()
    stale = finish_cgi(start_cgi(config, BERGEN))
    assert time.monotonic() - begin < 2, "the process ends with its answer"
    assert (stale.json()["state"], stale.json()["stale"]) == ("loaded", "revalidating")
    assert stale["Cache-Status"] == "trip-weather; hit; detail=revalidating"
    assert stand_in.counts()["forecast"] == 1
    stand_in.behave()
    # Past answering at once somebody asks.
    make_older(folder, 2 * 3_600)
    fresh = finish_cgi(start_cgi(config, BERGEN)).json()
    assert fresh["stale"] is None and fresh["updatedAt"] > stale.json()["updatedAt"]
    assert stand_in.counts()["forecast"] == 2


def test_cgi_processes_remember_failures_together(stand_in, keeper, basics, folder):
    config = cold_config(keeper, basics, folder, **{"cache.failureTTL": "60s"})
    stand_in.misbehave(forecast={"kind": "status", "status": 400})
    for refresh in ["", "&refresh=1"] * 3:
        failed = finish_cgi(start_cgi(config, BERGEN + refresh))
        assert failed.status == 502, failed
        assert 0 < int(failed["Retry-After"]) <= 60
    assert stand_in.counts()["forecast"] == 1
    for _ in range(3):
        assert finish_cgi(start_cgi(config, "/weather.json?city=Nowhere-at-all")).status == 404
    searches = stand_in.counts()["search"]
    assert finish_cgi(start_cgi(config, "/weather.json?city=Nowhere-at-all")).status == 404
    assert stand_in.counts()["search"] == searches


def test_two_programs_share_what_they_know(stand_in, start_with_folder, keeper, basics, folder):
    first = start_with_folder()
    assert first.ask(BERGEN).status == 200
    first.logged("Saved 60.39,5.32 to disk")
    config = cold_config(keeper, basics, folder, **{"server.listen": [f"unix:{keeper.folder}/second.sock"]})
    second = program_module.Program(keeper, config, address=keeper.folder / "second.sock")
    assert second.ask(BERGEN).json() == first.ask(BERGEN).json()
    counts = stand_in.counts()
    assert (counts["search"], counts["forecast"]) == (1, 1), counts


def test_a_stampede_for_a_cold_city_makes_two_requests(stand_in, start_with_folder):
    program = start_with_folder({
        "server.readTimeout": "90s", "request.deadline": "60s", "upstream.firstByteTimeout": "20s", "upstream.transferTimeout": "20s",
    })
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 500}, forecast={"kind": "delay", "milliseconds": 500})
    clients = [program.connect(limit=90) for _ in range(40)]
    variables = fastcgi_client.parameters(BERGEN)
    for client in clients:
        client.send(b"".join(fastcgi_client.request(id, variables) for id in range(1, 51)))
    bodies = set()
    for client in clients:
        ended = [client.next_end() for _ in range(50)]
        assert {one[0] for one in ended} == set(range(1, 51))
        assert {one[1].status for one in ended} == {200}
        bodies |= {one[1].body for one in ended}
        client.close()
    assert len(bodies) == 1
    counts = stand_in.counts()
    assert (counts["search"], counts["forecast"]) == (1, 1), counts


@pytest.mark.parametrize("what", ["garbage", "truncated", "deleted", "folder-deleted"])
def test_what_happens_to_the_file_costs_no_answer(stand_in, start_with_folder, folder, what):
    program = start_with_folder()
    cities = [f"/weather.json?city={quote(f'City {number:06}')}" for number in range(30)]
    assert {program.ask(city).status for city in cities[:10]} == {200}
    eventually(lambda: metric(program, 'disk_writes_total{outcome="saved"}') >= 20, what="all on disk")
    if what == "deleted":
        (folder / "cache.sqlite").unlink()
    elif what == "folder-deleted":
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()
    else:
        for path in (folder / "cache.sqlite", folder / "cache.sqlite-wal"):
            with open(path, "r+b") as file:
                if what == "truncated":
                    file.truncate(5_000)
                else:
                    file.write(random.Random(1).randbytes(200_000))
    for city in cities:
        answered = program.ask(city)
        assert answered.status == 200, answered
        assert quote(answered.json()["place"]["name"]) == city.split("=")[1]
    assert program.child.status is None


def test_a_folder_that_cant_be_used_costs_the_disk_alone(stand_in, start_program, keeper, basics):
    program = start_program({"cache.folder": "/proc/none/here"})
    assert program.ask(BERGEN).status == 200 and program.ask("/weather.json?city=Seattle").status == 200
    program.logged("cache-disk")
    assert metric(program, 'disk_writes_total{outcome="failed"}') > 0
    config = cold_config(keeper, basics, "/proc/none/here")
    answered = finish_cgi(start_cgi(config, BERGEN))
    assert answered.status == 200 and b"cache-disk" in answered.errors, answered


def test_killed_at_random_under_load_it_tells_the_truth_afterwards(stand_in, start_with_folder, start_program, folder):
    chance = random.Random(7)
    targets = [f"/weather.json?city={quote(f'City {number:06}')}" for number in range(40)]
    for _ in range(4):
        program = start_with_folder()
        is_over = threading.Event()

        def load(seed):
            mine = random.Random(seed)
            while not is_over.is_set():
                try:
                    assert program.ask(mine.choice(targets)).status == 200
                except (OSError, fastcgi_client.Ended):
                    return

        askers = [threading.Thread(target=load, args=(chance.random(),)) for _ in range(4)]
        for asker in askers:
            asker.start()
        time.sleep(chance.uniform(0.05, 0.8))
        program.child.signal(9)
        program.child.wait(10)
        is_over.set()
        for asker in askers:
            asker.join(30)
        with sqlite3.connect(folder / "cache.sqlite", timeout=20) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert rows(folder, "weather") > 0
    program = start_with_folder()
    told = [program.ask(target).json() for target in targets]
    assert metric(program, "disk_files_discarded_total") == 0
    assert metric(program, 'cache_requests_total{cache="weather",result="disk"}') > 0
    program.stop()
    # The same from upstream alone.
    program = start_program({"cache.folder": ""})
    for target, body in zip(targets, told):
        expected = program.ask(target).json()
        assert body["place"] == expected["place"]
        assert body["state"] == "loaded" and body["line"].split(":")[0] == expected["line"].split(":")[0]
