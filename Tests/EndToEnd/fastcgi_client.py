"""A FastCGI client with control over every record (FastCGI 1.0 specification)."""

import socket
import struct
from urllib.parse import unquote_to_bytes

import answer

BEGIN, ABORT, END, PARAMS, STDIN, STDOUT, STDERR, DATA, GET_VALUES, GET_VALUES_RESULT, UNKNOWN_TYPE = range(1, 12)
RESPONDER, AUTHORIZER, FILTER = 1, 2, 3
COMPLETE, CANT_MPX_CONN, OVERLOADED, UNKNOWN_ROLE = range(4)


def record(kind, id, content=b"", padding=0, version=1):
    assert len(content) <= 65535
    return struct.pack(">BBHHBx", version, kind, id, len(content), padding) + content + b"\0" * padding


def begin(id, role=RESPONDER, keep=True):
    return record(BEGIN, id, struct.pack(">HB5x", role, 1 if keep else 0))


def _length(number, long):
    return struct.pack(">I", number | 0x80000000) if long or number > 127 else bytes([number])


def pairs(parameters, long=False):
    """Name-value pairs (section 3.4); `long` writes every length in four bytes."""
    out = b""
    for name, value in parameters.items():
        name, value = [x.encode() if isinstance(x, str) else x for x in (name, value)]
        out += _length(len(name), long) + _length(len(value), long) + name + value
    return out


def parsed_pairs(content):
    found, at = {}, 0

    def length():
        nonlocal at
        if content[at] < 128:
            at += 1
            return content[at - 1]
        at += 4
        return struct.unpack(">I", content[at - 4:at])[0] & 0x7FFFFFFF

    while at < len(content):
        name_length, value_length = length(), length()
        name = content[at:at + name_length].decode()
        at += name_length
        found[name] = content[at:at + value_length].decode()
        at += value_length
    return found


def parameters(target, headers=None, method="GET", body=b"", **more):
    """The CGI variables of a request for this target, as nginx sends them. None takes one away."""
    path, _, query = target.partition("?")
    found = {
        "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_PROTOCOL": "HTTP/1.1", "SERVER_SOFTWARE": "nginx",
        "SERVER_NAME": "localhost", "SERVER_PORT": "80", "REMOTE_ADDR": "127.0.0.1", "REQUEST_SCHEME": "http",
        "REQUEST_METHOD": method, "SCRIPT_NAME": unquote_to_bytes(path), "DOCUMENT_URI": unquote_to_bytes(path),
        "QUERY_STRING": query, "CONTENT_TYPE": "", "CONTENT_LENGTH": str(len(body)) if body else "",
        "HTTP_HOST": "localhost",
    }
    for name, value in (headers or {}).items():
        found["HTTP_" + name.upper().replace("-", "_")] = value
    found.update(more)
    return {name: value for name, value in found.items() if value is not None}


def request(id, variables, body=b"", keep=True):
    """All the records of one request."""
    encoded = pairs(variables)
    out = begin(id, keep=keep)
    for at in range(0, len(encoded), 65528):
        out += record(PARAMS, id, encoded[at:at + 65528])
    out += record(PARAMS, id)
    for at in range(0, len(body), 65528):
        out += record(STDIN, id, body[at:at + 65528])
    return out + record(STDIN, id)


class Ended(Exception):
    """The program closed the connection."""


class Client:
    """One connection. `address` is a unix socket's path or (host, port)."""

    def __init__(self, address, limit=20.0):
        family = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(limit)
        self.socket.connect(address if isinstance(address, tuple) else str(address))
        self._out = {}
        self._errors = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            try:
                part = self.socket.recv(count - len(data))
            except ConnectionResetError:
                part = b""
            if not part:
                raise Ended(f"after {len(data)} of {count} bytes")
            data += part
        return data

    def read_record(self):
        """(type, id, content) of the next record."""
        version, kind, id, length, padding = struct.unpack(">BBHHBx", self._exactly(8))
        assert version == 1, f"version {version}"
        content = self._exactly(length)
        self._exactly(padding)
        return kind, id, content

    def next_end(self):
        """Reads until some request ends: (id, answer or None without output, protocol status, exit status)."""
        while True:
            kind, id, content = self.read_record()
            if kind == STDOUT:
                self._out[id] = self._out.get(id, b"") + content
            elif kind == STDERR:
                self._errors[id] = self._errors.get(id, b"") + content
            elif kind == END:
                app, protocol = struct.unpack(">IB3x", content)
                out, errors = self._out.pop(id, b""), self._errors.pop(id, b"")
                return id, answer.from_cgi(out, errors) if out else None, protocol, app
            else:
                raise AssertionError(f"a record of type {kind} in the middle of an answer")

    def answer(self, id=1):
        """The next answer, which must be that of this request."""
        ended, answered, protocol, _ = self.next_end()
        assert ended == id, f"the answer of request {ended} came, not of {id}"
        assert protocol == COMPLETE, f"protocol status {protocol}"
        assert answered is not None, "the request ended without an answer"
        return answered

    def is_closed(self, limit):
        """Whether the program closes the connection within the limit; what it sends before is dropped."""
        self.socket.settimeout(limit)
        try:
            while self.socket.recv(65536):
                pass
            return True
        except TimeoutError:
            return False
        except ConnectionResetError:
            return True


def ask(address, target, headers=None, method="GET", body=b"", limit=20.0, **variables):
    """One request on a connection of its own."""
    with Client(address, limit) as client:
        client.send(request(1, parameters(target, headers, method, body, **variables), body, keep=False))
        return client.answer(1)
