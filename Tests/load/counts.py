"""What one hit costs, counted and not timed: instructions by callgrind, allocations by a counting malloc.

Each is counted in two runs that differ only in the number of hits, so that starting and ending drop out.
"""

import os
import re

from machine import Failed, tool
from world import HTML, JSON


def run(world, few, many):
    world.responder("counted")
    for kind, path in (("JSON", JSON), ("HTML", HTML)):
        try:
            each = _difference(world, path, few, many, _allocations)
            world.report.line(
                f"a hit, {kind}: {each:.2f} allocations (LD_PRELOAD of Tests/load/count_allocations.c, {many} hits less {few})")
            world.report.row(f"allocations for a hit, {kind}", each)
        except Failed as failure:
            world.report.skip(f"allocations, {kind}", str(failure))
        try:
            each = _difference(world, path, few, many, _instructions)
            world.report.line(
                f"a hit, {kind}: {each:,.0f} instructions (`valgrind --tool=callgrind`, one loop, {many} hits less {few})")
            world.report.row(f"instructions for a hit, {kind}", each)
        except Failed as failure:
            world.report.skip(f"instructions, {kind}", str(failure))


def _difference(world, path, few, many, count):
    return (count(world, path, many) - count(world, path, few)) / (many - few)


def _serve(world, path, hits, wrapper, environment):
    """Serves so many hits after one miss, and ends; returns the log."""
    piece = world.start_program(
        "counted", "instant", environment, wrapper, server={"workers": 1}, upstream={
            "geocodingURL": world.upstream("instant"), "forecastURL": world.upstream("instant")})
    address = f"unix:{world.responders['counted'].socket}"
    world.flood("fcgi", address, path, 1, requests=2)
    load = world.flood("fcgi", address, path, 1, requests=hits)
    world.pieces.end(piece)
    if load.bad or load.answered < hits:
        raise Failed(f"{load.bad} of {hits} answers were bad")
    with open(piece.log, errors="replace") as file:
        return file.read()


def _instructions(world, path, hits):
    valgrind = tool("valgrind")
    if not valgrind:
        raise Failed("valgrind is not installed")
    out = os.path.join(world.folder, "callgrind.out")
    log = _serve(world, path, hits, [valgrind, "--tool=callgrind", f"--callgrind-out-file={out}"], {})
    found = re.search(r"Collected : (\d+)", log)
    if not found:
        raise Failed(f"callgrind says nothing: {log[-200:]}")
    return int(found[1])


def _allocations(world, path, hits):
    library = world.compile("count-allocations.so", ["count_allocations.c"], "-shared", "-fPIC")
    out = os.path.join(world.folder, "allocations")
    _serve(world, path, hits, [], {"LD_PRELOAD": library, "COUNT_ALLOCATIONS": out})
    with open(out) as file:
        return int(file.read())
