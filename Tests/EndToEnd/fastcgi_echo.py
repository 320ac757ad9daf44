"""A FastCGI program in the test's own process that remembers what it was asked, and answers with a fragment.

What a page is shown for is not remembered: its language, which is `language`, and whether its trip is there, which `is_there` says.
"""

import socket
import struct
import threading

import fastcgi_client as fastcgi


class Asked:
    """One request: its variables and its body."""

    def __init__(self, parameters, body):
        self.parameters = parameters
        self.body = body

    def __getitem__(self, name):
        return self.parameters.get(name)


class Echo:
    def __init__(self, path):
        self.asked = []
        self.languages_asked = []
        self.language = "en"
        self.is_there = True
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(100)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        # close alone would leave accept waiting.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    @property
    def last(self):
        return self.asked[-1]

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        """Request after request, as nginx keeps its connections."""
        with connection, connection.makefile("rb") as file:
            parameters, body, keeps = b"", b"", False
            while header := file.read(8):
                _, kind, id, length, padding = struct.unpack(">BBHHBx", header)
                content = file.read(length)
                file.read(padding)
                if kind == fastcgi.BEGIN:
                    parameters, body, keeps = b"", b"", bool(content[2] & 1)
                elif kind == fastcgi.PARAMS:
                    parameters += content
                elif kind == fastcgi.STDIN and content:
                    body += content
                elif kind == fastcgi.STDIN:
                    answer = self._answer(Asked(fastcgi.parsed_pairs(parameters), body))
                    connection.sendall(
                        fastcgi.record(fastcgi.STDOUT, id, answer) + fastcgi.record(fastcgi.STDOUT, id)
                        + fastcgi.record(fastcgi.END, id, struct.pack(">IB3x", 0, fastcgi.COMPLETE)))
                    if not keeps:
                        return

    def _answer(self, asked):
        if asked["SCRIPT_NAME"] == "/language":
            self.languages_asked.append(asked)
            return f"Content-Type: text/plain; charset=utf-8\r\n\r\n{self.language}".encode()
        if asked["REQUEST_METHOD"] == "HEAD" and asked["HTTP_ACCEPT"] == "text/html":
            return f"Status: {200 if self.is_there else 404}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".encode()
        self.asked.append(asked)
        return b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>echo</p>"
