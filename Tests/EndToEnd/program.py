"""The program under test: how it is configured, started and asked."""

import json
import os
import subprocess
from pathlib import Path

import answer
import fastcgi_client
from processes import eventually
from stand_in import REPOSITORY


def binary():
    path = Path(os.environ.get("TRIP_WEATHER_BINARY", REPOSITORY / ".build/debug/trip-weather"))
    assert path.exists(), f"{path} isn't there: build it, or name another in TRIP_WEATHER_BINARY"
    return path.resolve()


def merged(base, changes):
    """The configuration with other values: {"upstream.connectTimeout": "1s"} or nested."""
    whole = json.loads(json.dumps(base))
    for key, value in changes.items():
        *groups, last = key.split(".")
        at = whole
        for group in groups:
            at = at.setdefault(group, {})
        at[last] = merged(at.get(last, {}), value) if isinstance(value, dict) else value
    return whole


def environment(**more):
    """A small environment: nothing of ours that the program could read by accident."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH", "ASAN_OPTIONS") if name in os.environ}
    suppressions = Path(__file__).parent / "thread-sanitizer.supp"
    return {**kept, "HOME": "/nonexistent", "TSAN_OPTIONS": f"suppressions={suppressions}", **more}


def write_config(path, *changes, **more):
    whole = {}
    for change in (*changes, more):
        whole = merged(whole, change)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=2), encoding="utf-8")
    return path


def ready(address):
    try:
        return fastcgi_client.ask(address, "/livez", limit=2.0).status == 200
    except (OSError, fastcgi_client.Ended):
        return False


class Program:
    """One running program on a unix socket."""

    def __init__(self, keeper, config, address=None, arguments=None, env=None, **start):
        self.config = config
        self.address = address or keeper.folder / "trip-weather.sock"
        arguments = arguments or [binary(), "--config", config]
        self.child = keeper.start(arguments, "trip-weather", environment=environment(**(env or {})), **start)
        self.child.wait_until(lambda: ready(self.address), limit=20)

    def ask(self, target, headers=None, method="GET", body=b"", limit=20.0, **variables):
        return fastcgi_client.ask(self.address, target, headers, method, body, limit, **variables)

    def connect(self, limit=20.0):
        return fastcgi_client.Client(self.address, limit)

    def stop(self, limit=15.0):
        self.child.signal(15)
        return self.child.wait(limit)

    def logged(self, text, limit=5.0):
        return eventually(lambda: text in self.child.log, limit, f"{text!r} in the log")


def run(arguments, env=None, limit=20.0, stdin=b""):
    """Runs the program to its end: (exit status, standard output, standard error)."""
    done = subprocess.run(
        [str(binary()), *map(str, arguments)], env=environment(**(env or {})), input=stdin, capture_output=True, timeout=limit,
        check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def cgi(config, target, headers=None, method="GET", body=b"", limit=20.0, arguments=(), **variables):
    """Runs the program once as CGI/1.1."""
    given = fastcgi_client.parameters(target, headers, method, body, **variables)
    given = {name: value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value for name, value in given.items()}
    done = subprocess.run(
        [str(binary()), *arguments], env=environment(TRIP_WEATHER_CONFIG=str(config), **given), input=body, capture_output=True,
        timeout=limit, check=False)
    return answer.from_cgi(done.stdout, done.stderr)
