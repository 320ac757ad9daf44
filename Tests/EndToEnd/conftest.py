"""What every test can ask for. Each test has its own folder, its own program and free ports."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

import openapi
import program as program_module
import web_server as web_server_module
from fastcgi_echo import Echo
from processes import Keeper
from stand_in import REPOSITORY, StandIn


def _folder():
    # Short, since a unix socket's path may have 107 bytes.
    return Path(tempfile.mkdtemp(prefix="tw-", dir="/tmp"))


@pytest.fixture(scope="session")
def session_keeper():
    keeper = Keeper(_folder())
    yield keeper
    keeper.end()
    shutil.rmtree(keeper.folder)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test shows what its programs said."""
    outcome = yield
    report = outcome.get_result()
    if call.when == "call" and report.failed and "keeper" in getattr(item, "funcargs", {}):
        report.sections.append(("what the programs said", item.funcargs["keeper"].logs()))


def pytest_terminal_summary(terminalreporter):
    """Prints what tests measured, also where they ran in parallel, and what wasn't looked at."""
    if reason := openapi.reason_to_skip():
        terminalreporter.write_line(f"The program's questions were held against nothing. {reason}")
    lines = [
        value for reports in terminalreporter.stats.values() for report in reports
        for name, value in getattr(report, "user_properties", ()) if name == "measured" and report.when == "call"
    ]
    if lines:
        terminalreporter.section("measured")
        for line in lines:
            terminalreporter.write_line(line)


def _keeper():
    keeper = Keeper(_folder())
    yield keeper
    try:
        keeper.end()
    finally:
        shutil.rmtree(keeper.folder)


@pytest.fixture
def keeper():
    yield from _keeper()


@pytest.fixture(scope="session")
def running_stand_in(session_keeper):
    return StandIn(session_keeper)


@pytest.fixture
def stand_in(running_stand_in):
    """The stand-in, behaving, with its counts at zero."""
    running_stand_in.start_from_zero()
    yield running_stand_in
    running_stand_in.behave()
    if openapi.reason_to_skip() is None:
        assert openapi.faults_of_questions(running_stand_in.requests()) == []


@pytest.fixture
def basics(stand_in, keeper):
    """The configuration that tests start from: the stand-in as upstream, on a socket in the test's folder."""
    return {
        "server": {"listen": [f"unix:{keeper.folder}/trip-weather.sock"]},
        "upstream": {"geocodingURL": stand_in.url, "forecastURL": stand_in.url, "archiveURL": stand_in.archive_url},
        # staleWait lies within the shortest deadline that a test sets. A failure is remembered as shortly as can be,
        # and no host is left alone for it.
        "cache": {"staleWait": "500ms", "failureTTL": "1s"},
        "breaker": {"failures": 1000},
        "budget": {"minute": 1_000_000, "hour": 1_000_000, "day": 1_000_000},
    }


@pytest.fixture
def start_program(keeper, basics):
    """start_program({"upstream.connectTimeout": "1s"}, env={…}) → Program."""
    def start(changes=None, **more):
        config = program_module.write_config(keeper.folder / "trip-weather.json5", basics, changes or {})
        return program_module.Program(keeper, config, **more)

    return start


@pytest.fixture
def program(start_program):
    return start_program()


@pytest.fixture
def start_behind_nginx(keeper, basics):
    """Starts the program with nginx and fcgiwrap before it: (program, nginx)."""
    def start(changes=None, **more):
        (keeper.folder / "run").mkdir()
        path = keeper.folder / "run/trip-weather.sock"
        config = program_module.write_config(
            keeper.folder / "deploy/trip-weather.json5", basics, {"server.listen": [f"unix:{path}"]}, changes or {})
        running = program_module.Program(keeper, config, address=path, **more)
        web_server_module.start_fcgiwrap(keeper)
        return running, web_server_module.WebServer(keeper)

    return start


@pytest.fixture
def behind_nginx(start_behind_nginx):
    return start_behind_nginx()


@pytest.fixture
def nginx(behind_nginx):
    return behind_nginx[1]


@pytest.fixture(scope="module")
def module_keeper():
    yield from _keeper()


def _echo_behind_nginx(keeper):
    (keeper.folder / "run").mkdir()
    echo = Echo(keeper.folder / "run/trip-weather.sock")
    yield echo, web_server_module.WebServer(keeper)
    echo.close()


@pytest.fixture
def echo_behind_nginx(keeper):
    """nginx with a program behind it that does nothing but remember what it was asked: (echo, nginx)."""
    yield from _echo_behind_nginx(keeper)


@pytest.fixture(scope="module")
def shared_echo_behind_nginx(module_keeper):
    """The same, once for all tests of a file."""
    yield from _echo_behind_nginx(module_keeper)


@pytest.fixture(scope="session")
def certificates(session_keeper):
    """The folder with the authority's certificate and the four servers'."""
    folder = session_keeper.folder / "certificates"
    subprocess.run([REPOSITORY / "deploy/stand-in/certificates", folder], check=True, timeout=60)
    return folder


@pytest.fixture(scope="session")
def slow_lookup(session_keeper):
    """A library to preload: getaddrinfo that sleeps for some names."""
    library = session_keeper.folder / "slow_lookup.so"
    source = Path(__file__).parent / "preload/slow_lookup.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True, timeout=60)
    return library
