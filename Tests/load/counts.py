"""What one answer costs, counted and not timed: instructions by callgrind, allocations by a counting malloc.

Each is counted in two runs that differ only in the number of answers, so that starting and ending drop out.
"""

import os
import re

from machine import Failed, tool
from world import HTML, JSON


# A miss asks for place and forecast: {n} makes it another city each time.
WAYS = {"a hit, JSON": (JSON, 1), "a hit, HTML": (HTML, 1), "a miss, JSON": ("/weather?city=City%20{n}", 0.2)}


def run(world, few, many):
    world.responder("counted")
    for what, (target, share) in WAYS.items():
        less, more = int(few * share), int(many * share)
        for unit, count, how in (("allocations", _allocations, "LD_PRELOAD of Tests/load/count_allocations.c"),
                                 ("instructions", _instructions, "valgrind --tool=callgrind, one loop")):
            try:
                each = _difference(world, target, less, more, count)
                world.report.line(f"{what}: {each:,.1f} {unit} ({how}; {more} answers less {less})")
                world.report.row(f"{unit} for {what}", each)
            except Failed as failure:
                world.report.skip(f"{unit} for {what}", str(failure))


def _difference(world, path, few, many, count):
    return (count(world, path, many) - count(world, path, few)) / (many - few)


def _serve(world, path, answers, wrapper, environment):
    """Serves so many answers after a first one, and ends; returns the log."""
    piece = world.start_program("counted", "instant", environment, wrapper, server={"workers": 1})
    address = f"unix:{world.responders['counted'].socket}"
    first = world.cities(answers + 2)
    world.flood("fcgi", address, path, 1, requests=2, first=first)
    load = world.flood("fcgi", address, path, 1, requests=answers, first=first + 2)
    world.pieces.end(piece)
    if load.bad or load.answered < answers:
        raise Failed(f"{load.bad} of {answers} answers were bad")
    with open(piece.log, errors="replace") as file:
        return file.read()


def _instructions(world, path, answers):
    valgrind = tool("valgrind")
    if not valgrind:
        raise Failed("valgrind is not installed")
    out = os.path.join(world.folder, "callgrind.out")
    log = _serve(world, path, answers, [valgrind, "--tool=callgrind", f"--callgrind-out-file={out}"], {})
    found = re.search(r"Collected : (\d+)", log)
    if not found:
        raise Failed(f"callgrind says nothing: {log[-200:]}")
    return int(found[1])


def _allocations(world, path, answers):
    library = world.compile("count-allocations.so", ["count_allocations.c"], "-shared", "-fPIC")
    out = os.path.join(world.folder, "allocations")
    _serve(world, path, answers, [], {"LD_PRELOAD": library, "COUNT_ALLOCATIONS": out})
    with open(out) as file:
        return int(file.read())
