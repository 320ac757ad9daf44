"""Every day of a trip: what the program tells of it, held against the stand-in's archive and a model of what is usual.

Days are counted from today in UTC. A trip's own today is its place's, so trips start or end two days away from it.
"""

import time
from datetime import date, datetime, timedelta, timezone

import pytest

from trips import Traveller
from usual_model import usual

PLACES = {
    "Bergen": (60.39, 5.32), "Sydney": (-33.87, 151.21), "Apia": (-13.83, -171.77), "Kathmandu": (27.70, 85.32),
    "Longyearbyen": (78.22, 15.64), "Seattle": (47.61, -122.33),
}
# Answers that can't be asked for again wait for the archive until they have it.
PATIENT = {"archive.wait": "5s"}


def today():
    return datetime.now(timezone.utc).date()


def ahead(days):
    return today() + timedelta(days=days)


def next_date(month, day, from_ahead=20):
    """The next such date that no forecast reaches."""
    first = ahead(from_ahead)
    return next(date(year, month, day) for year in range(first.year, first.year + 9)
                if (day != 29 or month != 2 or year % 4 == 0) and date(year, month, day) >= first)


def ask(program, place, start, nights, form="json", **more):
    latitude, longitude = PLACES[place]
    address = f"/weather.{form}?latitude={latitude}&longitude={longitude}&start={start}&nights={nights}"
    return program.ask(address, **more)


def trip_of(program, place, start, nights):
    answered = ask(program, place, start, nights)
    assert answered.status == 200, answered
    trip = answered.json()["trip"]
    dates = [(start + timedelta(days=night)).isoformat() for night in range(nights + 1)]
    assert [one["date"] for one in trip["days"]] == dates, "one entry for every day of the stay"
    return trip


def kinds(trip):
    """Each kind with how many days of it follow each other."""
    runs = []
    for one in trip["days"]:
        if runs and runs[-1][0] == one["kind"]:
            runs[-1][1] += 1
        else:
            runs.append([one["kind"], 1])
    return [tuple(run) for run in runs]


@pytest.fixture
def patient(start_program):
    return start_program(PATIENT)


# What is usual

USUAL = {
    "the border of two half-months": ("Bergen", next_date(5, 13), 5),
    "the southern half": ("Sydney", next_date(1, 20), 2),
    "the leap day": ("Bergen", next_date(2, 29) - timedelta(days=1), 2),
    "the year's turn": ("Seattle", next_date(12, 30), 4),
    "the date line": ("Apia", next_date(3, 3), 2),
    "a zone of three quarters of an hour": ("Kathmandu", next_date(7, 7), 2),
    "the polar night": ("Longyearbyen", next_date(1, 12), 2),
    "the polar day": ("Longyearbyen", next_date(6, 20), 2),
}


def assert_usual(told, place):
    """A usual day has the model's numbers, and none that could be taken for a forecast."""
    expected = usual(*PLACES[place], date.fromisoformat(told["date"]), today())
    assert (told["kind"], told["state"]) == ("usual", "loaded"), told
    numbers = told["usual"]
    for name in ("maximum", "minimum"):
        spread = getattr(expected, name)
        for part in ("mean", "low", "high"):
            assert numbers[name][part] == pytest.approx(getattr(spread, part), abs=0.051), (told["date"], name, part)
    assert numbers["wetShare"] == pytest.approx(expected.wet_share, abs=0.0051)
    assert numbers["wetKind"] == expected.kind
    assert numbers["precipitation"] == pytest.approx(expected.precipitation, abs=0.051)
    assert numbers["sky"] == {"partlyCloudy": "partly-cloudy"}.get(expected.sky, expected.sky)
    assert (numbers["firstYear"], numbers["lastYear"]) == (expected.first_year, expected.last_year)
    empty = ("code", "words", "symbol", "maximum", "minimum", "precipitation", "precipitationProbability", "sunrise", "sunset", "uv")
    assert [name for name in empty if told[name] is not None] == []


@pytest.mark.parametrize("place, start, nights", USUAL.values(), ids=USUAL)
def test_usual_weather_is_what_the_model_says(patient, place, start, nights):
    for told in trip_of(patient, place, start, nights)["days"]:
        assert_usual(told, place)


def test_sixty_nights_have_sixty_one_usual_days(patient, stand_in):
    start = ahead(40)
    trip_of(patient, "Bergen", start, 60)
    days = [start + timedelta(days=night) for night in range(61)]
    half_months = {(day.month, day.day > 15) for day in days}
    trip = trip_of(patient, "Bergen", start, 60)
    assert kinds(trip) == [("usual", 61)]
    assert stand_in.counts()["archive"] == len(half_months)
    for told in (trip["days"][0], trip["days"][30], trip["days"][60]):
        assert_usual(told, "Bergen")
    assert {told["state"] for told in trip["days"]} == {"loaded"}


# All three kinds

def test_a_trip_under_way_has_all_three_kinds(patient, stand_in):
    start = ahead(-12)
    trip = trip_of(patient, "Bergen", start, 40)
    found = kinds(trip)
    assert [kind for kind, _ in found] == ["observed", "forecast", "usual"]
    assert found[0][1] in (11, 12, 13) and found[1][1] in (15, 16)
    observed = trip["days"][:8]
    archive = stand_in.ask(
        f"/v1/archive?latitude=60.39&longitude=5.32&start_date={start}&end_date={ahead(-5)}"
        "&daily=temperature_2m_max,temperature_2m_min,precipitation_sum,weather_code").json()["daily"]
    for index, told in enumerate(observed):
        assert (told["state"], told["isForecast"], told["uv"], told["usual"]) == ("loaded", False, None, None), told
        for name, column in (("maximum", "temperature_2m_max"), ("minimum", "temperature_2m_min"),
                             ("precipitation", "precipitation_sum"), ("code", "weather_code")):
            assert told[name] == pytest.approx(archive[column][index], abs=0.051)
    # The archive doesn't have its last two days yet, and nobody had asked for a forecast of them.
    assert trip["days"][11]["state"] == "unknown" and trip["days"][11]["kind"] == "observed"
    assert_usual(trip["days"][-1], "Bergen")


def test_each_day_says_what_it_is(patient):
    told = ask(patient, "Bergen", ahead(-12), 40, form="html").body.decode()
    for words in ("Past days are as a reanalysis has them", "it is no forecast", "The forecast reaches to", "usually "):
        assert words in told, words
    assert told.count("<li ") == 41
    text = ask(patient, "Bergen", ahead(90), 3, form="txt").body.decode()
    assert "by day" in text and "by night" in text and "There is no forecast yet; the first comes on" in text


def test_a_trip_that_is_over_leads_with_what_it_was_like(patient):
    start = ahead(-30)
    told = ask(patient, "Bergen", start, 4, form="html").body.decode()
    assert told.index("weather-lead") < told.index("weather-line")
    assert "This trip is over." in told and "no forecast" not in told
    assert {one["kind"] for one in trip_of(patient, "Bergen", start, 4)["days"]} == {"observed"}


# When the archive is slow or away

def test_days_that_are_on_their_way_are_loading_and_come(start_program, stand_in):
    program = start_program({"archive.wait": "100ms"})
    stand_in.misbehave(archive={"kind": "delay", "milliseconds": 1500})
    answered = ask(program, "Bergen", ahead(90), 3)
    assert answered.status == 200 and "no-store" in answered["Cache-Control"]
    assert {one["state"] for one in answered.json()["trip"]["days"]} == {"loading"}
    html = ask(program, "Bergen", ahead(90), 3, form="html")
    assert 'data-days="loading"' in html.body.decode() and "no-store" in html["Cache-Control"]
    # What can't be asked for again waits.
    text = ask(program, "Bergen", ahead(90), 3, form="txt").body.decode()
    assert "usually" in text and "being asked for" not in text
    answered = ask(program, "Bergen", ahead(90), 3)
    assert {one["state"] for one in answered.json()["trip"]["days"]} == {"loaded"}
    assert "no-store" not in answered["Cache-Control"]
    assert 'data-days' not in ask(program, "Bergen", ahead(90), 3, form="html").body.decode()
    assert stand_in.counts()["archive"] == 1


def test_without_the_archive_the_forecast_stays(patient, stand_in):
    stand_in.misbehave(archive={"kind": "status", "status": 500})
    trip = trip_of(patient, "Bergen", ahead(-12), 40)
    states = {kind: {one["state"] for one in trip["days"] if one["kind"] == kind} for kind, _ in kinds(trip)}
    assert states == {"observed": {"unknown"}, "forecast": {"loaded"}, "usual": {"unknown"}}
    assert "not known" in ask(patient, "Bergen", ahead(-12), 40, form="html").body.decode()


def test_without_the_forecast_the_other_days_stay(patient, stand_in):
    stand_in.misbehave(forecast={"kind": "status", "status": 500})
    answered = ask(patient, "Bergen", ahead(90), 2)
    assert answered.status == 200, answered
    told = answered.json()
    assert told["state"] == "failed" and told["message"]
    for day in told["trip"]["days"]:
        assert_usual(day, "Bergen")


def test_lists_that_are_refused_are_asked_for_year_by_year(patient, stand_in):
    stand_in.misbehave(archive={"kind": "refuse-lists"})
    for told in trip_of(patient, "Bergen", next_date(5, 3), 2)["days"]:
        assert_usual(told, "Bergen")
    assert stand_in.counts()["archive"] == 11


def test_a_subscription_without_the_archive_is_said_and_not_asked_again(patient, stand_in):
    stand_in.misbehave(archive={
        "kind": "status", "status": 403, "reason": "This API endpoint requires the API Professional or Enterprise plan"})
    trip = trip_of(patient, "Bergen", ahead(90), 2)
    assert {one["state"] for one in trip["days"]} == {"unknown"}
    assert any("subscription" in note for note in trip["notes"]), trip["notes"]
    asked = stand_in.counts()["archive"]
    # Nor is it about other places.
    assert any("subscription" in note for note in trip_of(patient, "Sydney", ahead(120), 2)["notes"])
    assert stand_in.counts()["archive"] == asked


# What it costs

COSTS = {
    # Forecast, then ten units for each place and half-month, and the past days, whose question weighs little.
    "next week": (5, 4, 2.0, 0),
    "in three months": (next_date(3, 3, from_ahead=60), 5, 12.0, 1),
    "in three months, over two half-months": (next_date(3, 13, from_ahead=60), 5, 22.0, 2),
    "under way": (-3, 6, 3.0, 1),
    "over": (-30, 6, 3.0, 1),
}


@pytest.mark.parametrize("start, nights, most, questions", COSTS.values(), ids=COSTS)
def test_what_a_trip_costs(patient, stand_in, start, nights, most, questions):
    start = start if isinstance(start, date) else ahead(start)
    trip_of(patient, "Bergen", start, nights)
    counts = stand_in.counts()
    print(f"{counts['units']} units, {counts['forecast']} forecast, {counts['archive']} archive")
    assert (counts["forecast"], counts["archive"]) == (1, questions)
    assert counts["units"] <= most
    # Nobody pays again, nor for other days of the same half-month.
    trip_of(patient, "Bergen", start, nights)
    trip_of(patient, "Bergen", start, 1)
    assert stand_in.counts()["units"] == counts["units"]


def test_a_refresh_of_all_trips_asks_once(start_program, stand_in, keeper):
    program = start_program({"refresh.atMostEvery": "1s", "trips.file": str(keeper.folder / "trips.sqlite")})
    traveller = Traveller(program.ask)
    for city in ("Bergen", "Sydney", "Kathmandu"):
        assert traveller.add(city, start=ahead(5).isoformat()).status == 201
    # Each place is found with the first question about its trip.
    for trip in traveller.trips():
        assert traveller.get(f"/api/trips/{trip['id']}/weather").status == 200
    assert traveller.get("/api/trips/weather").status == 200
    before = stand_in.counts()["forecast"]
    assert traveller.get("/api/trips/weather").status == 200
    assert stand_in.counts()["forecast"] == before, "nothing is past its time"
    # refresh.atMostEvery is over.
    time.sleep(1.1)
    answered = traveller.get("/api/trips/weather?refresh=1")
    assert answered.status == 200, answered
    assert {one["weather"]["state"] for one in answered.json()["trips"]} == {"loaded"}
    assert stand_in.counts()["forecast"] == before + 1
