"""An HTTP/1.1 client on a raw socket, which can also leave before the answer."""

import socket

from answer import Answer, parsed_fields


def start(port, target, headers=None, method="GET", body=b"", host="127.0.0.1", limit=20.0, keep=False, source=None):
    """Sends a request and answers with the socket, for the test to read from or to close.

    `source` is the address that it comes from, such as 127.0.0.2.
    """
    connection = socket.create_connection((host, port), timeout=limit, source_address=source and (source, 0))
    send(connection, target, headers, method, body, keep)
    return connection


def send(connection, target, headers=None, method="GET", body=b"", keep=False):
    fields = {"Host": "localhost", **({} if keep else {"Connection": "close"}), **(headers or {})}
    if body:
        fields.setdefault("Content-Length", str(len(body)))
    lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items()]
    connection.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def read(connection, method="GET"):
    """Reads one answer. A body that is cut short fails."""
    file = connection.makefile("rb")
    status_line = file.readline()
    assert status_line, "the connection ended before an answer"
    status = int(status_line.split()[1])
    block = b""
    while (line := file.readline()) not in (b"\r\n", b"\n", b""):
        block += line
    answer = Answer(status, parsed_fields(block), b"")
    length, coding = answer["Content-Length"], answer["Transfer-Encoding"]
    if method == "HEAD" or status in (204, 304):
        return answer
    if coding == "chunked":
        while True:
            size = int(file.readline().split(b";")[0], 16)
            data = file.read(size)
            assert len(data) == size, "a chunk was cut short"
            answer.body += data
            file.readline()
            if size == 0:
                return answer
    if length is not None:
        answer.body = file.read(int(length))
        assert len(answer.body) == int(length), f"the body was cut short: {len(answer.body)} of {length} bytes"
    else:
        answer.body = file.read()
    return answer


def ask(port, target, headers=None, method="GET", body=b"", host="127.0.0.1", limit=20.0, source=None):
    with start(port, target, headers, method, body, host, limit, source=source) as connection:
        return read(connection, method)


def raw(port, data, limit=20.0):
    """Sends bytes as they are, and reads one answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=limit) as connection:
        connection.sendall(data)
        return read(connection)
