"""Trips, kept: by the program on a file, behind nginx, and as CGI."""

import json
import random
import signal
import string
import threading

import pytest

import fastcgi_client
import program as program_module
from fragment import Fragment
from processes import eventually
from trips import FORM, Traveller

EXAMPLES = ["Seattle", "Vancouver", "San Pedro de Atacama"]


@pytest.fixture
def keeping(keeper):
    return {"trips.file": str(keeper.folder / "kept/trips.sqlite"), "trips.placeWait": "0s"}


@pytest.fixture
def kept(start_program, keeping):
    return start_program(keeping)


@pytest.fixture
def behind(start_behind_nginx, keeping):
    return start_behind_nginx(keeping)


def test_trips_outlive_the_program(start_program, keeping):
    program = start_program(keeping)
    traveller = Traveller(program.ask)
    added = traveller.add(country="Norway", price=1500, picture="harbour", favourite=True)
    assert added.status == 201, added
    program.stop()
    program = start_program(keeping)
    again = Traveller(program.ask, traveller.cookie)
    assert "Bergen" in again.cities() and len(again.trips()) == 4
    assert again.get(f"/api/trips/{added.json()['id']}").json()["price"] == 1500


def test_nothing_acknowledged_is_lost_to_a_kill(start_program, keeping):
    program = start_program({**keeping, "trips.perTraveller": 10_000})
    acknowledged, ended = [], threading.Event()

    def write(number):
        traveller = Traveller(program.ask)
        try:
            for count in range(250):
                answered = traveller.add(f"City {number}-{count}")
                assert answered.status == 201, answered
                acknowledged.append((traveller.cookie, answered.json()["id"]))
        except Exception:  # noqa: BLE001 the program is dead, as it should be
            ended.set()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    eventually(lambda: len(acknowledged) > random.randint(200, 400), limit=60, what="enough writes")
    program.child.signal(signal.SIGKILL)
    for writer in writers:
        writer.join(30)
    assert ended.is_set()
    program = start_program({**keeping, "trips.perTraveller": 10_000})
    held = {}
    for cookie, id in acknowledged:
        if cookie not in held:
            held[cookie] = {trip["id"] for trip in Traveller(program.ask, cookie).trips()}
        assert id in held[cookie]


def test_the_daemon_and_cgi_share_the_trips(start_program, keeping):
    program = start_program(keeping)
    traveller = Traveller(program.ask)
    traveller.add("Bergen")

    def by_cgi(target, headers, method="GET", body=b"", **more):
        return program_module.cgi(program.config, target, headers, method, body, CONTENT_TYPE="application/json", **more)

    second = Traveller(by_cgi, traveller.cookie)
    assert second.add("Oslo").status == 201
    # Both at once: none of them loses a write.
    threads = [threading.Thread(target=lambda one=one: [one.add("Turin") for _ in range(10)]) for one in (second, traveller)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(traveller.cities()) == sorted(EXAMPLES + ["Bergen", "Oslo"] + ["Turin"] * 20)


def test_a_file_that_may_grow_no_more_says_so_and_loses_nothing(start_program, keeping):
    program = start_program({**keeping, "trips.fileBytes": 262_144, "trips.perTraveller": 10_000})
    traveller = Traveller(program.ask)
    long = "x" * 190

    def refused():
        answered = traveller.add(long, country=long)
        return answered.status != 201 and answered

    answered = eventually(refused, limit=60, what="a full file")
    assert answered.status == 503 and answered["Content-Type"] == "application/problem+json", answered
    assert "space" in answered.json()["detail"], answered
    before = len(traveller.trips())
    assert before > 50
    # What is there can be read, and room can be made.
    assert traveller.send("POST", "/api/trips/forget").status == 204
    assert traveller.add().status == 201


@pytest.mark.parametrize("content, word", [(b"this is no database, by a long way" * 100, "trips.file"), (None, "trips.file")])
def test_a_file_that_is_of_no_use_stops_the_start_and_says_why(keeper, basics, content, word):
    path = keeper.folder / "trips.sqlite"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    config = program_module.write_config(keeper.folder / "wrong.json5", basics, {"trips.file": str(path)})
    status, _, errors = program_module.run(["--config", config])
    assert status == 1 and word in errors and str(path) in errors, errors
    if content is not None:
        assert path.read_bytes() == content


def test_ideas_come_from_a_file(keeper, start_program, basics):
    path = keeper.folder / "ideas.json"
    path.write_text('[{"city": "Æ<b>", "suggestedNights": 2}]', encoding="utf-8")
    program = start_program({"trips.ideas": str(path)})
    assert program.ask("/ideas.json").json() == {"ideas": [{"city": "Æ<b>", "country": None, "suggestedNights": 2}]}
    assert "<b>" not in program.ask("/ideas.html").text
    program.stop()
    path.write_text("{}", encoding="utf-8")
    config = program_module.write_config(keeper.folder / "wrong.json5", basics, {"trips.ideas": str(path)})
    status, _, errors = program_module.run(["--config", config])
    assert status == 1 and "city" in errors, errors


def test_a_cgi_process_that_isnt_asked_for_ideas_doesnt_mind_their_file(keeper, basics):
    config = program_module.write_config(keeper.folder / "cgi.json5", basics, {"trips.ideas": "/nonexistent/ideas.json"})
    assert program_module.cgi(config, "/weather?city=Bergen").status == 200
    answered = program_module.cgi(config, "/ideas.json")
    assert answered.json() == {"ideas": []} and b"/nonexistent/ideas.json" in answered.errors, answered


HOSTILE = [
    "'; DROP TABLE trip; --", "\" OR 1=1 --", "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</bdi></section><b>",
    "a\\u0000b", "../../etc/passwd", "%0d%0aSet-Cookie: x=y", "<!--# include virtual=\"/metrics\" -->", "{{7*7}}", "&amp;&#60;", "🧳" * 20,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(kept, text):
    traveller = Traveller(kept.ask)
    answered = traveller.add(text, country=text)
    assert answered.status == 201, answered
    trip = answered.json()
    assert trip["city"] == text and trip["country"] == text
    assert [name for name, _ in answered.fields if name.lower() == "set-cookie"] == ["Set-Cookie"]
    for path in ("/api/trips", f"/api/trips/{trip['id']}", f"/api/trips/{trip['id']}/card", f"/api/trips/{trip['id']}/form",
                 f"/api/trips/{trip['id']}/delete", "/api/trips/weather"):
        fragment = traveller.send("GET", f"{path}.html", headers={"Accept": "text/html"})
        assert fragment.status == 200, fragment
        read = Fragment(fragment.text)
        assert not read.faults, (read.faults, fragment.text)
        assert not any(tag in ("script", "b") for tag, _ in read.elements), fragment.text
        assert "<!--" not in fragment.text
        held = read.text + " ".join(str(value) for _, attributes in read.elements for value in attributes.values())
        # The card's forms and links name no city.
        assert text in held or path.endswith("/card"), (text, fragment.text)
    assert len(traveller.trips()) == 4


@pytest.mark.parametrize("field, value", [
    ("start", "2026-12-12' OR '1'='1"), ("start", "<b>"), ("nights", "3; DROP TABLE trip"), ("price", "1e3"), ("picture", "../../etc/passwd"),
    ("picture", "<script>"), ("favourite", "\" onfocus=\"alert(1)"), ("key", "' OR 1=1 --    "), ("city", "a\r\nX-Evil: 1"),
])
def test_hostile_fields_are_faults_and_stay_text(kept, field, value):
    traveller = Traveller(kept.ask)
    form = {"city": "Bergen", "start": "2026-12-12", "nights": "3", "price": "0", "key": "0123456789abcdef", field: value}
    body = "&".join(f"{name}={''.join(f'%{byte:02x}' for byte in text.encode())}" for name, text in form.items())
    answered = traveller.send("POST", "/api/trips", body.encode(), {"Accept": "text/html"}, FORM)
    assert answered.status == 400, answered
    assert answered["X-Evil"] is None and answered["Set-Cookie"] is None
    assert "<b>" not in answered.text and 'onfocus="' not in answered.text and "alert(1)</script>" not in answered.text
    assert traveller.cities() == EXAMPLES


def test_guessing_opens_nothing(kept):
    owner = Traveller(kept.ask)
    trip = owner.add().json()
    share = owner.send("POST", f"/api/trips/{trip['id']}/share").json()["share"]
    letters = string.ascii_lowercase + "234567"
    near = [trip["id"][:-1] + letter for letter in letters if not trip["id"].endswith(letter)]
    far = ("".join(random.choices(letters, k=26)) for _ in range(10_000))
    opened = 0
    with kept.connect() as client:
        for guess in [*near, *far]:
            for path, cookie in ((f"/api/shared/{guess}", ""), ("/api/trips", f"traveller={guess}")):
                variables = fastcgi_client.parameters(path, {"Cookie": cookie, "Accept": "application/json"})
                client.send(fastcgi_client.request(1, variables))
                answered = client.answer()
                if path == "/api/trips":
                    opened += [one["city"] for one in answered.json()["trips"]] != EXAMPLES
                else:
                    opened += answered.status == 200
    assert opened == 0
    assert Traveller(kept.ask).get(f"/api{share}").status == 200


# MARK: Behind nginx


def test_a_traveller_behind_nginx(behind):
    _, nginx = behind
    traveller = Traveller(nginx.ask)
    added = traveller.add()
    assert added.status == 201 and added["Cache-Control"] == "private, no-store", added
    assert "HttpOnly" in added["Set-Cookie"] and "SameSite=Lax" in added["Set-Cookie"] and "Secure" not in added["Set-Cookie"]
    path = f"/api/trips/{added.json()['id']}"
    tag = traveller.get(path)["ETag"]
    patched = traveller.send("PATCH", path, {"nights": 9}, {"If-Match": tag}, "application/merge-patch+json")
    assert patched.status == 200 and patched.json()["nights"] == 9
    late = traveller.send("PATCH", path, {"nights": 8}, {"If-Match": tag}, "application/merge-patch+json")
    assert late.status == 412 and late.json()["current"]["nights"] == 9
    assert traveller.send("DELETE", path, headers={"If-Match": late["ETag"]}).status == 204
    assert traveller.get(path).status == 404


def test_an_authorization_header_makes_nobody_a_user(behind):
    """curl -u someone:x"""
    _, nginx = behind
    named = {"Authorization": "Basic c29tZW9uZTp4"}
    one = Traveller(nginx.ask)
    assert one.send("POST", "/api/trips", {"city": "Bergen", "start": "2026-12-12", "nights": 3}, named).status == 201
    assert one.cookie
    other = Traveller(nginx.ask)
    assert [trip["city"] for trip in other.get("/api/trips", named).json()["trips"]] == EXAMPLES


def test_a_name_that_the_web_server_passes_on_is_believed_only_where_the_operator_says_so(start_program, keeping):
    def ask(program, user, method="GET", body=b""):
        return program.ask("/api/trips", {"Accept": "application/json"}, method, body, REMOTE_USER=user, CONTENT_TYPE="application/json")

    trip = json.dumps({"city": "Bergen", "start": "2026-12-12", "nights": 3}).encode()
    program = start_program(keeping)
    assert ask(program, "someone", "POST", trip)["Set-Cookie"]
    assert "Bergen" not in ask(program, "someone").text
    program.stop()
    program = start_program({**keeping, "trips.trustRemoteUser": True})
    assert ask(program, "someone", "POST", trip)["Set-Cookie"] is None
    assert "Bergen" in ask(program, "someone").text
    assert "Bergen" not in ask(program, "someone else").text


def test_the_cookie_is_for_https_alone_where_the_browser_came_by_it(kept):
    answered = kept.ask(
        "/api/trips", {"Accept": "application/json"}, "POST", b'{"city":"Bergen","start":"2026-12-12","nights":3}',
        CONTENT_TYPE="application/json", REQUEST_SCHEME="https", HTTPS="on")
    assert answered["Set-Cookie"].endswith("; Secure")


def test_a_page_shows_the_travellers_trips_and_no_one_elses(behind):
    _, nginx = behind
    traveller = Traveller(nginx.ask)
    id = traveller.add("Turin").json()["id"]
    own = nginx.ask("/", {"Cookie": f"other=1; {traveller.cookie}"})
    assert "Turin" in own.text and own["Cache-Control"] == "private, no-store"
    assert "Turin" not in nginx.ask("/").text
    assert "Turin" in nginx.ask(f"/trips/{id}", {"Cookie": traveller.cookie}).text
    gone = nginx.ask(f"/trips/{id}").text
    assert "This trip is gone" in gone and "Turin" not in gone


def test_forms_work_without_script_from_adding_to_deleting(behind):
    _, nginx = behind
    traveller = Traveller(nginx.ask)

    def hidden(text, name):
        form = Fragment(text[text.index("<form"):text.index("</form>") + 7])
        return next(attributes["value"] for tag, attributes in form.elements if attributes.get("name") == name)

    def page(path):
        answered = nginx.ask(path, {"Cookie": traveller.cookie} if traveller.cookie else {})
        assert answered.status == 200, answered
        return answered.text

    def post(path, body):
        return traveller.send("POST", path, body.encode(), {"Accept": "text/html"}, FORM)

    planner = nginx.ask("/api/trips/form.html").text
    added = post("/api/trips?lang=en", f"key={hidden(planner, 'key')}&city=Oslo&start=2026-12-12&nights=3&price=0&picture=&favourite=false")
    assert added.status == 303 and added["Location"] == "/", added
    id = next(trip["id"] for trip in traveller.trips() if trip["city"] == "Oslo")
    edit = page(f"/trips/{id}/edit")
    form = edit[edit.index('<form class="trip-form"'):]
    changed = post(f"/api/trips/{id}?lang=en", f"version={hidden(form, 'version')}&nights=4")
    assert changed.status == 303 and changed["Location"] == f"/trips/{id}"
    assert "4 nights" in page("/")
    question = page(f"/trips/{id}/delete")
    assert "Delete" in question and "This cannot be undone." in question
    form = question[question.index('<section class="confirm"'):]
    deleted = post(f"/api/trips/{id}/delete", f"version={hidden(form, 'version')}")
    assert deleted.status == 303 and deleted["Location"] == "/"
    assert "Oslo" not in page("/")


def test_the_logs_hold_no_share_link_and_no_cookie(behind):
    program, nginx = behind
    traveller = Traveller(nginx.ask)
    id = traveller.add("Turin").json()["id"]
    share = traveller.send("POST", f"/api/trips/{id}/share").json()["share"]
    assert nginx.ask(f"/api{share}").status == 200 and nginx.ask(share).status == 200
    program.stop()
    secret = share.rpartition("/")[2]
    key = traveller.cookie.partition("=")[2]
    nginx.child.signal(15)
    nginx.child.wait(10)
    logs = [program.child.log, (nginx.folder / "run/access.log").read_text(), nginx.errors]
    for log in logs:
        assert secret not in log and key not in log
    assert "Turin" not in logs[1]
