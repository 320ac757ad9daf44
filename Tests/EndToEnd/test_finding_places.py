"""A city is found as people write it, in the search field and for the weather alike."""

import pytest

from trips import Traveller


def weather(program, city, country=None, more=""):
    query = f"city={city}" + (f"&country={country}" if country else "")
    answered = program.ask(f"/weather.json?{query}{more}")
    return answered.json()["place"] if answered.status == 200 else answered


def suggestions(program, text, more=""):
    answered = program.ask(f"/places.json?q={text}{more}")
    assert answered.status == 200, answered
    return [(place["name"], place["countryCode"], place["region"]) for place in answered.json()["places"]]


@pytest.mark.parametrize("text, found", [
    ("Dover,%20UK", ("Dover", "GB", "England")), ("Dover,%20Delaware", ("Dover", "US", "Delaware")),
    ("Portland,%20ME", ("Portland", "US", "Maine")), ("St.%20John%E2%80%99s", ("St. John's", "CA", "Newfoundland and Labrador")),
    ("Saint%20Tropez", ("Saint-Tropez", "FR", "Provence-Alpes-Côte d'Azur")),
    ("Saint%E2%80%93Tropez", ("Saint-Tropez", "FR", "Provence-Alpes-Côte d'Azur")),
])
def test_suggestions_and_the_weather_find_the_same_place(program, text, found):
    assert suggestions(program, text)[0] == found
    place = weather(program, text)
    assert (place["name"], place["region"]) == (found[0], found[2])


@pytest.mark.parametrize("city, country, name", [
    ("Firenze", "Italy", "Florence"), ("K%C3%B8benhavn", "Denmark", "Copenhagen"), ("Lisboa", "Portugal", "Lisbon"),
    ("Praha", "Czech%20Republic", "Prague"), ("Skopje", "Macedonia", "Skopje"), ("Vatican%20City", "Holy%20See", "Vatican City"),
    ("Brazzaville", "Congo", "Brazzaville"), ("Kinshasa", "Congo", "Kinshasa"), ("Abidjan", "C%C3%B4te%20d%E2%80%99Ivoire", "Abidjan"),
])
def test_a_name_of_the_countrys_own_language_is_shown_in_the_pages(program, city, country, name):
    assert weather(program, city, country)["name"] == name


def test_another_language_costs_at_most_two_questions_and_a_miss_is_remembered(program, stand_in):
    assert weather(program, "Firenze", "Italy")["name"] == "Florence"
    assert (stand_in.counts()["search"], stand_in.counts()["get"]) == (2, 1)
    stand_in.start_from_zero()
    for _ in range(3):
        assert weather(program, "Hogsmeade", "Italy").status == 404
    assert (stand_in.counts()["search"], stand_in.counts()["get"]) == (2, 0)


def test_places_of_one_name_and_region_are_both_suggested(program):
    assert suggestions(program, "Neukirchen") == [("Neukirchen", "DE", "Saxony")] * 2


@pytest.mark.parametrize("query, words", [
    ("city=Paris&country=Germany", "There is a Paris, but not in Germany."),
    ("city=Portland,%20Idaho", "There is a Portland, but not in Idaho."),
    ("city=Hogsmeade", "no place called Hogsmeade"),
])
def test_a_miss_says_what_did_not_fit(program, query, words):
    answered = program.ask(f"/weather.json?{query}")
    assert answered.status == 404 and words in answered.json()["detail"]
    # The cache remembers it so.
    assert words in program.ask(f"/weather.json?{query}").json()["detail"]


def test_a_name_of_the_readers_own_language_is_found(program):
    italian = {"Accept-Language": "it-IT,it;q=0.9,en;q=0.8"}
    answered = program.ask("/weather.json?city=Firenze", italian)
    assert answered.status == 200 and answered.json()["place"]["name"] == "Florence"
    assert program.ask("/weather.json?city=Firenze").status == 404


def test_suggestions_know_the_readers_own_language_too(program):
    italian = {"Accept-Language": "it-IT,it;q=0.9,en;q=0.8"}
    found = program.ask("/places.json?q=Firenz", italian).json()["places"]
    # By the name that was typed.
    assert [place["name"] for place in found] == ["Firenze"] and found[0]["latitude"] == pytest.approx(43.78, abs=0.01)
    assert program.ask("/places.json?q=Firenz").json()["places"] == []


def test_a_trips_place_is_found_as_its_weather_is(keeper, start_program):
    program = start_program({"trips.file": str(keeper.folder / "kept/trips.sqlite"), "trips.placeWait": "5s"})
    traveller = Traveller(program.ask)
    italian = {"Accept-Language": "it-IT,it;q=0.9,en;q=0.8"}
    trip = {"city": "Firenze", "start": "2026-12-12", "nights": 3}
    assert traveller.send("POST", "/api/trips", trip, italian).status == 201
    added = next(trip for trip in traveller.trips() if trip["city"] == "Firenze")
    assert added["place"]["latitude"] == pytest.approx(43.78, abs=0.01)


@pytest.mark.parametrize("text", ["60.39,%205.32", "60.39N%205.32E", "5.32%C2%B0E,%2060.39%C2%B0N"])
def test_coordinates_in_the_field_are_a_place_without_asking(program, stand_in, text):
    place = weather(program, text, "Norway")
    assert (place["latitude"], place["longitude"], place["country"]) == (60.39, 5.32, None)
    suggested = program.ask(f"/places.json?q={text}").json()["places"]
    assert [(place["latitude"], place["longitude"]) for place in suggested] == [(60.39, 5.32)]
    assert (stand_in.counts()["search"], stand_in.counts()["get"]) == (0, 0)


def test_a_postcode_finds_its_city(program):
    assert weather(program, "98101")["name"] == "Seattle"


def test_a_trip_may_go_to_coordinates(keeper, start_program):
    program = start_program({"trips.file": str(keeper.folder / "kept/trips.sqlite"), "trips.placeWait": "5s"})
    traveller = Traveller(program.ask)
    added = traveller.add("60.39N 5.32E").json()
    place = traveller.get(f"/api/trips/{added['id']}").json()["place"]
    assert (place["latitude"], place["longitude"]) == (60.39, 5.32)
    assert traveller.get(f"/api/trips/{added['id']}/weather").json()["state"] == "loaded"
