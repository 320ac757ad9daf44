"""The stand-in for Open-Meteo, as a test holds it."""

import json
from pathlib import Path

import http_client
from processes import eventually

REPOSITORY = Path(__file__).resolve().parents[2]
MADE_UP = 100_000


class StandIn:
    def __init__(self, keeper, *options):
        port_file = keeper.folder / "stand-in.port"
        self.child = keeper.start(
            [REPOSITORY / "deploy/stand-in/stand-in", "--port", "0", "--port-file", port_file, "--made-up", MADE_UP, *options],
            "stand-in")
        self.child.wait_until(port_file.exists)
        self.port = int(port_file.read_text())
        self.url = f"http://127.0.0.1:{self.port}"
        # Another host than the forecast's, as Open-Meteo has it: neither waits for the other.
        self.archive_url = f"http://localhost:{self.port}"
        self.ports = self._control("GET", "/_ports")

    def _control(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        answered = http_client.ask(self.port, path, method=method, body=data)
        assert answered.status == 200, answered
        return answered.json()

    def counts(self):
        return self._control("GET", "/_counts")

    def most(self):
        return self._control("GET", "/_most")

    def requests(self):
        return self._control("GET", "/_requests")

    def misbehave(self, search=None, forecast=None, get=None, archive=None):
        faults = {"search": search, "forecast": forecast, "get": get, "archive": archive}
        self._control("PUT", "/_faults", {route: fault for route, fault in faults.items() if fault is not None})

    def behave(self):
        self._control("DELETE", "/_faults")

    def start_from_zero(self):
        self.behave()
        eventually(lambda: self.counts()["inFlight"] == 0, what="nothing in flight")
        self._control("DELETE", "/_counts")

    def wait_for(self, limit=5.0, **wanted):
        """Polls until the counts are these."""
        last = {}

        def check():
            last.update(self.counts())
            return all(last[name] == value for name, value in wanted.items())

        try:
            eventually(check, limit)
        except AssertionError:
            raise AssertionError(f"the counts did not become {wanted} within {limit} s; they are {last}") from None

    def ask(self, target, headers=None, method="GET"):
        return http_client.ask(self.port, target, headers, method)
