"""The whole site for one test: nginx as the repository has it, the program behind it, and the stand-in as Open-Meteo."""

import os
from pathlib import Path

import program
import web_server
from stand_in import REPOSITORY

# The page and nginx.conf may come from another checkout than this one.
CHECKOUT = Path(os.environ.get("TRIP_WEATHER_CHECKOUT", REPOSITORY))
web_server.REPOSITORY = CHECKOUT

# Limits so long that nothing ends an upstream question but the one who asked it.
PATIENT = {
    "server.readTimeout": "40s", "request.deadline": "30s", "upstream.transferTimeout": "25s", "upstream.firstByteTimeout": "25s",
    "upstream.lowSpeedTime": "25s",
}


class Site:
    def __init__(self, keeper, stand_in, changes=None):
        self.keeper = keeper
        self.stand_in = stand_in
        folder = keeper.folder
        socket = folder / "run/trip-weather.sock"
        socket.parent.mkdir()
        self._config = program.write_config(folder / "deploy/trip-weather.json5", {
            "server": {"listen": [f"unix:{socket}"]},
            "upstream": {"geocodingURL": stand_in.url, "forecastURL": stand_in.url, "archiveURL": stand_in.archive_url},
            # A failure is remembered as shortly as can be, and no host is left alone for it.
            "cache": {"failureTTL": "1s"},
            "refresh": {"atMostEvery": "1s"},
            "breaker": {"failures": 1000},
            "budget": {"minute": 1_000_000, "hour": 1_000_000, "day": 1_000_000},
            "trips": {"file": str(folder / "trips.sqlite"), "ideas": str(CHECKOUT / "deploy/ideas.json")},
        }, changes or {})
        self._socket = socket
        self.program = None
        self.start_program()
        self.nginx = web_server.WebServer(keeper)
        self.url = f"http://127.0.0.1:{self.nginx.port}"

    def start_program(self):
        self.program = program.Program(self.keeper, self._config, address=self._socket)

    def stop_program(self):
        self.program.stop()

    def ask(self, target, headers=None, method="GET", body=b""):
        """As a client that is no browser."""
        return self.nginx.ask(target, headers, method, body)
