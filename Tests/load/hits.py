"""Answers from the cache, through nginx with kept connections, against what people would use instead."""

import os
import statistics

import loads
import sites
from machine import Failed, tool
from world import HTML, JSON

KINDS = {"JSON": JSON, "HTML": HTML}


def run(world):
    report = world.report
    world.responder("program")
    world.responder("logged")
    world.start_front()
    program = world.start_program("program", "instant")
    logged = world.start_program("logged", "instant", log={"requests": "all"})
    # The same thousand cities for everybody.
    for name in ("program", "logged"):
        world.flood("fcgi", f"unix:{world.responders[name].socket}", "/weather?city=City%20{n}&country=Norway", 8, requests=1000)
    answers = _store_answers(world)

    runs = {"trip-weather": ("program", program), "trip-weather, each request logged": ("logged", logged)}
    for start in (_start_c, _start_go, _start_php):
        try:
            runs.update(start(world))
        except Failed as failure:
            report.skip(start.__name__.removeprefix("_start_"), str(failure))
    world.responder("cached", socket=world.responders["program"].socket, cached=True)
    world.start_front({path: answers[path] for path in ("/weather", "/weather.html")})
    runs["nginx fastcgi_cache hit"] = ("cached", None)
    runs["nginx return 200"] = (None, None)
    runs = _best_of_their_kind(world, runs, answers)
    _measure(world, runs)
    for name, (_, piece) in runs.items():
        if piece:
            world.pieces.end(piece)


def _store_answers(world):
    """Puts the program's own answers where the others load them from."""
    folder = os.path.join(world.folder, "answers")
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/keys", "w") as file:
        file.write("Bergen\tNorway\n")
        file.writelines(f"City {number:06d}\tNorway\n" for number in range(1000))
    answers = {}
    for kind, path in (("json", JSON), ("html", HTML)):
        world.answer(world.responders["program"].url + path)
        fields, body = world.answer(world.responders["program"].url + path)
        with open(f"{folder}/{kind}.head", "w", newline="") as file:
            file.writelines(f"{name}: {value}\r\n" for name, value in fields)
        with open(f"{folder}/{kind}.body", "wb") as file:
            file.write(body)
        answers[path.partition("?")[0]] = (
            [*fields, ("Age", "0"), ("Cache-Status", "responder; hit"), ("Server-Timing", "render;dur=0.0")], body.decode())
    return answers


def _start_c(world):
    binary = world.compile("c-responder", ["peers/c/responder.c"], "-lfcgi")
    found = {}
    for name, processes, keepalive in (("c_few", 4 * world.workers, 0), ("c_kept", 72, 64)):
        world.responder(name, keepalive=keepalive)
        piece = world.start_responder(
            name, [binary, world.responders[name].socket, str(processes), f"{world.folder}/answers"])
        found[f"C libfcgi, {processes} processes, {'kept' if keepalive else 'new'} connections"] = (name, piece)
    return found


def _start_go(world):
    binary = world.build_go()
    world.responder("go")
    piece = world.start_responder(
        "go", [binary, "-socket", world.responders["go"].socket, "-answers", f"{world.folder}/answers"])
    return {"Go net/http/fcgi": ("go", piece)}


def _start_php(world):
    if not tool("php-fpm8.2", "php-fpm"):
        raise Failed("php-fpm is not installed")
    found = {}
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers/php/weather.php")
    for name, children, keepalive in (("php_few", 4 * world.workers, 0), ("php_kept", 72, 64)):
        world.responder(name, keepalive=keepalive, script=script)
        piece = world.start_responder(
            name, sites.write_php(world.folder, name, world.responders[name].socket, children))
        world.start_front()
        world.answer(world.responders[name].url + "/fill")
        found[f"PHP-FPM with APCu, {children} processes, {'kept' if keepalive else 'new'} connections"] = (name, piece)
    return found


def _url(world, name, path):
    return (world.responders[name].url if name else f"http://127.0.0.1:{world.fixed_port}") + path


def _best_of_their_kind(world, runs, answers):
    """Checks that all answer the same, and keeps the faster of two set-ups of one kind."""
    kept, tries = {}, {}
    for label, (name, piece) in runs.items():
        try:
            for path in KINDS.values():
                fields, body = world.answer(_url(world, name, path))
                wanted = answers[path.partition("?")[0]]
                if body.decode() != wanted[1]:
                    # The logged program has asked for itself, at its own time.
                    if name != "logged":
                        raise Failed("the answer has other bytes")
                missing = {n.lower() for n, _ in wanted[0]} - {n.lower() for n, _ in fields} - {"age", "cache-status", "server-timing"}
                if missing:
                    raise Failed(f"the answer lacks {', '.join(sorted(missing))}")
            kind = label.split(",")[0]
            if name and name.partition("_")[2]:
                load = loads.wrk(_url(world, name, JSON), 2 if world.seconds > 2 else 1)
                world.report.line(f"{label}: {load.rate:,.0f}/s in a short try, {load.bad} bad")
                tries.setdefault(kind, []).append((load.rate if not load.bad else load.rate / 2, label))
            else:
                kept[label] = (name, piece)
        except Failed as failure:
            world.report.skip(label, str(failure))
    for kind, options in tries.items():
        best = max(options)[1]
        kept[best] = runs[best]
    for label, (_, piece) in runs.items():
        if label not in kept and piece:
            world.pieces.end(piece)
    return kept


def _measure(world, runs):
    found = {(label, kind): [] for label in runs for kind in KINDS}
    for turn in range(world.rounds):
        order = list(runs.items()) if turn % 2 == 0 else list(runs.items())[::-1]
        for label, (name, piece) in order:
            for kind, path in KINDS.items():
                url = _url(world, name, path)
                if piece:
                    load = loads.with_cpu(piece, lambda url=url: loads.wrk(url, world.seconds))
                else:
                    load = loads.wrk(url, world.seconds)
                found[label, kind].append(load)
    middle = {}
    for (label, kind), some in found.items():
        rate = statistics.median(load.rate for load in some)
        cpu = [load.per_cpu_second for load in some if load.per_cpu_second]
        middle[label, kind] = (rate, statistics.median(cpu) if cpu else None)
        each = f", {middle[label, kind][1]:,.0f} for a CPU second of its own" if cpu else ""
        world.report.line(
            f"hit, {kind}, {label}: {rate:,.0f}/s{each}, p50 {statistics.median(l.p50 for l in some):.2f} ms, "
            f"p99 {statistics.median(l.p99 for l in some):.2f} ms, {sum(l.bad for l in some)} bad "
            f"(`wrk --latency -t2 -c64 -d{world.seconds}s`, median of {world.rounds})")
    for label in runs:
        if label == "trip-weather":
            continue
        aim = next((aim for start, aim in (("C ", 1.6), ("Go", 2.5), ("PHP", 2.5), ("nginx fastcgi", 0.65)) if label.startswith(start)), None)
        for kind in KINDS:
            ours, theirs = middle["trip-weather", kind], middle[label, kind]
            world.report.row(f"hits, {kind}, requests/s", ours[0], label, theirs[0], aim)
        if theirs[1]:
            ours, theirs = middle["trip-weather", "JSON"], middle[label, "JSON"]
            world.report.row("hits, JSON, requests for a CPU second", ours[1], label, theirs[1])
