"""The stand-in itself: the shapes of Open-Meteo's answers, its faults and its counts."""

import gzip
import json
import re
import resource
import socket
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest

import http_client
from processes import Stopwatch
from stand_in import REPOSITORY, StandIn

sys.path.insert(0, str(REPOSITORY / "deploy/stand-in"))
from cities import CITIES  # noqa: E402

CURRENT = "temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,wind_speed_10m,weather_code,is_day"
DAILY = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,sunrise,sunset"
WHOLE = f"current={CURRENT}&daily={DAILY}&timezone=auto&forecast_days=16"


def search(stand_in, name, more=""):
    answered = stand_in.ask(f"/v1/search?name={quote(name)}{more}")
    assert answered.status == 200, answered
    return answered.json().get("results", [])


def names(places):
    return [(place["name"], place.get("country")) for place in places]


def forecast(stand_in, latitude, longitude, more=WHOLE):
    answered = stand_in.ask(f"/v1/forecast?latitude={latitude}&longitude={longitude}&{more}")
    assert answered.status == 200, answered
    return answered.json()


def test_a_miss_has_no_results(stand_in):
    answered = stand_in.ask("/v1/search?name=Hogsmeade")
    assert answered.status == 200
    assert list(answered.json()) == ["generationtime_ms"]


@pytest.mark.parametrize("name", ["Be", "b", "", "Seattle ", "Seatle", "York", "Tromso", "London, UK", "New York, NY"])
def test_what_the_matching_does_not_find(stand_in, name):
    assert not [place for place in search(stand_in, name) if not place["name"].startswith("City")]


@pytest.mark.parametrize("name, found", [
    ("Seattle", "Seattle"), ("SEATT", "Seattle"), ("reykjavik", "Reykjavík"), ("Tromsø", "Tromsø"), ("北京", "Beijing"),
    ("98101", "Seattle"), ("Utqiagvik", "Utqiagvik"), ("St. J", "St. John's"),
])
def test_what_the_matching_finds(stand_in, name, found):
    assert search(stand_in, name)[0]["name"] == found


# What a visitor types first; a sample that has no Lisbon says something untrue about Open-Meteo.
FIRST_TRIED = (
    "Amsterdam", "Athens", "Bangkok", "Barcelona", "Berlin", "Brussels", "Budapest", "Chicago", "Copenhagen", "Dubai", "Dublin",
    "Edinburgh", "Florence", "Istanbul", "Kyoto", "Lisbon", "London", "Los Angeles", "Madrid", "Melbourne", "Mexico City", "Milan",
    "New York", "Oslo", "Paris", "Prague", "Rome", "San Francisco", "Seoul", "Singapore", "Stockholm", "Sydney", "Tokyo", "Toronto",
    "Venice", "Vienna", "Warsaw", "Zurich",
)


@pytest.mark.parametrize("name", FIRST_TRIED)
def test_the_places_that_a_visitor_tries_first_exist(stand_in, name):
    found = search(stand_in, name)[0]
    assert found["name"] == name and found["country"] and found["admin1" if name != "Singapore" else "country"]
    assert forecast(stand_in, found["latitude"], found["longitude"])["timezone"] == found["timezone"]


def test_every_idea_of_the_page_exists(stand_in):
    ideas = json.loads((REPOSITORY / "deploy/ideas.json").read_text())
    for idea in ideas:
        assert idea.get("country") in [place.get("country") for place in search(stand_in, idea["city"])], idea


def test_no_two_places_have_one_id_or_one_spot():
    cities = [city for city in CITIES if city.id]
    assert len({city.id for city in cities}) == len(cities)
    assert len({(round(city.latitude, 1), round(city.longitude, 1), city.names["en"]) for city in cities}) == len(cities)


@pytest.mark.parametrize("language, name, country", [
    ("en", "Lisbon", "Portugal"), ("de", "Lissabon", "Portugal"), ("pt", "Lisboa", "Portugal"), ("xx", "Lisbon", "Portugal"),
])
def test_a_place_is_got_by_its_id_in_a_language(stand_in, language, name, country):
    answered = stand_in.ask(f"/v1/get?id=2267057&language={language}")
    assert answered.status == 200
    place = answered.json()
    assert (place["id"], place["name"], place["country"]) == (2267057, name, country)
    assert "results" not in place
    assert stand_in.counts()["get"] == 1


def test_a_made_up_city_is_got_by_its_id(stand_in):
    place = search(stand_in, "City 000123")[0]
    assert stand_in.ask(f"/v1/get?id={place['id']}").json() == place


@pytest.mark.parametrize("query, reason", [
    ("id=1", "Location ID not found."), ("language=de", "No value found (expected type 'Int32') at path 'id'."),
    ("id=x", "Value was not of type 'Int32' at path 'id'. Data found at 'id' was not Int32."),
])
def test_an_id_that_is_no_place_is_refused(stand_in, query, reason):
    answered = stand_in.ask(f"/v1/get?{query}")
    assert answered.status == 400 and answered.json() == {"error": True, "reason": reason}


def test_two_places_of_one_name_and_region_have_their_districts(stand_in):
    places = search(stand_in, "Neukirchen")
    assert [(place["admin1"], place["admin2"]) for place in places] == [
        ("Saxony", "Erzgebirgskreis"), ("Saxony", "Landkreis Zwickau")]


def test_the_larger_place_of_a_name_comes_first(stand_in):
    assert names(search(stand_in, "Paris")) == [("Paris", "France"), ("Paris", "United States")]
    assert names(search(stand_in, "Vancouver")) == [("Vancouver", "Canada"), ("Vancouver", "United States")]


def test_only_a_country_works_after_the_comma(stand_in):
    assert names(search(stand_in, "Paris, United States")) == [("Paris", "United States")]
    assert search(stand_in, "Paris, Texas") == []


def test_the_country_is_filtered_after_the_cut(stand_in):
    assert names(search(stand_in, "Paris", "&countryCode=US")) == [("Paris", "United States")]
    assert search(stand_in, "Paris", "&countryCode=US&count=1") == []
    assert search(stand_in, "Paris", "&countryCode=us") == []


def test_names_follow_the_language(stand_in):
    assert names(search(stand_in, "München", "&language=de")) == [("München", "Deutschland")]
    assert search(stand_in, "München") == []
    assert names(search(stand_in, "Munich", "&language=xx")) == [("Munich", "Germany")]
    assert names(search(stand_in, "Αθήνα", "&language=el")) == [("Αθήνα", "Greece")]


def test_zero_and_empty_leave_their_key_out(stand_in):
    island = search(stand_in, "Null Island")[0]
    assert not {"latitude", "longitude", "country", "country_code", "country_id", "population"} & set(island)
    assert "longitude" not in search(stand_in, "Greenwich")[0]
    assert "latitude" not in search(stand_in, "Mitad del Mundo")[0]
    assert "country" not in search(stand_in, "Hong Kong")[0]


@pytest.mark.parametrize("target, reason", [
    ("/v1/search?name=Paris&count=0", "Parameter count must be between 1 and 100."),
    ("/v1/search?name=Paris&count=101", "Parameter count must be between 1 and 100."),
    ("/v1/search", "No value found (expected type 'String') at path 'name'."),
    ("/v1/forecast?latitude=999&longitude=0", "Latitude must be in range of -90 to 90°. Given: 999.0."),
    ("/v1/forecast?latitude=0&longitude=-181", "Longitude must be in range of -180 to 180°. Given: -181.0."),
    ("/v1/forecast?latitude=1", "Parameter 'latitude' and 'longitude' must have the same number of elements"),
    ("/v1/forecast?latitude=1&longitude=1&timezone=NZST", "Invalid timezone"),
    ("/v1/forecast?latitude=1&longitude=1&daily=foo",
     "Data corrupted at path ''. Cannot initialize ForecastVariableDaily from invalid String value foo."),
    ("/v1/forecast?latitude=10.49&longitude=-66.88&timezone=auto", "Invalid timezone"),
])
def test_refusals_have_open_meteos_words(stand_in, target, reason):
    answered = stand_in.ask(target)
    assert answered.status == 400
    assert answered.json() == {"error": True, "reason": reason}


def test_the_fields_of_a_forecast_come_in_order(stand_in):
    body = forecast(stand_in, 47.61, -122.33)
    assert list(body) == ["latitude", "longitude", "generationtime_ms", "utc_offset_seconds", "timezone", "timezone_abbreviation",
                          "elevation", "current_units", "current", "daily_units", "daily"]
    assert list(body["current"]) == ["time", "interval", *CURRENT.split(",")]
    assert list(body["daily"]) == ["time", *DAILY.split(",")]
    assert body["current"]["interval"] == 900
    assert all(len(values) == 16 for values in body["daily"].values())


def test_numbers_have_their_units_decimals(stand_in):
    text = stand_in.ask(f"/v1/forecast?latitude=47.61&longitude=-122.33&{WHOLE}").text
    assert re.search(r'"temperature_2m":-?\d+\.\d[,}]', text)
    assert re.search(r'"precipitation":\d+\.\d\d[,}]', text)
    assert re.search(r'"weather_code":\d+[,}]', text)


@pytest.mark.parametrize("latitude, longitude, zone", [
    (47.61, -122.33, "America/Los_Angeles"), (27.70, 85.32, "Asia/Kathmandu"), (1.87, -157.43, "Pacific/Kiritimati"),
    (-13.83, -171.77, "Pacific/Apia"), (47.56, -52.71, "America/St_Johns"), (0.0, 0.0, "Etc/GMT"),
])
def test_days_and_times_are_the_places_own(stand_in, latitude, longitude, zone):
    before = datetime.now(ZoneInfo(zone))
    body = forecast(stand_in, latitude, longitude)
    after = datetime.now(ZoneInfo(zone))
    assert body["timezone"] == zone
    offset = body["utc_offset_seconds"]
    assert timedelta(seconds=offset) == before.utcoffset()
    assert body["daily"]["time"][0] in {before.date().isoformat(), after.date().isoformat()}
    days = [datetime.fromisoformat(day) for day in body["daily"]["time"]]
    assert all(later - day == timedelta(days=1) for day, later in zip(days, days[1:]))
    now = datetime.fromisoformat(body["current"]["time"]).replace(tzinfo=timezone(timedelta(seconds=offset)))
    assert now.minute % 15 == 0 and timedelta(0) <= after - now < timedelta(minutes=15, seconds=5)


def test_abbreviations_are_never_names(stand_in):
    assert forecast(stand_in, 27.70, 85.32)["timezone_abbreviation"] == "GMT+5:45"
    assert forecast(stand_in, 1.87, -157.43)["timezone_abbreviation"] == "GMT+14"
    assert forecast(stand_in, 51.48, 0.0, "timezone=Etc/GMT")["timezone_abbreviation"] == "GMT"


def test_the_last_day_has_nulls(stand_in):
    daily = forecast(stand_in, 47.61, -122.33)["daily"]
    assert daily["temperature_2m_max"][15] is None and daily["precipitation_probability_max"][15] is None
    assert None not in daily["temperature_2m_max"][:15] and daily["sunrise"][15] is not None


def test_several_coordinates_make_an_array(stand_in):
    body = forecast(stand_in, "60.39,47.61", "5.32,-122.33", "current=is_day&timezone=auto")
    assert [one.get("location_id") for one in body] == [None, 1]
    assert [one["timezone"] for one in body] == ["Europe/Oslo", "America/Los_Angeles"]


def test_imperial_has_other_values_and_words(stand_in):
    more = "current=temperature_2m,wind_speed_10m,precipitation&temperature_unit=fahrenheit&wind_speed_unit=mph&precipitation_unit=inch"
    body = forecast(stand_in, 60.39, 5.32, more)
    assert body["current_units"]["temperature_2m"] == "°F"
    assert body["current_units"]["wind_speed_10m"] == "mp/h"
    metric = forecast(stand_in, 60.39, 5.32, "current=temperature_2m,wind_speed_10m,precipitation")
    assert body["current"]["temperature_2m"] == pytest.approx(metric["current"]["temperature_2m"] * 1.8 + 32, abs=0.15)


def test_every_weather_code_occurs_somewhere(stand_in):
    codes = set()
    for start in range(0, 10_000, 1000):
        places = [search(stand_in, f"City {number:06d}")[0] for number in range(start, start + 1000, 100)]
        latitudes = ",".join(str(place["latitude"]) for place in places)
        longitudes = ",".join(str(place["longitude"]) for place in places)
        for body in forecast(stand_in, latitudes, longitudes, "daily=weather_code&forecast_days=16&past_days=90"):
            codes |= set(body["daily"]["weather_code"])
    for latitude in range(-80, 90, 4):
        body = forecast(stand_in, latitude, 20, "daily=weather_code&forecast_days=16&past_days=90")
        codes |= set(body["daily"]["weather_code"])
    assert codes - {None} == {0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77, 80, 81, 82, 85, 86, 95, 96, 99}


def test_polar_days_have_their_own_encoding(stand_in):
    north = forecast(stand_in, 89, 15.65, "daily=sunrise,sunset&timezone=GMT&forecast_days=1")["daily"]
    south = forecast(stand_in, -89, 15.65, "daily=sunrise,sunset&timezone=GMT&forecast_days=1")["daily"]
    lengths = []
    for daily in (north, south):
        rise, set_ = (datetime.fromisoformat(daily[key][0]) for key in ("sunrise", "sunset"))
        lengths.append(set_ - rise)
        assert rise.hour == rise.minute == 0
    assert sorted(lengths) == [timedelta(0), timedelta(days=1)]


def test_made_up_cities_have_coordinates_of_their_own(stand_in):
    seen = set()
    for number in range(0, 100_000, 997):
        place = search(stand_in, f"City {number:06d}")[0]
        seen.add((place.get("latitude", 0), place.get("longitude", 0)))
    assert len(seen) == len(range(0, 100_000, 997))


def test_it_packs_where_the_client_asks(stand_in):
    answered = stand_in.ask("/v1/search?name=Bergen", {"Accept-Encoding": "gzip"})
    assert answered["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(answered.body))["results"][0]["name"] == "Bergen"


def test_counts(stand_in):
    stand_in.ask("/v1/search?name=Bergen")
    forecast(stand_in, 60.39, 5.32)
    forecast(stand_in, 60.39, 5.32)
    stand_in.wait_for(search=1, forecast=2, inFlight=0, openConnections=0)
    assert [request["route"] for request in stand_in.requests()] == ["search", "forecast", "forecast"]
    stand_in.start_from_zero()
    assert set(stand_in.counts().values()) == {0}


def test_a_client_that_leaves_is_seen(stand_in):
    stand_in.misbehave(search={"kind": "never-answer"})
    leaving = http_client.start(stand_in.port, "/v1/search?name=Bergen")
    stand_in.wait_for(inFlight=1, openConnections=1)
    leaving.close()
    stand_in.wait_for(inFlight=0, openConnections=0)


def test_two_thousand_connections_stay_open(stand_in):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    sockets = [socket.create_connection(("127.0.0.1", stand_in.port)) for _ in range(2000)]
    try:
        stand_in.wait_for(openConnections=2000)
        assert stand_in.ask("/v1/search?name=Bergen").status == 200
    finally:
        for one in sockets:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    stand_in.wait_for(openConnections=0)


def test_a_connect_to_the_full_port_hangs(stand_in):
    watch = Stopwatch()
    with pytest.raises(TimeoutError):
        socket.create_connection(("127.0.0.1", stand_in.ports["neverAccept"]), timeout=0.5)
    assert watch.seconds >= 0.5
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", stand_in.ports["refuse"]), timeout=0.5)


def test_faults_match_and_end(stand_in):
    stand_in.misbehave(
        search={"kind": "status", "status": 500, "match": {"city": "bergen"}, "times": 1},
        forecast={"kind": "status", "status": 400, "reason": "Invalid timezone", "match": {"query": {"timezone": "auto"}}})
    assert stand_in.ask("/v1/search?name=Seattle").status == 200
    assert stand_in.ask("/v1/search?name=Bergen").status == 500
    assert stand_in.ask("/v1/search?name=Bergen").status == 200
    assert stand_in.ask("/v1/forecast?latitude=1&longitude=1&timezone=auto").status == 400
    assert stand_in.ask("/v1/forecast?latitude=1&longitude=1").status == 200
    stand_in.misbehave(forecast={"kind": "close", "match": {"city": "Bergen"}})
    assert stand_in.ask("/v1/forecast?latitude=1&longitude=1").status == 200
    with pytest.raises(AssertionError, match="ended before an answer"):
        stand_in.ask("/v1/forecast?latitude=60.39&longitude=5.32")


def test_a_bad_fault_is_refused(stand_in):
    for body in (b"{", b"[]", b'{"search": {"kind": "nonsense"}}', b'{"elsewhere": {"kind": "close"}}'):
        answered = http_client.ask(stand_in.port, "/_faults", method="PUT", body=body)
        assert answered.status == 400 and answered.json()["reason"]


@pytest.mark.parametrize("limit, words", [
    ("minutely", "Minutely API request limit exceeded. Please try again in one minute."),
    ("hourly", "Hourly API request limit exceeded. Please try again in the next hour."),
    ("daily", "Daily API request limit exceeded. Please try again tomorrow."),
    ("concurrent", "Too many concurrent requests"),
])
def test_limits_have_open_meteos_words(stand_in, limit, words):
    stand_in.misbehave(forecast={"kind": "limit", "limit": limit, "retryAfter": 7})
    answered = stand_in.ask("/v1/forecast?latitude=1&longitude=1")
    assert (answered.status, answered["Retry-After"], answered.json()["reason"]) == (429, "7", words)


def test_a_delay_is_as_long_as_it_says(stand_in):
    stand_in.misbehave(search={"kind": "delay", "milliseconds": 300})
    watch = Stopwatch()
    assert search(stand_in, "Bergen")[0]["name"] == "Bergen"
    assert watch.seconds >= 0.3


def test_the_bomb_is_small_outside_and_large_inside(stand_in):
    stand_in.misbehave(search={"kind": "gzip-bomb", "bytes": 20 << 20})
    answered = stand_in.ask("/v1/search?name=Bergen")
    assert len(answered.body) < 100_000
    assert len(gzip.decompress(answered.body)) > 20 << 20


def test_a_huge_answer_is_huge(stand_in):
    for declared in (True, False):
        stand_in.misbehave(search={"kind": "huge", "bytes": 3_000_000, "declared": declared})
        assert len(stand_in.ask("/v1/search?name=Bergen").body) == 3_000_000


@pytest.mark.parametrize("fault, error", [
    ({"kind": "truncated"}, "cut short"), ({"kind": "truncated", "chunked": True}, "invalid literal"),
    ({"kind": "close"}, "ended before"), ({"kind": "reset"}, "reset"),
])
def test_answers_that_do_not_arrive_whole(stand_in, fault, error):
    stand_in.misbehave(search=fault)
    with pytest.raises((AssertionError, ValueError, OSError), match=f"(?i){error}"):
        stand_in.ask("/v1/search?name=Bergen")


@pytest.mark.parametrize("kind", ["not-json", "sentence", "nan", "empty"])
def test_answers_that_are_no_json(stand_in, kind):
    stand_in.misbehave(forecast={"kind": kind})
    answered = stand_in.ask(f"/v1/forecast?latitude=60.39&longitude=5.32&{WHOLE}")
    assert answered.status == 200 and answered["Content-Type"].startswith("application/json")
    if kind == "nan":
        assert b'"latitude":nan' in answered.body
    else:
        with pytest.raises(ValueError):
            answered.json()


def test_nulls_and_wrong_types(stand_in):
    stand_in.misbehave(forecast={"kind": "nulls"})
    body = forecast(stand_in, 60.39, 5.32)
    assert body["current"]["temperature_2m"] is None and body["daily"]["sunrise"] == [None] * 16
    stand_in.misbehave(forecast={"kind": "wrong-types"}, search={"kind": "wrong-types"})
    assert isinstance(forecast(stand_in, 60.39, 5.32)["current"]["temperature_2m"], dict)
    assert search(stand_in, "Bergen")[0]["latitude"] == "north"


def test_it_ends_on_sigterm(keeper):
    own = StandIn(keeper)
    with socket.create_connection(("127.0.0.1", own.port)):
        own.child.signal(15)
        assert own.child.wait(5) == 0


def test_certificates_are_what_their_names_say(certificates):
    found = {}
    for name in ("right", "expired", "wrong-name", "self-signed"):
        done = subprocess.run(
            ["openssl", "verify", "-CAfile", certificates / "ca.pem", "-verify_hostname", "localhost", certificates / f"{name}.pem"],
            capture_output=True, text=True, timeout=20, check=False)
        found[name] = "OK" if done.returncode == 0 else re.search(r"error \d+ at \d+ depth lookup: (.*)", done.stderr)[1]
    assert found == {"right": "OK", "expired": "certificate has expired", "wrong-name": "hostname mismatch",
                     "self-signed": "self-signed certificate"}
