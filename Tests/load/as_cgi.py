"""One process a request, from the start of it to its answer: through fcgiwrap and under Apache's mod_cgi."""

import http.client
import os
import shutil
import statistics
import time

import sites
from machine import Failed, tool
from world import HERE


def run(world, count):
    folder = os.path.join(world.folder, "cgi")
    shutil.copytree(os.path.join(HERE, "peers/php"), os.path.join(world.folder, "php"), dirs_exist_ok=True)
    os.makedirs(folder, exist_ok=True)
    # Apache's processes are another user's.
    os.chmod(world.folder, 0o755)
    config = sites.write_program(world.folder, "cgi", world.upstream("instant"))
    programs = {"trip-weather": ("trip-weather", "/weather")}
    shutil.copy(world.program, f"{folder}/trip-weather")
    try:
        os.replace(world.compile("c-cgi", ["peers/c/cgi.c"], "-lcurl"), f"{folder}/c-cgi")
        programs["C with libcurl, decoding nothing"] = ("c-cgi", "")
    except Failed as failure:
        world.report.skip("CGI in C", str(failure))
    if php := tool("php-cgi"):
        with open(f"{folder}/weather.cgi", "w") as file:
            file.write(f"#!{php}\n<?php\nrequire '{world.folder}/php/weather.php';\n")
        programs["php-cgi"] = ("weather.cgi", "")
    else:
        world.report.skip("CGI in PHP", "php-cgi is not installed")
    for name, _ in programs.values():
        os.chmod(f"{folder}/{name}", 0o755)

    environment = {"TRIP_WEATHER_CONFIG": config, "BENCH_UPSTREAM": world.upstream("instant"), "REDIRECT_STATUS": "200",
                   "SITE_PREFIX": "/cgi/trip-weather"}
    for way, start in (("fcgiwrap", _fcgiwrap), ("Apache's mod_cgi", _apache)):
        try:
            piece, port, others = start(world, folder, environment, programs)
        except Failed as failure:
            world.report.skip(f"CGI by {way}", str(failure))
            continue
        middle = {}
        for label, (name, path) in programs.items():
            try:
                middle[label] = _measure(world, port, f"/cgi/{name}{path}", count)
            except Failed as failure:
                world.report.skip(f"CGI by {way}, {label}", str(failure))
                continue
            world.report.line(
                f"CGI by {way}, {label}: {middle[label][0]:.1f} ms from asking to the whole answer, p99 {middle[label][1]:.1f} ms "
                f"(median of {count} one after the other, each asks upstream twice)")
        for label in programs:
            if label != "trip-weather" and label in middle and "trip-weather" in middle:
                world.report.row(f"CGI by {way}, ms", middle["trip-weather"][0], label, middle[label][0])
        for one in (piece, *others):
            world.pieces.end(one)


def _fcgiwrap(world, folder, environment, programs):
    wrapper = tool("fcgiwrap")
    if not wrapper:
        raise Failed("fcgiwrap is not installed")
    socket = os.path.join(world.folder, "fcgiwrap.sock")
    piece = world.pieces.start("fcgiwrap", [wrapper, "-c", "4", "-s", f"unix:{socket}"])
    world.pieces.wait_for_socket(piece, socket)
    text = sites.nginx_head(world.folder, "cgi-front", world.workers)
    port = world.port()
    text += f"    server {{\n        listen 127.0.0.1:{port};\n"
    for name, path in programs.values():
        more = "".join(f"            fastcgi_param {key} {value};\n" for key, value in environment.items())
        text += f"        location /cgi/{name} {{{sites.PARAMETERS}{more}"
        text += f"            fastcgi_param SCRIPT_FILENAME {folder}/{name};\n"
        text += f"            fastcgi_param PATH_INFO \"{path}\";\n" if path else ""
        text += f"            fastcgi_pass unix:{socket};\n        }}\n"
    path = os.path.join(world.folder, "cgi-front.conf")
    with open(path, "w") as file:
        file.write(text + "    }\n}\n")
    front = world.pieces.start("cgi-front", [tool("nginx"), "-p", world.folder, "-c", path])
    world.pieces.wait_for_port(front, port)
    return front, port, [piece]


def _apache(world, folder, environment, programs):
    apache = tool("apache2")
    if not apache:
        raise Failed("apache2 is not installed")
    port = world.port()
    path = sites.write_apache(world.folder, port, environment)
    piece = world.pieces.start("apache", [apache, "-d", world.folder, "-f", path, "-DFOREGROUND"])
    world.pieces.wait_for_port(piece, port)
    return piece, port, []


def _measure(world, port, path, count):
    times = []
    for number in range(world.cities(count), 1 << 30):
        if len(times) == count:
            break
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        begin = time.monotonic()
        connection.request("GET", f"{path}?city=City%20{number:06d}")
        answer = connection.getresponse()
        body = answer.read()
        times.append((time.monotonic() - begin) * 1000)
        connection.close()
        if answer.status != 200 or b'"loaded"' not in body:
            raise Failed(f"{path} answers {answer.status}: {body[:200]!r}")
    times.sort()
    return statistics.median(times), times[int(0.99 * (len(times) - 1))]
