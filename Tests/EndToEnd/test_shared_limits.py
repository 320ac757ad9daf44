"""What limits the questions to upstream: over clients, over processes and over restarts."""

import pytest

from processes import eventually
from test_cache import BERGEN, cold_config, finish_cgi, folder, start_cgi, start_with_folder  # noqa: F401 (fixtures)

DAILY = {"kind": "limit", "limit": "daily", "retryAfter": 7}


def city(number):
    return f"/weather.json?city=City%20{number:06}"


def asked(stand_in):
    counts = stand_in.counts()
    return counts["search"] + counts["forecast"]


def test_one_client_cannot_spend_everybodys_budget(stand_in, start_program):
    program = start_program({"budget.day": 40, "budget.perClient": 25})
    statuses = [program.ask(city(number), REMOTE_ADDR="192.0.2.1").status for number in range(8)]
    assert statuses[:3] == [200] * 3 and statuses[4:] == [503] * 4, statuses
    refused = program.ask(city(7), REMOTE_ADDR="192.0.2.1")
    assert refused.status == 503 and int(refused["Retry-After"]) >= 1
    # What is known is never limited, and others have their shares: an IPv6 network is one client.
    assert program.ask(city(0), REMOTE_ADDR="192.0.2.1").status == 200
    assert program.ask(city(7), REMOTE_ADDR="2001:db8::1").status == 200
    statuses = [program.ask(city(number), REMOTE_ADDR=f"2001:db8::{number}").status for number in range(10, 18)]
    assert 200 in statuses and statuses[-1] == 503, statuses
    assert program.ask(city(20), REMOTE_ADDR="2001:db8:0:1::1").status == 200


def test_of_many_places_what_one_request_may_not_spend_is_loading(stand_in, start_program):
    program = start_program({"budget.perRequest": 20})
    target = "/weather.json?" + "&".join(f"place={number},1" for number in range(25))

    def states():
        answered = program.ask(target)
        assert answered.status == 200
        assert answered["Cache-Control"] == "no-store"
        return [one["state"] for one in answered.json()["places"]]

    assert states() == ["loaded"] * 10 + ["loading"] * 15
    assert states() == ["loaded"] * 20 + ["loading"] * 5
    assert program.ask(target).json()["places"][24]["state"] == "loaded"


def test_ten_cgi_requests_during_a_daily_limit_ask_once(stand_in, keeper, basics, folder):  # noqa: F811
    config = cold_config(keeper, basics, folder)
    stand_in.misbehave(search=DAILY)
    assert [finish_cgi(start_cgi(config, city(number))).status for number in range(10)] == [503] * 10
    assert asked(stand_in) == 1


def test_a_limit_is_kept_over_a_restart_and_told_to_cgi(stand_in, keeper, basics, folder, start_with_folder):  # noqa: F811
    program = start_with_folder()
    stand_in.misbehave(search=DAILY)
    first = program.ask(BERGEN)
    assert first.status == 503 and asked(stand_in) == 1
    config = cold_config(keeper, basics, folder)

    def held():
        before = asked(stand_in)
        assert finish_cgi(start_cgi(config, city(1))).status == 503
        return asked(stand_in) == before

    eventually(held, 10, "a limit that a CGI process hears of")
    assert program.stop() == 0
    before = asked(stand_in)
    program = start_with_folder()
    again = program.ask(city(2))
    assert again.status == 503 and asked(stand_in) == before
    # Who asked heard the same as who comes later.
    assert abs(int(first["Retry-After"]) - int(again["Retry-After"])) <= 60


def test_two_daemons_never_overspend_one_budget(stand_in, keeper, start_with_folder):  # noqa: F811
    changes = {"budget.day": 60, "budget.perClient": 100}
    first = start_with_folder(changes)
    second = start_with_folder({**changes, "server.listen": [f"unix:{keeper.folder}/second.sock"]})
    for number in range(40):
        first.ask(city(2 * number))
        second.ask(city(2 * number + 1))
    counts = stand_in.counts()
    spent = counts["search"] + 17 * 16 / 140 * counts["forecast"]
    assert 40 <= spent <= 60, counts


@pytest.mark.parametrize("limited", [{"kind": "status", "status": 429}, {"kind": "status", "status": 429, "retryAfter": 40}])
def test_the_first_and_the_second_hear_the_same_wait(stand_in, program, limited):
    stand_in.misbehave(search=limited)
    first, second = program.ask(city(1)), program.ask(city(2))
    assert (first.status, second.status) == (503, 503)
    assert abs(int(first["Retry-After"]) - int(second["Retry-After"])) <= 6
    assert asked(stand_in) == 1


def test_what_never_leaves_is_not_logged_as_asked(stand_in, start_program):
    program = start_program({"budget.day": 3})
    assert program.ask(city(1)).status == 200
    assert program.ask(city(2)).status == 503
    program.stop()
    log = program.child.log
    assert log.count('"event":"asking"') == asked(stand_in), log
