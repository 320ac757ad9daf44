"""Very many at once for one city that nobody has asked for: how many questions that costs, and how long it takes."""

import os

from machine import raise_descriptor_limit


def run(world):
    if not world.echo:
        world.report.skip("stampede", "libnginx-mod-http-echo is not installed")
        return
    limit = raise_descriptor_limit()
    world.responder("stampede", keepalive=2048)
    world.start_front()
    piece = world.start_program("stampede", "counted")
    responder = world.responders["stampede"]
    # The program has a descriptor a connection; a worker of nginx may have all, two each.
    straight = min(10_000, limit - 1000)
    through = min(10_000, (min(limit, 20_000) - 1000) // 2)
    ways = (("straight over FastCGI", "fcgi", f"unix:{responder.socket}", straight),
            ("through nginx", "http", f"127.0.0.1:{responder.port}", through))
    for way, protocol, address, count in ways:
        before = _asked(world)
        city = world.cities(1)
        target = f"/weather?city=City%20{city:06d}"
        load = world.flood(protocol, address, target, count, requests=count)
        asked = _asked(world) - before
        world.report.line(
            f"stampede {way}: {count:,} asked at once (descriptor limit {limit:,}), {load.answered:,} answered, {load.bad} bad, "
            f"{asked} upstream requests, last answer after {load.values['last']:.0f} ms of which upstream takes 400 "
            f"(`flood -p {protocol} -c {count} -n {count}`)")
        world.report.row(f"stampede {way}, {count:,} at once: upstream requests", asked, "two questions", 2, 1, lower_is_better=True)
        world.report.row(f"stampede {way}: last answer in ms", load.values["last"], "two waits of 200 ms", 400)
        if load.bad:
            world.report.row(f"stampede {way}: answers that were not 200", load.bad)
    world.pieces.end(piece)


def _asked(world):
    path = os.path.join(world.folder, "counted.log")
    if not os.path.exists(path):
        return 0
    with open(path) as file:
        return sum(1 for line in file if "/v1/" in line or "@" in line)
