"""Processes of a run: started in sessions of their own, measured through /proc, and ended by id."""

import os
import platform
import resource
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Failed(Exception):
    """Something that a part of the run needs doesn't work; the text says what."""


class Piece:
    """A process and everything it starts: one session."""

    def __init__(self, name, command, log, environment=None):
        self.name = name
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, **(environment or {})})

    def ids(self):
        """The processes of the session that live."""
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    if int(_stat(entry)[3]) == self.process.pid:
                        found.append(int(entry))
                except (OSError, IndexError):
                    continue
        return found

    def cpu(self):
        """Seconds of processor that the session's living threads have used.

        Out of schedstat, which counts nanoseconds: stat counts ticks of 10 ms, and of many processes that each
        use less it says nothing.
        """
        nanoseconds = 0
        for id in self.ids():
            try:
                for thread in os.listdir(f"/proc/{id}/task"):
                    with open(f"/proc/{id}/task/{thread}/schedstat") as file:
                        nanoseconds += int(file.read().split()[0])
            except OSError:
                continue
        return nanoseconds / 1e9

    def resident(self):
        """Bytes of memory resident in the first process."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def lives(self):
        return self.process.poll() is None

    def last_words(self):
        with open(self.log, errors="replace") as file:
            return " ".join(file.read()[-400:].split())

    def end(self):
        for number, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            deadline = time.monotonic() + patience
            while time.monotonic() < deadline:
                self.process.poll()
                try:
                    os.killpg(self.process.pid, 0)
                except ProcessLookupError:
                    break
                time.sleep(0.02)
            else:
                continue
            break
        self.process.poll()


def _stat(id):
    with open(f"/proc/{id}/stat") as file:
        return file.read().rpartition(")")[2].split()


class Pieces:
    """All that a run has started."""

    def __init__(self, folder):
        self.folder = folder
        self._running = []

    def start(self, name, command, environment=None):
        piece = Piece(name, command, os.path.join(self.folder, f"{name}.log"), environment)
        self._running.append(piece)
        return piece

    def end(self, piece):
        piece.end()
        if piece in self._running:
            self._running.remove(piece)

    def end_all(self):
        for piece in reversed(self._running):
            piece.end()
        self._running.clear()

    def wait_for_socket(self, piece, path, seconds=15):
        def connects():
            with socket.socket(socket.AF_UNIX) as client:
                try:
                    client.connect(path)
                except OSError:
                    return False
            return True
        self._wait(piece, connects, seconds)

    def wait_for_port(self, piece, port, seconds=15):
        def connects():
            with socket.socket() as client:
                return client.connect_ex(("127.0.0.1", port)) == 0
        self._wait(piece, connects, seconds)

    @staticmethod
    def _wait(piece, is_ready, seconds):
        deadline = time.monotonic() + seconds
        while not is_ready():
            if not piece.lives():
                raise Failed(f"{piece.name} ended at once: {piece.last_words()}")
            if time.monotonic() > deadline:
                raise Failed(f"{piece.name} doesn't listen after {seconds} s: {piece.last_words()}")
            time.sleep(0.03)


def free_ports(count):
    """Ports that were free a moment ago."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def get(url, seconds=10):
    """Status, header fields and body of one GET."""
    try:
        with DIRECT.open(url, timeout=seconds) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def tool(name, *others):
    """Where a program is, or None."""
    for candidate in (name, *others):
        found = shutil.which(candidate, path=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin")
        if found:
            return found
    return None


def _first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if lines else None


def description(program):
    """What the figures were made on and with: pairs of a name and a text."""
    model = "unknown"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) // 1048576
    with open("/etc/os-release") as file:
        system = next((line.split("=", 1)[1].strip().strip('"') for line in file if line.startswith("PRETTY_NAME=")), "?")
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    pairs = [
        ("machine", f"{len(os.sched_getaffinity(0))} cores of {model}, {memory} GiB"),
        ("system", f"{system}, Linux {platform.release()}"),
        ("load when it began", load),
        ("descriptor limit", str(resource.getrlimit(resource.RLIMIT_NOFILE)[1])),
        ("program", _first_line([program, "--version"])),
        ("swift", _first_line(["swift", "--version"])),
        ("nginx", _first_line([tool("nginx") or "nginx", "-v"])),
        ("go", _first_line(["go", "version"])),
        ("php", _first_line(["php", "--version"])),
        ("apache", _first_line([tool("apache2") or "apache2", "-v"])),
        ("libfcgi", _first_line(["dpkg-query", "-W", "-f", "${Version}", "libfcgi-dev"])),
        ("wrk", (_first_line(["wrk", "-v"]) or "").split(" Copyright")[0]),
    ]
    return [(name, text) for name, text in pairs if text]
