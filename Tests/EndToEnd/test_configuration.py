"""The configuration from outside: -t, --print-config, where values come from, and the files that are shipped."""

import re

import pytest

import fastcgi_client
from program import cgi, run, write_config
from stand_in import REPOSITORY


def check(text, keeper, env=None):
    path = keeper.folder / "c.json5"
    path.write_text(text, encoding="utf-8")
    status, output, errors = run(["-t", "--config", path], env)
    return status, output + errors


def test_the_shipped_file_is_right():
    status, output, errors = run(["-t", "--config", REPOSITORY / "deploy/trip-weather.json5"])
    assert status == 0, output + errors


def test_the_shipped_file_has_every_key_with_its_default(keeper):
    shipped = run(["--print-config", "--config", REPOSITORY / "deploy/trip-weather.json5"])[1]
    empty = write_config(keeper.folder / "empty.json5")
    default = run(["--print-config", "--config", empty])[1]
    values = [dict(re.findall(r"(?m)^(\S+): (.*?)\s+// ", text)) for text in (shipped, default)]
    assert values[0] == values[1] and len(values[0]) > 30
    origins = re.findall(r"(?m)^(\S+): .*// (.*)$", shipped)
    missing = [key for key, origin in origins if "trip-weather.json5" not in origin]
    assert not missing, missing


def test_the_servers_limit_is_nginxs():
    nginx = (REPOSITORY / "nginx.conf").read_text("utf-8")
    limits = re.findall(r"fastcgi_read_timeout\s+(\d+)s;", nginx)
    shipped = run(["--print-config", "--config", REPOSITORY / "deploy/trip-weather.json5"])[1]
    assert limits[0] == re.search(r'server\.readTimeout: "(\d+)s"', shipped)[1]
    # A location that waits less lowers the program's deadline with it, and below it.
    deadlines = re.findall(r"REQUEST_DEADLINE\s+(\d+)s;", nginx)
    assert len(limits) == 1 + len(deadlines)
    for limit, deadline in zip(limits[1:], deadlines):
        assert int(deadline) < int(limit) < int(limits[0])


@pytest.mark.parametrize("text, words", [
    ('{upstream: {conectTimeout: "1s"}}', ["upstream.conectTimeout"]),
    ("{weather: {}}", ["weather"]),
    ('{upstream: {connectTimeout: 5}}', ["upstream.connectTimeout"]),
    ('{upstream: {connectTimeout: "soon"}}', ["upstream.connectTimeout"]),
    ('{upstream: {connectTimeout: "-1s"}}', ["upstream.connectTimeout"]),
    ('{upstream: {transfersAtOnce: "many"}}', ["upstream.transfersAtOnce"]),
    ('{upstream: {transfersAtOnce: 1.5}}', ["upstream.transfersAtOnce"]),
    ('{upstream: {forecastURL: "ftp://x"}}', ["upstream.forecastURL"]),
    ('{answers: {units: "kelvin"}}', ["answers.units"]),
    ('{server: {listen: "unix:/x"}}', ["server.listen"]),
    ('{server: {socketMode: "9999"}}', ["server.socketMode"]),
    ('{upstream: {connectTimeout: "7s"}}', ["upstream.connectTimeout", "upstream.transferTimeout"]),
    ('{upstream: {transferTimeout: "9s"}}', ["upstream.transferTimeout", "request.deadline"]),
    ('{request: {deadline: "11s"}}', ["request.deadline", "server.readTimeout"]),
    ('{upstream: {forecastURL: "http://weather.example"}}', ["upstream.forecastURL", "plain http", "use https"]),
    ('{upstream: {caFile: "/nonexistent/ca.pem"}}', ["upstream.caFile", "/nonexistent/ca.pem"]),
    ('{trips: {file: "/etc"}}', ["trips.file", "/etc"]),
    ('{server: {listen: ["unix:/nonexistent/x.sock"]}}', ["server.listen", "/nonexistent/x.sock"]),
    ("{upstream: {", ["not valid JSON5", "c.json5"]),
    ("[]", ["c.json5"]),
    ("", ["c.json5"]),
])
def test_a_fault_is_named(keeper, text, words):
    status, said = check(text, keeper)
    assert status != 0
    for word in words:
        assert word in said, said


def test_all_faults_are_named_at_once(keeper):
    _, said = check('{upstream: {a: 1, b: 2}, server: {c: 3}}', keeper)
    assert all(path in said for path in ("upstream.a", "upstream.b", "server.c"))


def test_comments_and_trailing_commas_are_fine(keeper):
    assert check("// a comment\n{request: {deadline: '7s',}, /* another */}", keeper)[0] == 0


def test_the_environment_overrides_the_file(keeper):
    path = keeper.folder / "c.json5"
    path.write_text('{upstream: {connectTimeout: "1s"}}')
    _, output, _ = run(["--print-config", "--config", path], {"TRIP_WEATHER_UPSTREAM_CONNECT_TIMEOUT": "1500ms"})
    line = next(line for line in output.splitlines() if line.startswith("upstream.connectTimeout"))
    assert '"1.5s"' in line and "TRIP_WEATHER_UPSTREAM_CONNECT_TIMEOUT" in line


def test_an_environment_variable_without_a_key_is_a_fault(keeper):
    status, said = check("{}", keeper, {"TRIP_WEATHER_UPSTREAM_CONECT_TIMEOUT": "1s"})
    assert status != 0 and "TRIP_WEATHER_UPSTREAM_CONECT_TIMEOUT" in said


def test_the_file_from_the_environment(keeper):
    path = keeper.folder / "c.json5"
    path.write_text('{request: {deadline: "7s"}}')
    _, output, _ = run(["--print-config"], {"TRIP_WEATHER_CONFIG": str(path)})
    assert re.search(r'request\.deadline: "7s".*c\.json5', output)


def test_a_named_file_must_be_there():
    status, output, errors = run(["-t", "--config", "/nonexistent/c.json5"])
    assert status != 0 and "/nonexistent/c.json5" in output + errors


def test_secrets_are_not_shown(keeper):
    path = keeper.folder / "c.json5"
    path.write_text('{upstream: {apiKey: "abc-secret"}}')
    _, output, errors = run(["--print-config", "--config", path])
    assert "abc-secret" not in output + errors and "upstream.apiKey" in output


@pytest.mark.parametrize("arguments", [["--nonsense"], ["--config"], ["--listen"], ["extra"], ["--listen", "nowhere"]])
def test_bad_arguments_are_refused(arguments):
    status, _, errors = run(arguments)
    assert status != 0 and errors.strip()


def test_a_former_name_is_read_with_a_warning(keeper):
    status, said = check('{cache: {failureLife: "4s"}}', keeper)
    assert status == 0 and "cache.failureLife is now called cache.failureTTL" in said


def test_a_program_whose_every_question_would_be_refused_does_not_start(keeper):
    path = keeper.folder / "c.json5"
    path.write_text('{upstream: {forecastURL: "http://weather.example"}}')
    status, _, errors = run(["--config", path, "--listen", f"unix:{keeper.folder}/x.sock"])
    assert status != 0 and "upstream.forecastURL" in errors


def test_a_cgi_process_logs_failures_only(basics, keeper):
    config = write_config(keeper.folder / "c.json5", basics)
    assert b"request" not in cgi(config, "/weather.json?city=Bergen").errors
    assert b'"request"' in cgi(config, "/weather.json?city=Atlantis").errors
    config = write_config(keeper.folder / "c.json5", basics, {"log.requests": "all"})
    assert b'"request"' in cgi(config, "/weather.json?city=Bergen").errors


def test_a_program_with_a_bad_file_does_not_start(keeper):
    path = keeper.folder / "c.json5"
    path.write_text('{upstream: {nonsense: 1}}')
    status, _, errors = run(["--config", path, "--listen", f"unix:{keeper.folder}/x.sock"])
    assert status != 0 and "upstream.nonsense" in errors
    with pytest.raises(OSError):
        fastcgi_client.Client(keeper.folder / "x.sock")
