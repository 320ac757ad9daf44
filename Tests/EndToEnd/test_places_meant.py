"""The place that was meant: by its number or its coordinates, where the name alone leads elsewhere."""

import pytest

from trips import Traveller

OREGON, MAINE = 5746545, 4975802


@pytest.fixture
def keeping(keeper):
    return {"trips.file": str(keeper.folder / "kept/trips.sqlite")}


def put(traveller, trip, body):
    answered = traveller.send("PUT", f"/api/trips/{trip['id']}", body, {"If-Match": f'"{trip["version"]}"'})
    assert answered.status == 200, answered
    return answered.json()


def latitude_of(traveller, trip):
    return traveller.get(f"/api/trips/{trip['id']}").json()["place"]["latitude"]


def test_a_trip_to_portland_in_maine_is_still_there_after_a_restart(start_program, keeping):
    program = start_program(keeping)
    traveller = Traveller(program.ask)
    suggested = program.ask("/places.json?q=Portland").json()["places"]
    maine = next(place for place in suggested if place["region"] == "Maine")
    assert maine["id"] == MAINE
    added = traveller.add("Portland", country="United States", place={"placeId": MAINE}).json()
    assert added["place"]["placeId"] == MAINE and added["place"]["latitude"] == pytest.approx(43.657, abs=0.01)
    program.stop()
    traveller = Traveller(start_program(keeping).ask, traveller.cookie)
    weather = traveller.get(f"/api/trips/{added['id']}/weather").json()
    assert weather["place"]["region"] == "Maine" and weather["place"]["latitude"] == pytest.approx(43.657, abs=0.01)


def test_the_name_alone_is_the_larger_city(start_program, keeping):
    traveller = Traveller(start_program(keeping).ask)
    assert latitude_of(traveller, traveller.add("Portland", country="United States").json()) == pytest.approx(45.523, abs=0.01)


def test_weather_by_number(program):
    assert program.ask(f"/weather.json?placeId={MAINE}").json()["place"]["region"] == "Maine"
    assert program.ask(f"/weather.json?placeId={MAINE}").json()["line"].startswith("Portland, United States")


def test_an_unknown_number_is_remembered_as_no_place(stand_in, program):
    for _ in range(3):
        assert program.ask("/weather.json?placeId=999999999").status == 404
    assert stand_in.counts()["get"] == 1


@pytest.mark.parametrize("query", ["placeId=x", "placeId=0", "placeId=-3", f"placeId={MAINE}&city=Bergen", f"placeId={MAINE}&place=1,1"])
def test_a_number_is_one_and_alone(program, query):
    assert program.ask(f"/weather.json?{query}").status == 400


@pytest.mark.parametrize("place", [
    {"placeId": 999999999}, {"placeId": "x"}, {"latitude": 91, "longitude": 0}, {"latitude": 43}, {"name": "Maine"}, {}, 7,
    {"placeId": OREGON, "latitude": 43.65737, "longitude": -70.2589},
])
def test_a_place_that_is_none_is_refused(start_program, keeping, place):
    traveller = Traveller(start_program(keeping).ask)
    refused = traveller.add("Portland", country="United States", place=place)
    assert refused.status == 400, refused
    assert [field["name"] for field in refused.json()["fields"]] == ["place"]


def test_another_city_drops_the_place_that_came_with_the_trip(start_program, keeping):
    traveller = Traveller(start_program(keeping).ask)
    added = traveller.add("Portland", country="United States", place={"placeId": MAINE}).json()
    whole = {name: added[name] for name in ("city", "country", "start", "nights", "price", "picture", "favourite", "place")}
    kept = put(traveller, added, {**whole, "nights": 2})
    assert kept["place"]["placeId"] == MAINE
    moved = put(traveller, kept, {**whole, "city": "Bergen", "country": "Norway"})
    assert latitude_of(traveller, moved) == pytest.approx(60.39, abs=0.01)


def test_coordinates_win_if_the_geocoder_is_silent(stand_in, start_program, keeping):
    traveller = Traveller(start_program({**keeping, "trips.placeWait": "300ms"}).ask)
    stand_in.misbehave(get={"kind": "never-answer"}, search={"kind": "never-answer"})
    place = {"placeId": MAINE, "latitude": 43.65737, "longitude": -70.2589}
    added = traveller.add("Portland", country="United States", place=place)
    assert added.status == 201 and added.json()["place"]["placeId"] == MAINE, added
    assert latitude_of(traveller, added.json()) == pytest.approx(43.657, abs=0.01)
