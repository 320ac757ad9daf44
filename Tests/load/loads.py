"""The two load tools, and what they say: wrk for hits, flood for everything that counts or holds requests."""

import re
import subprocess

from machine import Failed


class Load:
    """What a run of a load tool saw."""

    def __init__(self, rate, answered, bad, p50, p99, values=None):
        self.rate, self.answered, self.bad, self.p50, self.p99 = rate, answered, bad, p50, p99
        self.values = values or {}
        # Seconds of processor that the responder used meanwhile; filled in by whoever measures it.
        self.cpu = None

    @property
    def per_cpu_second(self):
        return self.answered / self.cpu if self.cpu else None


def _milliseconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}[unit]


def wrk(url, seconds, connections=64, threads=2):
    command = ["wrk", "--latency", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 30)
    found = re.search(r"(\d+) requests in ", done.stdout)
    if done.returncode or not found:
        raise Failed(f"wrk: {(done.stdout + done.stderr).strip()[-300:]}")
    bad = sum(int(number) for number in re.findall(r"Non-2xx or 3xx responses: (\d+)", done.stdout))
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", done.stdout)
    bad += sum(map(int, errors.groups())) if errors else 0
    latencies = dict(re.findall(r"^\s+(50|99)%\s+(\S+)$", done.stdout, re.MULTILINE))
    return Load(
        float(re.search(r"Requests/sec:\s+([0-9.]+)", done.stdout)[1]), int(found[1]), bad,
        _milliseconds(latencies["50"]), _milliseconds(latencies["99"]))


def flood_command(tool, protocol, address, target, connections, requests=None, seconds=None, first=0, among=None, ramp=0):
    command = [tool, "-p", protocol, "-a", address, "-q", target, "-c", str(connections), "-f", str(first)]
    command += ["-n", str(requests)] if requests else ["-d", str(seconds)]
    if among:
        command += ["-R", str(among)]
    if ramp:
        command += ["-r", str(ramp)]
    return command


def flood_result(text):
    values = {name: float(value) for name, value in re.findall(r"(\w+)=([0-9.]+)", text)}
    if "rate" not in values:
        raise Failed(f"flood: {text.strip()[-300:]}")
    return Load(values["rate"], int(values["answered"]), int(values["bad"]), values["p50"], values["p99"], values)


def flood(tool, *arguments, **options):
    command = flood_command(tool, *arguments, **options)
    limit = (options.get("seconds") or 0) + 240
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    return flood_result(done.stdout or done.stderr)


def with_cpu(piece, run):
    """Runs a load, and adds the processor's seconds that the responder used for it."""
    before = piece.cpu()
    load = run()
    load.cpu = piece.cpu() - before
    return load
