"""The ways in which the program is started, and CGI."""

import os
import shutil
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest

import answer
import fastcgi_client
import program as program_module
from processes import Stopwatch
from program import Program, binary, cgi, environment, run, write_config
from web_server import free_port


@pytest.fixture
def config(keeper, basics):
    """A configuration that listens nowhere by itself."""
    return write_config(keeper.folder / "trip-weather.json5", basics, {"server.listen": []})


def test_spawn_fcgi(keeper, config):
    path = keeper.folder / "spawned.sock"
    program = Program(keeper, config, path, ["/usr/bin/spawn-fcgi", "-n", "-s", path, "--", binary(), "--config", config])
    assert program.ask("/weather.json?city=Bergen").status == 200
    assert program.stop() == 0


def test_spawn_fcgi_on_tcp(keeper, config):
    port = free_port()
    program = Program(keeper, config, ("127.0.0.1", port),
                      ["/usr/bin/spawn-fcgi", "-n", "-a", "127.0.0.1", "-p", port, "--", binary(), "--config", config])
    assert program.ask("/weather.json?city=Bergen").status == 200


def test_a_listening_standard_input_with_closed_outputs(keeper, config):
    """The specification closes 1 and 2 (section 2.2): nothing may be printed into a connection."""
    path = keeper.folder / "bare.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(16)
    script = 'exec "$0" --config "$1" 1>&- 2>&-'
    program = Program(keeper, config, path, ["/bin/sh", "-c", script, binary(), config], stdin=listener)
    listener.close()
    for _ in range(5):
        assert program.ask("/weather.json?city=Bergen").status == 200
    assert program.ask("/weather.json?city=Hogsmeade").status == 404


def test_sockets_from_systemd(keeper, config):
    paths = [keeper.folder / "one.sock", keeper.folder / "two.sock"]
    launcher = Path(__file__).parent / "listen_fds.py"
    program = Program(keeper, config, paths[0], ["/usr/bin/python3", launcher, *paths, "--", binary(), "--config", config])
    for path in paths:
        assert fastcgi_client.ask(path, "/weather.json?city=Bergen").status == 200
    assert program.stop() == 0
    assert all(path.exists() for path in paths), "a socket that was handed over is not the program's to remove"


def test_listen_fds_of_another_process_are_not_taken(keeper, config):
    env = environment(LISTEN_PID="1", LISTEN_FDS="1")
    done = subprocess.run([binary(), "--config", config], env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False)
    assert done.returncode != 0 and b"--listen" in done.stderr


def test_several_listeners(keeper, config):
    port = free_port()
    path = keeper.folder / "a.sock"
    program = Program(keeper, config, path, [binary(), "--config", config, "--listen", f"unix:{path}", "--listen", f"127.0.0.1:{port}"])
    assert program.ask("/livez").status == 200
    assert fastcgi_client.ask(("127.0.0.1", port), "/livez").status == 200


def test_the_sockets_mode(keeper, basics):
    config = write_config(keeper.folder / "c.json5", basics, {"server.socketMode": "0600"})
    program = Program(keeper, config)
    assert stat.S_IMODE(os.stat(program.address).st_mode) == 0o600


def test_a_stale_socket_is_replaced(keeper, start_program):
    left = socket.socket(socket.AF_UNIX)
    left.bind(f"{keeper.folder}/trip-weather.sock")
    left.close()
    assert start_program().ask("/livez").status == 200


def test_a_socket_in_use_is_not_replaced(keeper, start_program):
    program = start_program()
    status, _, errors = run(["--config", program.config])
    assert status != 0 and "trip-weather.sock" in errors, errors
    assert program.ask("/livez").status == 200


def test_a_file_that_is_no_socket_is_not_replaced(keeper, basics):
    path = keeper.folder / "trip-weather.sock"
    path.write_text("precious")
    config = write_config(keeper.folder / "c.json5", basics)
    status, _, errors = run(["--config", config])
    assert status != 0 and "trip-weather.sock" in errors
    assert path.read_text() == "precious"


def test_a_taken_port_is_said(keeper, config):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, _, errors = run(["--config", config, "--listen", f"127.0.0.1:{taken.getsockname()[1]}"])
    assert status != 0 and "127.0.0.1" in errors


def test_from_a_shell_without_a_listener_it_says_what_to_do(config):
    status, _, errors = run(["--config", config])
    assert status != 0 and "--listen" in errors


def test_the_socket_goes_when_the_program_stops(start_program):
    program = start_program()
    assert program.stop() == 0
    assert not Path(program.address).exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_cleanly(start_program, number):
    program = start_program()
    program.ask("/weather.json?city=Bergen")
    program.child.signal(number)
    assert program.child.wait(10) == 0


def test_sigpipe_and_sighup_do_not_end_it(start_program):
    program = start_program()
    program.child.signal(signal.SIGPIPE)
    program.child.signal(signal.SIGHUP)
    assert program.ask("/livez").status == 200
    assert program.child.status is None


def test_the_soft_descriptor_limit_is_raised(keeper, basics):
    config = write_config(keeper.folder / "c.json5", basics)
    program = Program(keeper, config, arguments=["/bin/sh", "-c", 'ulimit -Sn 64; exec "$0" --config "$1"', binary(), config])
    limits = Path(f"/proc/{program.child.pid}/limits").read_text()
    soft, hard = next(line for line in limits.splitlines() if "open files" in line).split()[3:5]
    assert soft == hard
    clients = [program.connect() for _ in range(150)]
    for client in clients:
        client.send(fastcgi_client.request(1, fastcgi_client.parameters("/livez")))
    assert all(client.answer().status == 200 for client in clients)
    for client in clients:
        client.close()


def test_cgi(stand_in, config):
    answered = cgi(config, "/weather.json?city=Bergen")
    assert answered.status == 200 and answered.json()["place"]["name"] == "Bergen"
    assert stand_in.counts()["forecast"] == 1


def test_cgi_ignores_arguments(config):
    answered = cgi(config, "/livez?-t+--config=/etc/passwd", arguments=["-t", "--config=/etc/passwd", "--print-config"])
    assert answered.status == 200, answered


def test_cgi_reads_no_more_than_the_length(config):
    answered = cgi(config, "/weather.json?city=Bergen", method="POST", body=b"x" * 100)
    assert answered.status == 405


def test_cgi_with_a_bad_configuration_still_answers(keeper, basics):
    config = write_config(keeper.folder / "bad.json5", basics, {"upstream.nonsense": 1})
    answered = cgi(config, "/livez")
    assert answered.status == 500 and "nonsense" not in answered.text, answered


def test_a_cgi_process_is_cancelled_by_sigterm(stand_in, keeper, config):
    stand_in.misbehave(search={"kind": "never-answer"})
    variables = fastcgi_client.parameters("/weather.json?city=Bergen")
    variables = {name: value.decode() if isinstance(value, bytes) else value for name, value in variables.items()}
    child = keeper.start([binary()], "cgi", environment=environment(TRIP_WEATHER_CONFIG=str(config), **variables))
    stand_in.wait_for(inFlight=1)
    watch = Stopwatch()
    child.signal(signal.SIGTERM)
    child.wait(5)
    assert watch.seconds < 2
    stand_in.wait_for(inFlight=0, limit=2)


def test_a_cgi_process_is_cancelled_by_a_closed_output(stand_in, config):
    stand_in.misbehave(search={"kind": "never-answer"})
    variables = fastcgi_client.parameters("/weather.json?city=Bergen")
    variables = {name: value.decode() if isinstance(value, bytes) else value for name, value in variables.items()}
    process = subprocess.Popen([binary()], env=environment(TRIP_WEATHER_CONFIG=str(config), **variables), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        stand_in.wait_for(inFlight=1)
        process.stdout.close()
        stand_in.wait_for(inFlight=0, limit=2)
        process.wait(5)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_a_cgi_process_ends_both_outputs_with_the_answer(stand_in, config):
    """A web server that waits for the end of standard error (fcgiwrap) has the answer then, also if the reader stalls."""
    answered = cgi(config, "/weather.json?city=Bergen")
    assert answered.status == 200
    assert not answered.errors, "by default only failures are logged in CGI"
    assert b"404" in cgi(config, "/weather.json?city=Hogsmeade").errors


def test_a_cgi_process_reads_a_body_that_it_refuses(config):
    read, write = os.pipe()
    variables = fastcgi_client.parameters("/trips.json", method="POST", CONTENT_LENGTH="70000", CONTENT_TYPE="application/json")
    variables = {name: value.decode() if isinstance(value, bytes) else value for name, value in variables.items()}
    with subprocess.Popen([binary()], env=environment(TRIP_WEATHER_CONFIG=str(config), **variables), stdin=read,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        os.close(read)
        # More than a pipe holds: it fails with EPIPE if the process ends before it has read this.
        with os.fdopen(write, "wb") as body:
            body.write(b"x" * 70_000)
        output = process.stdout.read()
    assert answer.from_cgi(output, b"").status == 413


def test_a_loop_without_a_thread_is_no_start(keeper, basics):
    library = keeper.folder / "no_threads.so"
    source = Path(__file__).parent / "preload/no_threads.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
    config = write_config(keeper.folder / "trip-weather.json5", basics, {"server.workers": 4})
    status, _, errors = run(["--config", config], env={"LD_PRELOAD": str(library)})
    assert status == 1
    assert "can't start a thread for loop-1" in errors, errors
    assert not (keeper.folder / "trip-weather.sock").exists()


def test_a_copy_without_the_toolchain_starts(keeper, config):
    """The release build holds Swift's runtime; a debug build may need the toolchain's libraries."""
    release = program_module.REPOSITORY / ".build/release/trip-weather"
    if "release" not in str(binary()):
        pytest.skip("the program under test is no release build")
    copy = keeper.folder / "trip-weather"
    shutil.copy(release, copy)
    done = subprocess.run([copy, "-t", "--config", config], env={"PATH": "/usr/bin:/bin"}, capture_output=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr
    linked = subprocess.run(["ldd", copy], capture_output=True, text=True, timeout=20, check=True).stdout
    assert "libswift" not in linked and "not found" not in linked
