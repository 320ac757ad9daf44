"""A traveller who asks the program about trips, by FastCGI or through nginx, and keeps the cookie that comes."""

import json

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


class Traveller:
    """`ask` is a Program's or a WebServer's."""

    def __init__(self, ask, cookie=None):
        self._ask = ask
        self.cookie = cookie

    def send(self, method, path, body=None, headers=None, kind=JSON):
        fields = {"Accept": JSON, **({"Cookie": self.cookie} if self.cookie else {}), **(headers or {})}
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        more = {}
        if data or method == "POST":
            # nginx makes CONTENT_TYPE of the header; towards FastCGI it is a variable of its own.
            if getattr(self._ask, "__self__", None).__class__.__name__ == "Program":
                more["CONTENT_TYPE"] = kind
            else:
                fields["Content-Type"] = kind
        answered = self._ask(path, fields, method, data, **more)
        if answered["Set-Cookie"]:
            pair = answered["Set-Cookie"].partition(";")[0]
            self.cookie = None if pair.endswith("=") else pair
        return answered

    def get(self, path, headers=None):
        return self.send("GET", path, headers=headers)

    def add(self, city="Bergen", **more):
        trip = {"city": city, "start": "2026-12-12", "nights": 3, **more}
        return self.send("POST", "/api/trips", trip)

    def trips(self):
        answered = self.get("/api/trips")
        assert answered.status == 200, answered
        return answered.json()["trips"]

    def cities(self):
        return [trip["city"] for trip in self.trips()]
