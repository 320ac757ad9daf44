"""Programs that a test starts, and that end with it whatever happens."""

import ctypes
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

# A sanitizer makes the program ten times slower: limits get more slack, and crowds are smaller.
SANITIZED = bool(os.environ.get("TRIP_WEATHER_SANITIZER"))
SLACK = 4.0 if SANITIZED else 1.0

# Debian keeps nginx and fcgiwrap there, and an ordinary user's PATH leaves it out.
COMMANDS = os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin") + ":/usr/local/sbin:/usr/sbin:/sbin"

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def command(name):
    """The path of a command that a test needs."""
    found = shutil.which(name, path=COMMANDS)
    assert found, f"there is no {name} here: deploy/install test"
    return found


def eventually(condition, limit=5.0, what="the condition"):
    """Polls until the condition is true; answers with its value. Fails after `limit` seconds."""
    end = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come true within {limit} s")
        time.sleep(0.005)


class Stopwatch:
    """Seconds since it was made."""

    def __init__(self):
        self._start = time.monotonic()

    @property
    def seconds(self):
        return time.monotonic() - self._start


def assert_limit(seconds, limit, slack=SLACK):
    """Not before the limit, exactly; not after it with the slack."""
    assert seconds >= limit, f"gave up after {seconds:.3f} s, before its limit of {limit} s"
    assert seconds <= limit + slack, f"gave up after {seconds:.3f} s, {seconds - limit:.3f} s after its limit"


def _end_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Child:
    """A process of ours: its standard error goes to a file, and `end` ends it by its id.

    It leads a process group of its own, so that what it has started ends with it (fcgiwrap leaves its workers behind).
    """

    def __init__(self, arguments, folder, name, environment=None, stdin=None, cwd=None, pass_fds=()):
        self.name = name
        self._log = Path(folder) / f"{name}-{time.monotonic_ns()}.log"
        self._out = self._log.with_suffix(".out")
        with open(self._log, "wb") as errors, open(self._out, "wb") as output:
            self._process = subprocess.Popen(
                [str(a) for a in arguments], env=environment, cwd=cwd, stdin=stdin or subprocess.DEVNULL, stdout=output,
                stderr=errors, pass_fds=pass_fds, preexec_fn=_end_with_parent, process_group=0)

    @property
    def pid(self):
        return self._process.pid

    @property
    def log(self):
        return self._log.read_text("utf-8", errors="replace")

    @property
    def output(self):
        return self._out.read_text("utf-8", errors="replace")

    @property
    def status(self):
        """The exit status, negative for a signal; None while it runs."""
        return self._process.poll()

    def signal(self, number):
        if self.status is None:
            self._process.send_signal(number)

    def wait(self, limit):
        try:
            return self._process.wait(limit)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} still runs after {limit} s; its log ends:\n{self.log[-3000:]}") from None

    def wait_until(self, condition, limit=15.0, what="ready"):
        """Polls the condition while the process lives."""
        def check():
            if self.status is not None:
                raise AssertionError(f"{self.name} ended with {self.status} before it was {what}:\n{self.log[-3000:]}")
            return condition()

        return eventually(check, limit, f"{self.name} {what}")

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def end(self, limit=5.0):
        self._signal_group(signal.SIGTERM)
        if self.status is None:
            try:
                self._process.wait(limit)
            except subprocess.TimeoutExpired:
                pass
        end = time.monotonic() + limit
        while self._signal_group(0) and time.monotonic() < end:
            time.sleep(0.005)
        self._signal_group(signal.SIGKILL)
        if self.status is None:
            self._process.wait(limit)

    def crash(self):
        """What a sanitizer or Swift said of a fault in the program, or nothing."""
        log = self.log
        for word in ("WARNING: ThreadSanitizer", "ERROR: AddressSanitizer", "runtime error:", "Fatal error"):
            at = log.find(word)
            if at >= 0:
                return log[at:at + 6000]
        if self.status in (-signal.SIGILL, -signal.SIGSEGV, -signal.SIGTRAP, -signal.SIGABRT, -signal.SIGBUS):
            return f"ended by signal {-self.status}:\n{log[-2000:]}"
        return None

    def _signal_group(self, number):
        """Whether anyone was there to get the signal."""
        try:
            os.killpg(self.pid, number)
            return True
        except ProcessLookupError:
            return False


class Keeper:
    """Starts children and ends all of them, the last one first."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self._children = []

    def start(self, arguments, name, **more):
        child = Child(arguments, self.folder, name, **more)
        self._children.append(child)
        return child

    def end(self):
        faults = []
        for child in reversed(self._children):
            try:
                child.end()
            except Exception as fault:  # the others must end too
                faults.append(f"{child.name}: {fault}")
            if crash := child.crash():
                faults.append(f"{child.name}: {crash}")
        assert not faults, "\n".join(faults)

    def logs(self):
        return "\n".join(f"--- {c.name} (exit {c.status})\n{c.log[-3000:]}" for c in self._children if c.log)
