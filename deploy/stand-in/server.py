"""The stand-in's HTTP server: one event loop, HTTP/1.1 with kept connections, and a way to count them."""

import argparse
import asyncio
import collections
import gzip
import json
import os
import resource
import signal
import sys
from datetime import datetime, timezone
from urllib.parse import unquote_plus

import cost
import faults
from archive import USUAL_DELAY, archive
from asked import Refused
from cities import Gazetteer, result
from forecast import forecast

LARGEST_HEAD = 65536
LARGEST_BODY = 1 << 20
ROUTES = {f"/v1/{route}": route for route in faults.ROUTES}
# Answered in chunks, as they are made.
STREAMED = frozenset({"forecast", "archive"})


def parsed_query(text):
    """`a=1&a=2&b` as {"a": ["1", "2"], "b": [""]}; + is a space."""
    query = {}
    for pair in text.split("&"):
        if pair:
            name, _, value = pair.partition("=")
            query.setdefault(unquote_plus(name), []).append(unquote_plus(value))
    return query


class StandIn:
    """What the connections share: the places, the faults, the counts, and the last requests."""

    def __init__(self, options):
        self.gazetteer = Gazetteer(options.made_up)
        self.seed = options.seed
        self.archive_delay = options.archive_delay
        self.compress = not options.plain
        self.faults = faults.FaultTable()
        self.connections = set()
        self.counts = dict.fromkeys(faults.ROUTES, 0)
        self.units = 0.0
        self.in_flight = 0
        self.most = {"inFlight": 0, "openConnections": 0}
        self.requests = collections.deque(maxlen=2000)
        self.ports = {}
        self._answers = {}

    def open_connections(self):
        return sum(1 for connection in self.connections if not connection.control)

    def begin(self, route):
        self.counts[route] += 1
        self.in_flight += 1
        self.most["inFlight"] = max(self.most["inFlight"], self.in_flight)
        self.most["openConnections"] = max(self.most["openConnections"], self.open_connections())

    def end(self):
        self.in_flight -= 1

    def charge(self, units):
        self.units += units

    def answer(self, route, query_text, query):
        """Status, body and cost of the right answer."""
        now = datetime.now(timezone.utc)
        key = (route, query_text, now.toordinal(), now.hour, now.minute // 15)
        if key in self._answers:
            return self._answers[key]
        if len(self._answers) >= 20_000:
            self._answers.clear()
        try:
            body, units = self._right_answer(route, query, now)
            answer = (200, body.encode(), units)
        except Refused as refused:
            answer = (400, faults.reason_body(str(refused)).encode(), cost.FAILED)
        self._answers[key] = answer
        return answer

    def _right_answer(self, route, query, now):
        if route == "forecast":
            return forecast(query, self.gazetteer, self.seed, now)
        if route == "archive":
            return archive(query, self.gazetteer, self.seed, now, self.archive_delay)
        return (self._search(query) if route == "search" else self._get(query)), cost.SEARCH

    def _search(self, query):
        if "name" not in query:
            raise Refused("No value found (expected type 'String') at path 'name'.")
        text = query.get("count", ["10"])[-1]
        try:
            count = int(text)
        except ValueError:
            raise Refused("Value was not of type 'Int' at path 'count'. Data found at 'count' was not Int.") from None
        if not 1 <= count <= 100:
            raise Refused("Parameter count must be between 1 and 100.")
        form = query.get("format", ["json"])[-1]
        if form != "json":
            raise Refused(
                "Data corrupted at path 'format'. Cannot initialize ProtobufSerializationFormat from invalid String value "
                + f"{form}.")
        language = query.get("language", ["en"])[-1]
        places = self.gazetteer.search(query["name"][-1], count, language, query.get("countryCode", [None])[-1])
        answer = {"results": [result(place, language) for place in places]} if places else {}
        answer["generationtime_ms"] = 0.4620552
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))

    def _get(self, query):
        """One place by its id, bare: without a list around it."""
        if "id" not in query:
            raise Refused("No value found (expected type 'Int32') at path 'id'.")
        try:
            place = self.gazetteer.get(int(query["id"][-1]))
        except ValueError:
            raise Refused("Value was not of type 'Int32' at path 'id'. Data found at 'id' was not Int32.") from None
        if place is None:
            raise Refused("Location ID not found.")
        return json.dumps(result(place, query.get("language", ["en"])[-1]), ensure_ascii=False, separators=(",", ":"))

    # The addresses for tests; no fault touches them.
    def control(self, method, path, body):
        try:
            if path == "/_counts" and method == "GET":
                return 200, {**self.counts, "units": round(self.units, 6), "inFlight": self.in_flight,
                             "openConnections": self.open_connections()}
            if path == "/_counts" and method == "DELETE":
                self.counts = dict.fromkeys(faults.ROUTES, 0)
                self.units = 0.0
                self.most = {"inFlight": self.in_flight, "openConnections": self.open_connections()}
                self.requests.clear()
                return 200, {}
            if path == "/_most" and method == "GET":
                return 200, self.most
            if path == "/_requests" and method == "GET":
                return 200, list(self.requests)
            if path == "/_ports" and method == "GET":
                return 200, self.ports
            if path == "/_faults" and method == "PUT":
                self.faults.replace(body)
                return 200, {}
            if path == "/_faults" and method == "DELETE":
                self.faults.clear()
                return 200, {}
        except faults.BadFault as bad:
            return 400, {"error": True, "reason": str(bad)}
        return 404, {"error": True, "reason": "Not Found"}


class Connection(asyncio.Protocol):
    """One client's connection: requests are read whole and answered one after the other."""

    def __init__(self, shared):
        self.shared = shared
        self.control = False
        self._buffer = bytearray()
        self._task = None
        self._busy = False
        self._room = asyncio.Event()
        self._room.set()
        self._transport = None

    def connection_made(self, transport):
        self._transport = transport
        self.port = transport.get_extra_info("sockname")[1]
        self.shared.connections.add(self)

    def connection_lost(self, error):
        self.shared.connections.discard(self)
        self._room.set()
        if self._busy:
            self._busy = False
            self.shared.end()
        if self._task:
            self._task.cancel()

    def pause_writing(self):
        self._room.clear()

    def resume_writing(self):
        self._room.set()

    def data_received(self, data):
        self._buffer += data
        if not self._busy:
            self._next_request()

    def _next_request(self):
        while not self._busy and not self._transport.is_closing():
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > LARGEST_HEAD:
                    self.close()
                return
            lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
            headers = {}
            for line in lines[1:]:
                name, _, value = line.partition(":")
                headers[name.strip().lower()] = value.strip()
            length = headers.get("content-length", "0")
            parts = lines[0].split(" ")
            if len(parts) != 3 or not length.isdigit() or int(length) > LARGEST_BODY:
                self.write(faults.head(400, 0, more=["Connection: close"]))
                self.close()
                return
            whole = end + 4 + int(length)
            if len(self._buffer) < whole:
                return
            body = bytes(self._buffer[end + 4:whole])
            del self._buffer[:whole]
            self._request(parts[0], parts[1], headers, body)

    def _request(self, method, target, headers, body):
        self.target = target
        path, _, query_text = target.partition("?")
        keep = headers.get("connection", "").lower() != "close"
        if path.startswith("/_"):
            self.control = True
            status, answer = self.shared.control(method, path, body)
            self._finish(status, json.dumps(answer).encode(), keep)
            return
        route = ROUTES.get(path)
        if route is None or method not in ("GET", "HEAD"):
            self._finish(404, faults.reason_body("Not Found").encode(), keep)
            return
        query = parsed_query(query_text)
        self.shared.requests.append({"method": method, "route": route, "target": target, "headers": headers})
        self.shared.begin(route)
        status, answer, units = self.shared.answer(route, query_text, query)
        fault = self.shared.faults.take(route, query, self.shared.gazetteer)
        self.shared.charge(units if fault is None else cost.of_fault(fault.kind, fault.options, units))
        if fault is None:
            packed = self.shared.compress and "gzip" in headers.get("accept-encoding", "")
            self._finish(status, answer, keep, packed=packed, chunked=route in STREAMED and status == 200,
                         bodiless=method == "HEAD")
            self.shared.end()
            return
        self._busy = True
        self._task = asyncio.get_running_loop().create_task(self._play(fault, answer, keep))

    async def _play(self, fault, body, keep):
        kept = await faults.play(fault, self, body)
        self._task = None
        if self._busy:
            self._busy = False
            self.shared.end()
        if not kept or not keep:
            self.close()
        else:
            self._next_request()

    def _finish(self, status, body, keep, packed=False, chunked=False, bodiless=False):
        more = [] if keep else ["Connection: close"]
        if packed:
            body = gzip.compress(body, 1, mtime=0)
            more.append("Content-Encoding: gzip")
        head = faults.head(status, len(body), more=more, chunked=chunked)
        if bodiless:
            body = b""
        elif chunked:
            body = faults.chunk(body) + b"0\r\n\r\n"
        self.write(head + body)
        if not keep:
            self.close()

    # What a fault may do to the connection.
    def write(self, data):
        if not self._transport.is_closing():
            self._transport.write(data)

    async def drained(self):
        await self._room.wait()
        await asyncio.sleep(0)

    def close(self):
        self._transport.close()

    def reset(self):
        faults.linger_nothing(self._transport.get_extra_info("socket"))
        self._transport.abort()


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def write_port_file(path, port):
    """Whole or not at all, so that a reader that polls never sees half a number."""
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(f"{port}\n")
    os.replace(path + ".new", path)


async def serve(options):
    shared = StandIn(options)
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    server = await loop.create_server(lambda: Connection(shared), options.host, options.port, backlog=4096)
    port = server.sockets[0].getsockname()[1]
    full, refusing = faults.NeverAccepting(options.host), faults.Refusing(options.host)
    await full.fill()
    shared.ports = {"main": port, "neverAccept": full.port, "refuse": refusing.port}
    if options.port_file:
        write_port_file(options.port_file, port)
    print(f"Stand-in for Open-Meteo on http://{options.host}:{port}", flush=True)
    await stop.wait()
    server.close()
    for connection in list(shared.connections):
        connection.close()


def main():
    parser = argparse.ArgumentParser(
        prog="stand-in", description="A stand-in for Open-Meteo's geocoder, forecast and archive, right or wrong on purpose.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 takes a free one")
    parser.add_argument("--port-file", help="file to write the port's number to, once it listens")
    parser.add_argument("--made-up", type=int, default=0, metavar="N", help='N more cities, "City 000000" and so on')
    parser.add_argument("--seed", type=int, default=1, help="another seed, other weather (default %(default)s)")
    parser.add_argument("--archive-delay", type=int, default=USUAL_DELAY, metavar="N",
                        help="the archive has no values yet for today (UTC) and N days before (default %(default)s)")
    parser.add_argument("--plain", action="store_true", help="never answer gzip, even if the client asks for it")
    options = parser.parse_args()
    raise_descriptor_limit()
    try:
        asyncio.run(serve(options))
    except OSError as error:
        print(f"stand-in: {error}", file=sys.stderr)
        return 1
    return 0
