"""Memory: idle, with very many in flight, with very many entries; and whether it stays flat."""

import subprocess
import time

import loads
from machine import raise_descriptor_limit

MEBI, KIBI = 1 << 20, 1 << 10


def run(world, sizes, soak):
    _in_flight(world)
    _growth(world, sizes)
    _soak(world, soak)


def _in_flight(world):
    if not world.echo:
        world.report.skip("memory in flight", "libnginx-mod-http-echo is not installed")
        return
    count = min(10_000, raise_descriptor_limit() - 6000)
    world.responder("held")
    address = f"unix:{world.responders['held'].socket}"
    for what, target, aim in (("of one city", "/weather?city=City%20000001", 20), ("each of a city of its own", "/weather?city=City%20{n}", 20)):
        piece = world.start_program("held", "held")
        time.sleep(0.5)
        idle, idle_descriptors = piece.resident(), piece.descriptors()
        command = loads.flood_command(world.flood_tool, "fcgi", address, target, count, requests=count, first=world.cities(count))
        flood = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        most = threads = 0
        # Upstream takes five seconds for each of the two questions: meanwhile all are in flight.
        end = time.monotonic() + 4.5
        while time.monotonic() < end and flood.poll() is None:
            if piece.resident() > most:
                most, threads = piece.resident(), piece.threads()
            time.sleep(0.1)
        descriptors = piece.descriptors()
        flood.terminate()
        flood.wait(timeout=30)
        flood.stdout.close()
        # They have left all at once: how soon is that noticed?
        left = time.monotonic()
        while piece.descriptors() > idle_descriptors + 4_100 and time.monotonic() - left < 20:
            time.sleep(0.02)
        noticed = time.monotonic() - left
        time.sleep(1)
        each = (most - idle) / count / KIBI
        world.report.line(
            f"memory, {count:,} in flight {what}: {idle / MEBI:.1f} MiB idle, {most / MEBI:.1f} MiB at most, {each:.1f} KiB each, "
            f"{descriptors:,} descriptors, {threads} threads; all connections that left closed after "
            f"{noticed:.1f} s, then {piece.resident() / MEBI:.1f} MiB and {piece.descriptors():,} descriptors (`flood -p fcgi -c {count} -n {count} -q '{target}'`)")
        world.report.row(f"memory for a request in flight, {count:,} {what}, KiB", each, "the aim", aim, 1, lower_is_better=True)
        world.pieces.end(piece)


def _growth(world, sizes):
    world.responder("growing")
    world.start_front()
    piece = world.start_program("growing", "instant", cache={"entries": 2 * max(sizes), "bytes": 17_179_869_184})
    address = f"unix:{world.responders['growing'].socket}"
    seconds = max(1, min(4, world.seconds))
    # Outside what the filling asks for, whose questions are for a hundred places each.
    hot = "/weather?latitude=60.39&longitude=5.32"
    idle, base = piece.resident(), None
    for size in (0, *sizes):
        if size:
            begin = time.monotonic()
            fill = world.flood("fcgi", address, "/weather?{places}", 8, requests=size // 100)
            took = time.monotonic() - begin
            held = world.metric("growing", "tripweather_cache_entries", 'cache="weather"')
            resident = piece.resident()
            world.report.line(
                f"memory at {size:,} entries: {held or 0:,.0f} kept, {resident / MEBI:.1f} MiB resident, "
                f"{(resident - idle) / size / KIBI:.2f} KiB an entry, filled in {took:.1f} s, {fill.bad} bad "
                f"(`flood -p fcgi -c 8 -n {size // 100} -q '/weather?{{places}}'`)")
            world.report.row(f"resident at {size:,} entries, MiB", resident / MEBI)
        load = loads.with_cpu(piece, lambda: world.flood("fcgi", address, hot, 64, seconds=seconds))
        base = base or load
        world.report.line(
            f"hot hit straight over FastCGI at {max(size, 1):,} entries: {load.rate:,.0f}/s, p99 {load.p99:.2f} ms, {load.bad} bad "
            f"(`flood -p fcgi -c 64 -d {seconds} -q '{hot}'`)")
        if size:
            world.report.row(f"hot hits/s at {size:,} entries", load.rate, "one entry", base.rate)
            spread = world.flood("fcgi", address, "/weather?{point}", 64, seconds=seconds, among=size)
            world.report.line(
                f"hits at random among {size:,} entries: {spread.rate:,.0f}/s, p99 {spread.p99:.2f} ms, {spread.bad} bad, then "
                f"{piece.resident() / MEBI:.1f} MiB resident (`flood -p fcgi -c 64 -d {seconds} -R {size} -q '/weather?{{point}}'`)")
            world.report.row(f"hits/s at random among {size:,} entries", spread.rate, "one entry", base.rate)
    world.pieces.end(piece)


def _soak(world, seconds):
    """Hits, misses and evictions for a while, through nginx."""
    world.responder("soaking")
    world.start_front()
    piece = world.start_program("soaking", "instant", cache={"entries": 5_000, "bytes": 64 << 20})
    command = loads.flood_command(
        world.flood_tool, "http", f"127.0.0.1:{world.responders['soaking'].port}", "/weather?{point}", 64, seconds=seconds, among=20_000)
    flood = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    seen = []
    while flood.poll() is None:
        seen.append((piece.resident(), piece.descriptors(), piece.threads()))
        time.sleep(0.5)
    load = loads.flood_result(flood.communicate()[0])
    third = max(1, len(seen) // 3)
    early, late = max(s[0] for s in seen[third:2 * third] or seen), max(s[0] for s in seen[2 * third:] or seen)
    world.report.line(
        f"soak of {seconds} s, hits and misses among 20,000 points with 5,000 kept: {load.answered:,} answered, {load.bad} bad, "
        f"{load.rate:,.0f}/s, p99 {load.p99:.1f} ms; resident {early / MEBI:.1f} MiB at most in the second third, "
        f"{late / MEBI:.1f} in the last; descriptors {min(s[1] for s in seen[third:] or seen)}…{max(s[1] for s in seen)}, threads "
        f"{min(s[2] for s in seen[third:] or seen)}…{max(s[2] for s in seen)} (`flood -p http -c 64 -d {seconds} -R 20000 -q '/weather?{{point}}'`)")
    world.report.row(f"soak of {seconds} s: MiB in the last third", late / MEBI, "the second third", early / MEBI, 1.05 if seconds >= 30 else None, lower_is_better=True)
    world.pieces.end(piece)
