"""The program is restarted under load, and loses no GET; a new configuration is taken over while it runs."""

import json
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest

import program
from processes import eventually
from stand_in import REPOSITORY

BERGEN = "/weather.json?latitude=60.39&longitude=5.32"


class Load:
    """wrk on one address, for as long as it was told."""

    def __init__(self, port, seconds):
        self._process = subprocess.Popen(
            ["wrk", "-t", "1", "-c", "16", "-d", f"{seconds}s", f"http://127.0.0.1:{port}{BERGEN}"], stdout=subprocess.PIPE,
            text=True)

    @property
    def runs(self):
        return self._process.poll() is None

    def end(self):
        """How many requests were answered; fails where one was not, or not with 200."""
        output, _ = self._process.communicate(timeout=60)
        assert "Non-2xx" not in output and "Socket errors" not in output, output
        return int(re.search(r"(\d+) requests in", output)[1])


@pytest.fixture
def warm(start_behind_nginx):
    running, nginx = start_behind_nginx({"log.requests": "none"})
    assert nginx.ask(BERGEN).status == 200
    return running, nginx


def start_another(keeper, running, *arguments, launcher=(), **more):
    child = keeper.start(
        [*launcher, program.binary(), "--config", running.config, *arguments], "successor", environment=program.environment(),
        **more)
    child.wait_until(lambda: '"listening"' in child.log)
    return child


def test_a_successor_takes_the_socket_over_and_no_get_is_lost(keeper, warm):
    running, nginx = warm
    path = Path(running.address)
    load = Load(nginx.port, 6)
    current = running.child
    for _ in range(3):
        before = path.stat().st_ino
        successor = start_another(keeper, running, "--replace")
        assert path.stat().st_ino != before
        current.signal(signal.SIGTERM)
        assert current.wait(15) == 0
        assert path.exists(), "the one that stopped removed a socket that was not its own any more"
        current = successor
    assert load.runs, "the load ended before the last restart"
    assert load.end() > 100
    current.signal(signal.SIGTERM)
    assert current.wait(15) == 0
    assert not path.exists()


def test_without_replace_a_live_socket_is_left_alone(warm):
    running, nginx = warm
    status, _, errors = program.run(["--config", running.config])
    assert status == 1
    assert "in use" in errors or "listens" in errors, errors
    assert nginx.ask(BERGEN).status == 200


def test_a_socket_that_is_handed_over_outlives_restarts_and_no_get_is_lost(keeper, start_behind_nginx):
    running, nginx = start_behind_nginx({"log.requests": "none"})
    running.stop()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(running.address))
        Path(running.address).chmod(0o666)
        listener.listen(4096)

        def start():
            return start_another(
                keeper, running, launcher=["/usr/bin/python3", REPOSITORY / "Tests/EndToEnd/hand_over.py", listener.fileno()],
                pass_fds=(listener.fileno(),))

        current = start()
        assert nginx.ask(BERGEN).status == 200
        load = Load(nginx.port, 6)
        for _ in range(3):
            current.signal(signal.SIGTERM)
            # As systemd does, the next one is started when the last has ended; what comes between waits in the socket.
            assert current.wait(15) == 0
            current = start()
        assert load.runs, "the load ended before the last restart"
        assert load.end() > 100


def write(running, **changes):
    config = Path(running.config)
    whole = json.loads(config.read_text("utf-8"))
    for key, value in changes.items():
        section, name = key.split("_", 1)
        whole.setdefault(section, {})[name] = value
    config.write_text(json.dumps(whole), encoding="utf-8")


def reloads(running):
    return [json.loads(line) for line in running.child.log.splitlines() if '"reload"' in line]


def test_a_signal_takes_a_new_configuration_over(program):
    assert '"temperature":"°C"' in program.ask(BERGEN).text
    write(program, answers_units="imperial", upstream_connectTimeout="1s")
    program.child.signal(signal.SIGHUP)
    eventually(lambda: reloads(program))
    (line,) = reloads(program)
    assert line["changed"] == "answers.units"
    assert line["needs-restart"] == "upstream.connectTimeout"
    assert '"temperature":"°F"' in program.ask(BERGEN).text


def reload(running):
    before = len(reloads(running))
    running.child.signal(signal.SIGHUP)
    eventually(lambda: len(reloads(running)) > before)
    return reloads(running)[-1]


def test_what_needs_a_restart_stays_as_it_was_and_is_named_each_time(start_program, keeper):
    running = start_program({"trips.file": str(keeper.folder / "trips.sqlite")})
    write(running, trips_trustRemoteUser=True, answers_sample=True)
    for _ in range(2):
        line = reload(running)
        assert line["changed"] == "" and line["needs-restart"] == "trips.trustRemoteUser, answers.sample"
        assert running.ask(BERGEN).json()["sample"] is False
        trip = json.dumps({"city": "Bergen", "start": "2026-12-12", "nights": 3}).encode()
        saved = running.ask(
            "/api/trips", {"Accept": "application/json"}, "POST", trip, REMOTE_USER="somebody", CONTENT_TYPE="application/json")
        assert saved["Set-Cookie"], "REMOTE_USER was believed"


def test_a_longer_deadline_holds_for_questions_that_start_after_the_reload(start_program, stand_in):
    running = start_program({
        "request.deadline": "900ms", "upstream.transferTimeout": "800ms", "upstream.firstByteTimeout": "800ms",
        "upstream.connectTimeout": "800ms", "upstream.lowSpeedTime": "800ms", "cache.failureTTL": "1s"})
    late = {"kind": "delay", "milliseconds": 600}
    stand_in.misbehave(search=late, forecast=late)
    assert running.ask("/weather.json?city=Bergen").status == 504
    write(running, request_deadline="8s")
    assert reload(running)["changed"] == "request.deadline"
    assert running.ask("/weather.json?city=Seattle").status == 200


def test_a_bad_configuration_leaves_the_old_one_in_force_and_says_so(program):
    write(program, answers_units="kelvin")
    program.child.signal(signal.SIGHUP)
    eventually(lambda: reloads(program))
    (line,) = reloads(program)
    assert line["level"] == "error"
    assert "answers.units" in line["faults"]
    assert program.ask(BERGEN).status == 200
