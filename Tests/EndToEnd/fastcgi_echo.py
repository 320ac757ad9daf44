"""A FastCGI program in the test's own process that remembers what it was asked, and answers with a fragment."""

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
                    self.asked.append(Asked(fastcgi.parsed_pairs(parameters), body))
                    answer = b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>echo</p>"
                    connection.sendall(
                        fastcgi.record(fastcgi.STDOUT, id, answer) + fastcgi.record(fastcgi.STDOUT, id)
                        + fastcgi.record(fastcgi.END, id, struct.pack(">IB3x", 0, fastcgi.COMPLETE)))
                    if not keeps:
                        return
