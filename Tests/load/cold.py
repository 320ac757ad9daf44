"""Answers that need both questions to upstream: for each request a city that nobody has asked for yet."""

import json
import os
import statistics

import loads
import sites
from machine import Failed, tool
from world import HERE

TARGET = "/weather?city=City%20{n}"


def run(world):
    report = world.report
    script = os.path.join(HERE, "peers/php/weather.php")
    for upstream in ("instant", "late"):
        if upstream == "late" and not world.echo:
            report.skip("cold, upstream that takes 200 ms", "libnginx-mod-http-echo is not installed")
            continue
        for name in ("program", "go", "php"):
            world.responder(f"{name}_{upstream}", script=script if name == "php" else None,
                            keepalive=0 if name == "php" else 2048)
    world.start_front()
    _instant(world)
    if world.echo:
        _late(world)


def _starters(world, upstream, children):
    def go():
        binary = world.build_go()
        name = f"go_{upstream}"
        return world.start_responder(
            name, [binary, "-socket", world.responders[name].socket, "-upstream", world.upstream(upstream)])

    def php():
        if not tool("php-fpm8.2", "php-fpm"):
            raise Failed("php-fpm is not installed")
        name = f"php_{upstream}"
        command = sites.write_php(world.folder, name, world.responders[name].socket, children, world.upstream(upstream))
        return world.start_responder(name, command)

    return {"trip-weather": (f"program_{upstream}", lambda: world.start_program(f"program_{upstream}", upstream)),
            "Go": (f"go_{upstream}", go), "PHP-FPM": (f"php_{upstream}", php)}


def _start(world, upstream, children):
    """Those that can be started, and that answer what the program answers."""
    running, wanted = {}, None
    for label, (name, start) in _starters(world, upstream, children).items():
        try:
            piece = start()
            _, body = world.answer(f"{world.responders[name].url}/weather?city=City%20{world.cities(1):06d}")
            answer = json.loads(body)
            for part in (answer, answer["place"]):
                for varying in ("updatedAt", "line", "name", "title", "latitude", "longitude"):
                    part.pop(varying, None)
            wanted = wanted or answer
            if answer != wanted:
                raise Failed("it answers something else than the program")
            running[label] = (name, piece)
        except Failed as failure:
            world.report.skip(f"cold, {upstream}, {label}", str(failure))
    return running


def _flood(world, name, piece, connections, protocol="http", ramp=0, at_least=1):
    seconds = max(world.seconds, at_least)
    # More than anyone can answer in the time.
    first = world.cities(int(seconds * 9000))
    responder = world.responders[name]
    address = f"unix:{responder.socket}" if protocol == "fcgi" else f"127.0.0.1:{responder.port}"
    return loads.with_cpu(piece, lambda: world.flood(
        protocol, address, TARGET, connections, seconds=seconds, first=first, ramp=ramp))


def _instant(world):
    running = _start(world, "instant", 8 * world.workers)
    found = {label: [] for label in running}
    for turn in range(world.rounds):
        for label, (name, piece) in list(running.items())[::1 if turn % 2 == 0 else -1]:
            found[label].append(_flood(world, name, piece, 64))
    middle = {}
    for label, some in found.items():
        middle[label] = [statistics.median(load.rate for load in some), statistics.median(load.per_cpu_second or 0 for load in some)]
        world.report.line(
            f"cold, upstream at once, {label}: {middle[label][0]:,.0f}/s, {middle[label][1]:,.0f} for a CPU second of its own, "
            f"p50 {statistics.median(l.p50 for l in some):.1f} ms, p99 {statistics.median(l.p99 for l in some):.1f} ms, "
            f"{sum(l.bad for l in some)} bad (`flood -p http -c 64 -d {world.seconds} -q '{TARGET}'`, median of {world.rounds})")
    for label, aim in (("Go", 1.8), ("PHP-FPM", 4)):
        if label in middle and "trip-weather" in middle:
            world.report.row("cold, requests/s", middle["trip-weather"][0], label, middle[label][0])
            world.report.row("cold, requests for a CPU second", middle["trip-weather"][1], label, middle[label][1], aim)
    for _, piece in running.values():
        world.pieces.end(piece)


def _late(world):
    """Each answer waits 400 ms for upstream, whoever gives it: what comes on top is the responder's and the machine's.

    With 2,000 in flight all the time, 5,000 answers a second are asked for. What the machine can't do comes out
    as waiting, so that it is measured straight over FastCGI too, without nginx in front.
    """
    children, ours = 256, {}
    for label, (name, piece) in _start(world, "late", children).items():
        in_flight = children if label == "PHP-FPM" else 2000
        for way, protocol in (("through nginx", "http"), ("straight over FastCGI", "fcgi")):
            if label == "PHP-FPM" and protocol == "fcgi":
                continue  # It needs SCRIPT_FILENAME, which only nginx tells it here.
            load = _flood(world, name, piece, in_flight, protocol, ramp=400, at_least=4)
            world.report.line(
                f"cold, upstream takes 200 ms twice, {load.values['connections']:.0f} in flight {way}, {label}: {load.rate:,.0f}/s, "
                f"{load.per_cpu_second or 0:,.0f} for a CPU second, p50 {load.p50:.0f} ms, p99 {load.p99:.0f} ms, {load.bad} bad "
                f"(`flood -p {protocol} -c {in_flight} -r 400 -d {max(world.seconds, 4)} -q '{TARGET}'`)")
            figure = f"cold, 2,000 in flight {way}, p99 in ms"
            if label == "trip-weather":
                ours[way] = load
                world.report.row(figure, load.p99, "two waits of 200 ms", 400, 1.2, lower_is_better=True)
            elif label == "Go" and way in ours:
                world.report.row(figure, ours[way].p99, label, load.p99)
        world.pieces.end(piece)
