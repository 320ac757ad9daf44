"""What all parts of a run share: the folder, the ports, nginx in front and as upstream, and the responders."""

import os
import shutil
import subprocess
import time

import loads
import sites
from machine import Failed, Pieces, free_ports, get, tool

HERE = os.path.dirname(os.path.abspath(__file__))
CITY = "city=Bergen&country=Norway"
JSON, HTML = f"/weather?{CITY}", f"/weather.html?{CITY}"
# What changes from answer to answer: each responder writes it by itself.
VARYING = {"age", "cache-status", "server-timing", "content-length", "date", "server", "connection"}


class World:
    def __init__(self, folder, program, report, seconds, rounds):
        self.folder, self.program, self.report, self.seconds, self.rounds = folder, program, report, seconds, rounds
        self.pieces = Pieces(folder)
        self.workers = len(os.sched_getaffinity(0))
        self.echo = sites.echo_modules()
        self._next_city = 1000
        names = ["instant", "late", "held", "counted"]
        ports = free_ports(len(names) + 40)
        self.upstream_ports = dict(zip(names, ports))
        self._free = ports[len(names):]
        self.flood_tool = self.compile("flood", ["flood.c"])
        self.responders = {}
        self._front = None
        self.fixed_port = self.port()

    def compile(self, name, sources, *flags):
        """Builds a C program of this folder; raises `Failed` with the compiler's words."""
        path = os.path.join(self.folder, name)
        if os.path.exists(path):
            return path
        command = ["cc", "-O2", "-o", path, *[os.path.join(HERE, source) for source in sources], *flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise Failed(f"{name} can't be compiled: {done.stderr.strip()[:300]}")
        return path

    def build_go(self):
        if not tool("go"):
            raise Failed("golang-go is not installed")
        path = os.path.join(self.folder, "go-responder")
        if os.path.exists(path):
            return path
        done = subprocess.run(
            ["go", "build", "-o", path, "."], cwd=os.path.join(HERE, "peers/go"), capture_output=True, text=True,
            timeout=240, env={**os.environ, "GOCACHE": os.path.join(self.folder, "go-cache"), "GOFLAGS": "-buildvcs=false",
                              "CGO_ENABLED": "0"})
        if done.returncode:
            raise Failed(f"the Go responder can't be built: {done.stderr.strip()[:300]}")
        return path

    def upstream(self, name):
        return f"http://127.0.0.1:{self.upstream_ports[name]}"

    def start_upstream(self):
        path = sites.write_upstream(self.folder, self.workers, self.upstream_ports, self.echo)
        piece = self.pieces.start("upstream", [tool("nginx"), "-p", self.folder, "-c", path])
        self.pieces.wait_for_port(piece, self.upstream_ports["instant"])

    def port(self):
        """A free port for whoever needs one more."""
        if not self._free:
            raise Failed("there are no more ports kept for this run")
        return self._free.pop()

    def responder(self, name, **options):
        """Declares who answers at a port of the front."""
        socket = options.pop("socket", os.path.join(self.folder, f"{name}.sock"))
        self.responders[name] = sites.Responder(name, self.port(), socket, **options)
        return self.responders[name]

    def start_front(self, answers=None):
        """(Re)starts nginx in front of the responders declared so far."""
        if self._front:
            self.pieces.end(self._front)
        path = sites.write_front(self.folder, self.workers, self.responders.values(), (self.fixed_port, answers or {}))
        self._front = self.pieces.start("front", [tool("nginx"), "-p", self.folder, "-c", path])
        self.pieces.wait_for_port(self._front, self.fixed_port)

    def start_program(self, name, upstream, environment=None, wrapper=(), **changes):
        """The program on the socket of the responder of this name."""
        config = sites.write_program(self.folder, name, self.upstream(upstream), **changes)
        socket = self.responders[name].socket
        if os.path.exists(socket):
            os.unlink(socket)
        piece = self.pieces.start(
            name, [*wrapper, self.program, "--config", config, "--listen", f"unix:{socket}"], environment)
        self.pieces.wait_for_socket(piece, socket, seconds=60 if wrapper else 15)
        return piece

    def start_responder(self, name, command):
        piece = self.pieces.start(name, command)
        self.pieces.wait_for_socket(piece, self.responders[name].socket)
        return piece

    def cities(self, count):
        """The number of the first of so many cities that nobody has asked for in this run."""
        first = self._next_city
        self._next_city += count
        if self._next_city > 1_000_000:
            self._next_city = 1000 + count
            first = 1000
        return first

    def flood(self, *arguments, **options):
        return loads.flood(self.flood_tool, *arguments, **options)

    def metric(self, name, *labels):
        """A number of the program's /metrics, asked through the front."""
        _, _, body = get(self.responders[name].url + "/metrics")
        for line in body.decode().splitlines():
            if line.startswith(labels[0]) and all(label in line for label in labels[1:]):
                return float(line.rsplit(" ", 1)[1])
        return None

    def answer(self, url):
        """An answer that must be there: its fields and its body."""
        status, headers, body = get(url)
        if status != 200:
            raise Failed(f"{url} answers {status}: {body[:200]!r}")
        return [(n, v) for n, v in headers.items() if n.lower() not in VARYING], body

    def enough_time(self, deadline, part, seconds):
        """Whether a part that takes so long fits into the run; if not, says so."""
        left = deadline - time.monotonic()
        if left >= seconds:
            return True
        self.report.skip(part, f"{left:.0f} s of the run's time were left, it needs about {seconds:.0f}")
        return False

    def end(self):
        self.pieces.end_all()
        shutil.rmtree(self.folder, ignore_errors=True)
