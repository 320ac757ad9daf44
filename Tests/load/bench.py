"""Measures the program against what people would use instead, all on this machine in one run: deploy/bench."""

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
from datetime import datetime, timezone

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import as_cgi  # noqa: E402
import cold  # noqa: E402
import counts  # noqa: E402
import hits  # noqa: E402
import memory  # noqa: E402
import stampede  # noqa: E402
from machine import Failed, description, raise_descriptor_limit  # noqa: E402
from report import Report  # noqa: E402
from world import World  # noqa: E402

PARTS = ("hits", "cold", "stampede", "memory", "cgi")


def main():
    parser = argparse.ArgumentParser(prog="deploy/bench", description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True, help="the Markdown file to write")
    parser.add_argument("--quick", action="store_true", help="short loads: to see that it works, not to quote")
    parser.add_argument("--long", action="store_true", help="a million entries and a soak of ten minutes too")
    parser.add_argument("--callgrind", action="store_true", help="count the instructions and allocations of a hit too")
    parser.add_argument("--only", default="", help=f"some parts only, with commas between: {','.join(PARTS)}")
    asked = parser.parse_args()
    parts = [part for part in asked.only.split(",") if part] or list(PARTS)
    if unknown := set(parts) - set(PARTS) - {"none"}:
        parser.error(f"there is no part {', '.join(sorted(unknown))}")

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    begin = time.monotonic()
    # The whole run ends within this; a part that doesn't fit any more is left out.
    deadline = begin + (165 if asked.quick else 3600 if asked.long else 690)
    raise_descriptor_limit()
    report = Report()
    folder = tempfile.mkdtemp(prefix="trip-bench-")
    world = None
    facts = description(asked.program)
    for name, text in facts:
        print(f"{name}: {text}")
    try:
        world = World(folder, asked.program, report, 1 if asked.quick else 8, 1 if asked.quick else 2)
        world.start_upstream()
        sizes = [10_000] if asked.quick else [100_000, 1_000_000] if asked.long else [100_000]
        soak = 5 if asked.quick else 600 if asked.long else 30
        work = {
            "hits": (lambda: hits.run(world), 30 if asked.quick else 280),
            "cold": (lambda: cold.run(world), 20 if asked.quick else 110),
            "stampede": (lambda: stampede.run(world), 10),
            "memory": (lambda: memory.run(world, sizes, soak), 30 if asked.quick else 80),
            "cgi": (lambda: as_cgi.run(world, 20 if asked.quick else 200), 10 if asked.quick else 40),
        }
        for part in PARTS:
            if part not in parts:
                continue
            run, seconds = work[part]
            if not world.enough_time(deadline, part, seconds):
                continue
            perform(part, run, world, begin)
        if asked.callgrind:
            few, many = (100, 600) if asked.quick else (500, 2500)
            perform("callgrind", lambda: counts.run(world, few, many), world, begin)
    except Failed as failure:
        report.skip("everything else", str(failure))
    finally:
        if world:
            world.end()
    facts.append(("run", f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC, {time.monotonic() - begin:.0f} s, "
                         f"`deploy/bench {' '.join(sys.argv[sys.argv.index('--out') + 2:])}`".replace(" `deploy/bench `", " `deploy/bench`")))
    text = report.markdown("Trip Weather measured", facts)
    os.makedirs(os.path.dirname(asked.out), exist_ok=True)
    with open(asked.out, "w") as file:
        file.write(text)
    print("\n" + text)
    print(f"Also in {asked.out}.")


def perform(part, run, world, begin):
    """Runs a part; what fails costs its own figures only."""
    print(f"\n== {part} ({time.monotonic() - begin:.0f} s)", flush=True)
    try:
        run()
    except Failed as failure:
        world.report.skip(f"the rest of {part}", str(failure))
    except Exception as error:  # One part's fault must not cost the others' figures.
        traceback.print_exc()
        world.report.skip(f"the rest of {part}", f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
