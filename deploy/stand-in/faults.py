"""How the stand-in misbehaves when it is told to.

`PUT /_faults` takes `{"search": FAULT or [FAULT, …], "forecast": …}`; the README lists the kinds. The
first fault that matches a request is played; one with `"times": N` is gone after N requests.
"""

import asyncio
import functools
import gzip
import json
import re
import socket
import struct
import zlib

from asked import listed
from cities import folded

ROUTES = ("search", "forecast", "get", "archive")

LIMIT_WORDS = {
    "minutely": "Minutely API request limit exceeded. Please try again in one minute.",
    "hourly": "Hourly API request limit exceeded. Please try again in the next hour.",
    "daily": "Daily API request limit exceeded. Please try again tomorrow.",
    "concurrent": "Too many concurrent requests",
}
REASON_PHRASES = {
    200: "OK", 301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 429: "Too Many Requests",
    500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
}
SENTENCE = "Unexpected error while streaming data: timeoutReached"
SECTIONS = ("current", "hourly", "daily")
HTML = "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n<h1>Bad Gateway</h1>\n</body>\n</html>\n"
# What a service that knows no lists makes of one.
NO_LISTS = "Invalid date format. Make sure to use 'YYYY-MM-DD'"
HUGE = 100 * 1024 * 1024


class BadFault(Exception):
    """A fault that the stand-in can't play; the text says why."""


def reason_body(reason):
    return json.dumps({"error": True, "reason": reason}, ensure_ascii=False)


def head(status, length=None, kind="application/json; charset=utf-8", more=(), chunked=False, phrase=None):
    lines = [f"HTTP/1.1 {status} {phrase or REASON_PHRASES.get(status, 'Status')}", f"Content-Type: {kind}"]
    if chunked:
        lines.append("Transfer-Encoding: chunked")
    elif length is not None:
        lines.append(f"Content-Length: {length}")
    lines += more
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


class Fault:
    """One fault, with the requests that it applies to and how often."""

    def __init__(self, options):
        if not isinstance(options, dict) or options.get("kind") not in KINDS:
            raise BadFault(f"A fault is an object whose kind is one of: {', '.join(sorted(KINDS))}.")
        self.kind = options["kind"]
        self.options = options
        self.left = options.get("times")
        self.match = options.get("match", {})
        if self.kind == "refuse-lists":
            self.match = {**self.match, "lists": True}
        if self.kind == "gzip-bomb":
            # Packed now, so that no request waits for it.
            bomb(options.get("bytes", HUGE))

    def applies(self, route, query, gazetteer):
        match = self.match
        for key, value in match.get("query", {}).items():
            if query.get(key, [None])[-1] != value:
                return False
        if "city" in match:
            if route == "search":
                asked = query.get("name", [""])[-1].split(",")[0]
                if folded(asked) != folded(match["city"]):
                    return False
            else:
                cities = gazetteer.search(match["city"], 10)
                if not any(self._near(query, city.latitude, city.longitude) for city in cities):
                    return False
        if "latitude" in match and not self._near(query, match["latitude"], match["longitude"]):
            return False
        if "lists" in match and match["lists"] != (len(listed(query, "start_date")) > 1):
            return False
        return True

    @staticmethod
    def _near(query, latitude, longitude):
        """Whether one of the points that are asked about is this one."""
        try:
            points = [(float(north), float(east)) for north, east in zip(listed(query, "latitude"), listed(query, "longitude"))]
        except ValueError:
            return False
        return any(abs(north - latitude) < 0.02 and abs(east - longitude) < 0.02 for north, east in points)


class FaultTable:
    """The faults in force for each route."""

    def __init__(self):
        self._faults = {}

    def replace(self, text):
        try:
            wanted = json.loads(text)
        except ValueError as error:
            raise BadFault(f"Not JSON: {error}.") from None
        if not isinstance(wanted, dict) or not set(wanted) <= set(ROUTES):
            raise BadFault(f"The faults are an object with the keys {', '.join(ROUTES)}.")
        faults = {}
        for route, options in wanted.items():
            faults[route] = [Fault(one) for one in (options if isinstance(options, list) else [options])]
        self._faults = faults

    def clear(self):
        self._faults = {}

    def take(self, route, query, gazetteer):
        """The fault to play for this request, or None."""
        for fault in self._faults.get(route, ()):
            if fault.left == 0 or not fault.applies(route, query, gazetteer):
                continue
            if fault.left is not None:
                fault.left -= 1
            return fault
        return None


# Each kind is a coroutine: (connection, options, body) → keep the connection? `body` is what a right
# answer would have held; `connection` offers write(), drained(), close(), reset() and `target`.

async def _never_answer(connection, options, body):
    await asyncio.Event().wait()


async def _drip(connection, options, body):
    pause = options.get("everyMilliseconds", 100) / 1000
    answer, start = head(200, len(body)) + body, options.get("from", "start")
    at = len(answer) - len(body) if start == "body" else 0
    connection.write(answer[:at])
    for index in range(at, len(answer)):
        connection.write(answer[index:index + 1])
        await asyncio.sleep(pause)
    return True


async def _delay(connection, options, body):
    # The wait itself is every kind's "milliseconds", served before the kind is played.
    connection.write(head(200, len(body)) + body)
    return True


async def _status(connection, options, body):
    status = options.get("status", 500)
    more = [f"Retry-After: {options['retryAfter']}"] if "retryAfter" in options else []
    if "body" in options:
        body = options["body"].encode()
    else:
        body = reason_body(options["reason"]).encode() if "reason" in options else b""
    connection.write(head(status, len(body), options.get("contentType", "application/json; charset=utf-8"), more) + body)
    return True


async def _limit(connection, options, body):
    options = {"status": 429, "reason": LIMIT_WORDS[options.get("limit", "minutely")], **options}
    return await _status(connection, options, body)


async def _refuse_lists(connection, options, body):
    return await _status(connection, {"status": 400, "reason": NO_LISTS, **options}, body)


async def _truncated(connection, options, body):
    half = body[:options.get("bytes", len(body) // 2)]
    if options.get("chunked"):
        connection.write(head(200, chunked=True) + chunk(half))
    else:
        connection.write(head(200, len(body)) + half)
    await connection.drained()
    return False


async def _wrong_length(connection, options, body):
    # A positive "by" promises bytes that never come, and the connection stays open.
    by = options.get("by", -10)
    connection.write(head(200, len(body) + by) + body)
    if by > 0:
        await asyncio.Event().wait()
    return False


async def _stall(connection, options, body):
    connection.write(head(200, len(body)) + body[:options.get("bytes", len(body) // 2)])
    await asyncio.Event().wait()


def _whole(text):
    async def play(connection, options, body):
        sent = text(options, body)
        sent = sent.encode() if isinstance(sent, str) else sent
        connection.write(head(200, len(sent)) + sent)
        return True

    return play


def _sentence(options, body):
    return body[:options.get("bytes", 0)] + options.get("text", SENTENCE).encode()


def _bare_nan(options, body):
    number = options.get("number", "nan")
    return re.sub(rb'"(latitude|longitude)":-?[0-9.e+-]+', rb'"\1":' + number.encode(), body.replace(b": ", b":"))


def _each(change):
    """Changes an answer, or each element of one that is an array."""
    def changed(options, body):
        answer = json.loads(body)
        return json.dumps([change(one) for one in answer] if isinstance(answer, list) else change(answer))

    return changed


def _wrong_types(answer):
    if "results" in answer:
        answer["results"] = [{**place, "latitude": "north", "id": "one"} for place in answer["results"]]
    for section in SECTIONS:
        if section in answer:
            answer[section] = {key: {"wrong": True} for key in answer[section]}
    if "results" not in answer and "latitude" not in answer:
        answer = {"results": 7}
    return answer


def _nulls(answer):
    keep = {"id", "name", "latitude", "longitude", "time", "interval"}
    answer["results"] = [{k: v if k in keep else None for k, v in p.items()} for p in answer.get("results", [])]
    if not answer["results"]:
        del answer["results"]
    for section in SECTIONS:
        for key, value in answer.get(section, {}).items():
            if key not in keep:
                answer[section][key] = [None] * len(value) if isinstance(value, list) else None
    return answer


async def _huge(connection, options, body):
    size = options.get("bytes", HUGE)
    connection.write(head(200, size) if options.get("declared") else head(200, chunked=True))
    connection.write(b'{"results":[' if options.get("declared") else chunk(b'{"results":['))
    sent, block = 12, b" " * 65536
    while sent < size:
        part = block[:size - sent]
        connection.write(part if options.get("declared") else chunk(part))
        sent += len(part)
        await connection.drained()
    if not options.get("declared"):
        connection.write(b"0\r\n\r\n")
    return True


async def _gzip(connection, options, body):
    packed = gzip.compress(body, mtime=0)
    connection.write(head(200, len(packed), more=["Content-Encoding: gzip"]) + packed)
    return True


@functools.cache
def bomb(size):
    """The beginning of an answer and so many spaces, packed. Takes a second for 100 MB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(b'{"results":[')]
    parts += [packer.compress(b" " * (1 << 20)) for _ in range(size >> 20)]
    return b"".join(parts) + packer.flush()


async def _gzip_bomb(connection, options, body):
    packed = bomb(options.get("bytes", HUGE))
    connection.write(head(200, len(packed), more=["Content-Encoding: gzip"]) + packed)
    await connection.drained()
    return True


async def _reset(connection, options, body):
    if options.get("bytes"):
        connection.write((head(200, len(body)) + body)[:options["bytes"]])
        await connection.drained()
        await asyncio.sleep(0.05)
    connection.reset()


async def _redirect(connection, options, body):
    # Without a "location" it points at this same server under its other name.
    location = options.get("location") or f"http://localhost:{connection.port}{connection.target}"
    connection.write(head(options.get("status", 302), 0, more=[f"Location: {location}"]))
    return True


async def _close(connection, options, body):
    return False


async def _html(connection, options, body):
    sent = HTML.encode()
    connection.write(head(options.get("status", 502), len(sent), "text/html") + sent)
    return True


KINDS = {
    "never-answer": _never_answer,
    "drip": _drip,
    "delay": _delay,
    "status": _status,
    "limit": _limit,
    "refuse-lists": _refuse_lists,
    "truncated": _truncated,
    "wrong-length": _wrong_length,
    "stall": _stall,
    "not-json": _whole(lambda options, body: options.get("text", "<weather>sunny</weather>")),
    "sentence": _whole(_sentence),
    "nan": _whole(_bare_nan),
    "wrong-types": _whole(_each(_wrong_types)),
    "nulls": _whole(_each(_nulls)),
    "empty": _whole(lambda options, body: b""),
    "body": _whole(lambda options, body: options.get("text", "{}")),
    "huge": _huge,
    "gzip": _gzip,
    "gzip-bomb": _gzip_bomb,
    "reset": _reset,
    "redirect": _redirect,
    "close": _close,
    "html": _html,
}


async def play(fault, connection, body):
    """Plays the fault. True: the answer was whole and the connection may be kept."""
    if fault.options.get("milliseconds"):
        await asyncio.sleep(fault.options["milliseconds"] / 1000)
    return await KINDS[fault.kind](connection, fault.options, body)


class NeverAccepting:
    """A listening socket whose queue is full: the next connect to it hangs."""

    def __init__(self, host):
        self._fillers = []
        self._listener = socket.socket()
        self._listener.bind((host, 0))
        self._listener.listen(0)
        self.port = self._listener.getsockname()[1]

    async def fill(self):
        """Connects until a connect hangs; at most a few are needed for a queue of 0."""
        loop = asyncio.get_running_loop()
        for _ in range(8):
            filler = socket.socket()
            filler.setblocking(False)
            try:
                await asyncio.wait_for(loop.sock_connect(filler, self._listener.getsockname()), 0.3)
            except (asyncio.TimeoutError, OSError):
                filler.close()
                return
            self._fillers.append(filler)
        raise RuntimeError("The listen queue could not be filled.")


class Refusing:
    """A port that is taken but not listened on: a connect to it is refused."""

    def __init__(self, host):
        self._socket = socket.socket()
        self._socket.bind((host, 0))
        self.port = self._socket.getsockname()[1]


def linger_nothing(sock):
    """Makes the next close of this socket a reset."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
