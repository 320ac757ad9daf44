"""Open-Meteo's own OpenAPI documents: what may be asked of the forecast and the archive, and what their answers hold.

They are not part of this repository. They are read from the folder that TRIP_WEATHER_OPENAPI names, else from
`shared/open-meteo` beside the checkout, or beside a folder that it lies in.
"""

import functools
import os
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from stand_in import REPOSITORY

FILES = {"/v1/forecast": "openapi-forecast.yml", "/v1/archive": "openapi-historical-weather.yml"}
# Parts of an answer whose members are the asked variables.
SECTIONS = ("current", "hourly", "daily")
# What the service has and its document leaves out; seen in its answers and its source.
UNDOCUMENTED_PARAMETERS = {"/v1/forecast": {"past_hours", "forecast_hours"}, "/v1/archive": set()}
UNDOCUMENTED_FIELDS = {"location_id": {"type": "integer"}}
UNDOCUMENTED_VARIABLES = {"/v1/forecast": {"daily": {"cloud_cover_mean", "temperature_2m_mean"}}}


def folder():
    """Where the documents are, or None."""
    named = os.environ.get("TRIP_WEATHER_OPENAPI")
    for one in [Path(named)] if named else [parent / "shared/open-meteo" for parent in REPOSITORY.parents]:
        if all((one / file).is_file() for file in FILES.values()):
            return one
    return None


def reason_to_skip():
    """Why nothing can be held against the documents, or None."""
    try:
        import yaml  # noqa: F401
    except ImportError:
        return "No YAML reader: install python3-yaml."
    if folder() is None:
        return "No OpenAPI documents of Open-Meteo in ../shared/open-meteo; TRIP_WEATHER_OPENAPI says where else."
    return None


@functools.cache
def _operation(path):
    import yaml
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with open(folder() / FILES[path], encoding="utf-8") as file:
        return yaml.load(file, loader)["paths"][path]["get"]


def _parameters(path):
    return {one["name"]: one for one in _operation(path)["parameters"]}


def _answer_schema(path, status):
    return _operation(path)["responses"][status]["content"]["application/json"]["schema"]


def faults_of_question(target):
    """What is wrong with a question, each in a sentence: `target` is a path with its query, or a whole URL."""
    parts = urlsplit(target)
    known, given = _parameters(parts.path), {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        given.setdefault(name, []).append(value)
    faults = [f"{name} is missing" for name, one in known.items() if one.get("required") and name not in given]
    for name, values in given.items():
        if name in known:
            faults += _faults_of_values(parts.path, name, values, known[name]["schema"])
        elif name not in UNDOCUMENTED_PARAMETERS[parts.path]:
            faults.append(f"{name} is no parameter")
    return faults


def faults_of_questions(requests):
    """What is wrong with the program's questions among the requests that the stand-in saw."""
    targets = {one["target"] for one in requests
               if one["target"].partition("?")[0] in FILES and one["headers"].get("user-agent", "").startswith("trip-weather")}
    return [f"{target}: {fault}" for target in sorted(targets) for fault in faults_of_question(target)]


def _faults_of_values(path, name, values, schema):
    if schema["type"] == "array":
        allowed = set(schema["items"]["enum"]) | _undocumented(path, name)
        return [f"{name}={one} is not allowed" for value in values for one in value.split(",") if one not in allowed]
    if schema.get("format") == "date":
        return [f"{name}={one} is no date" for value in values for one in value.split(",")
                if not re.fullmatch(r"\d{4}-\d\d-\d\d", one)]
    faults = [f"{name} is given {len(values)} times"] if len(values) > 1 else []
    for value in values:
        if "enum" in schema and value not in schema["enum"]:
            faults.append(f"{name}={value} is not allowed")
        if schema["type"] in ("integer", "number"):
            faults += _faults_of_number(name, value, schema)
    return faults


def _faults_of_number(name, text, schema):
    try:
        number = int(text) if schema["type"] == "integer" else float(text)
    except ValueError:
        return [f"{name}={text} is no {schema['type']}"]
    lowest, highest = schema.get("minimum", number), schema.get("maximum", number)
    return [] if lowest <= number <= highest else [f"{name}={text} is out of range"]


def _undocumented(path, section):
    return UNDOCUMENTED_VARIABLES.get(path, {}).get(section, set())


def faults_of_answer(path, body, status="200"):
    """What is wrong with an answer, each in a sentence; every element of an array is held against the document."""
    schema = _answer_schema(path, status)
    elements = body if isinstance(body, list) else [body]
    if isinstance(body, list) and len(body) < 2:
        return ["an array of fewer than two elements"]
    return [fault for element in elements for fault in _faults_of_element(path, element, schema)]


def _faults_of_element(path, element, schema):
    faults = _mismatches("", element, {**schema, "properties": {**schema["properties"], **UNDOCUMENTED_FIELDS}}, path)
    for section in SECTIONS:
        if (section in element) != (f"{section}_units" in element):
            faults.append(f"{section} without its units, or they without it")
        elif section in element and list(element[section]) != list(element[f"{section}_units"]):
            faults.append(f"{section} and its units have other members")
        lengths = {len(values) for values in element.get(section, {}).values() if isinstance(values, list)}
        if len(lengths) > 1:
            faults.append(f"{section} has lists of other lengths")
    return faults


def _mismatches(where, value, schema, path):
    kind = schema["type"]
    if kind == "object":
        if not isinstance(value, dict):
            return [f"{where} is no object"]
        faults = []
        for name, one in value.items():
            if name in schema["properties"]:
                faults += _mismatches(f"{where}.{name}", one, schema["properties"][name], path)
            elif not _known_elsewhere(path, where, name):
                faults.append(f"{where}.{name} is not in the document")
        return faults
    if kind == "array":
        if not isinstance(value, list):
            return [f"{where} is no array"]
        # Any value may be null, which the document doesn't say.
        return [fault for one in value if one is not None for fault in _mismatches(where, one, schema["items"], path)]
    types = {"string": str, "integer": int, "boolean": bool, "number": (int, float)}[kind]
    right = isinstance(value, types) and (kind == "boolean" or not isinstance(value, bool))
    return [] if right or value is None else [f"{where} is {value!r}, no {kind}"]


def _known_elsewhere(path, where, name):
    """The units' `interval`, and variables that the document forgot."""
    section = where.removeprefix(".").removesuffix("_units")
    return name in _undocumented(path, section) or (where, name) == (".current_units", "interval")
