"""nginx from the repository's own nginx.conf, fcgiwrap beside it, and nginx with TLS before the stand-in."""

import os
import shutil
import socket

import http_client
import program
from processes import command, eventually
from stand_in import REPOSITORY


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _as_root():
    """Workers of an nginx that root started couldn't enter the test's folder as another user."""
    return ["-g", "user root;"] if os.getuid() == 0 else []


def _listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class WebServer:
    """nginx as the repository has it. The folder looks like a checkout: run, deploy/www, .build/release.

    `changes` are parts of nginx.conf or of what it includes, each there once, with what stands in their place.
    """

    def __init__(self, keeper, changes=None):
        self.folder = keeper.folder
        self.port = free_port()
        (self.folder / "run").mkdir(exist_ok=True)
        shutil.copytree(REPOSITORY / "deploy/www", self.folder / "deploy/www", dirs_exist_ok=True)
        release = self.folder / ".build/release"
        release.mkdir(parents=True, exist_ok=True)
        if not (release / "trip-weather").exists():
            (release / "trip-weather").symlink_to(program.binary())
        files = {
            name: (REPOSITORY / name).read_text("utf-8")
            for name in ["nginx.conf", *(f"deploy/nginx/{path.name}" for path in (REPOSITORY / "deploy/nginx").glob("*.conf"))]
        }
        for old, new in {"listen 127.0.0.1:8080": f"listen 127.0.0.1:{self.port}", "worker_processes auto;": "worker_processes 2;",
                         **(changes or {})}.items():
            assert sum(text.count(old) for text in files.values()) == 1, f"{old!r} isn't in nginx.conf and its includes once"
            files = {name: text.replace(old, new) for name, text in files.items()}
        (self.folder / "deploy/nginx").mkdir(exist_ok=True)
        for name, text in files.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        # An nginx that was killed leaves its own socket behind.
        (self.folder / "run/pictures.sock").unlink(missing_ok=True)
        self.child = keeper.start(
            [command("nginx"), "-p", f"{self.folder}/", "-c", "nginx.conf", "-e", "run/error.log", *_as_root()], "nginx",
            cwd=self.folder)
        self.child.wait_until(lambda: _listens(self.port))

    def ask(self, target, headers=None, method="GET", body=b"", limit=20.0, source=None):
        return http_client.ask(self.port, target, headers, method, body, limit=limit, source=source)

    def start(self, target, headers=None, limit=20.0, **more):
        return http_client.start(self.port, target, headers, limit=limit, **more)

    def put(self, path, text):
        """Puts a page of the test's own into deploy/www."""
        (self.folder / "deploy/www" / path).write_text(text, encoding="utf-8")

    @property
    def errors(self):
        path = self.folder / "run/error.log"
        return path.read_text("utf-8", errors="replace") if path.exists() else ""


def start_fcgiwrap(keeper, processes=4):
    path = keeper.folder / "run/fcgiwrap.sock"
    path.parent.mkdir(exist_ok=True)
    child = keeper.start([command("fcgiwrap"), "-c", processes, "-f", "-s", f"unix:{path}"], "fcgiwrap",
                         environment=program.environment())
    child.wait_until(path.exists)
    return child


TLS = """
daemon off;
pid tls/nginx.pid;
error_log tls/error.log warn;
worker_processes 1;
events {{ worker_connections 1000; }}
http {{
    client_body_temp_path tls/body; proxy_temp_path tls/proxy; fastcgi_temp_path tls/fastcgi;
    uwsgi_temp_path tls/uwsgi; scgi_temp_path tls/scgi;
    log_format protocol '$server_protocol $request_uri $ssl_protocol';
    access_log tls/access.log protocol;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {certificate}.pem;
        ssl_certificate_key {certificate}.key;
        location / {{ proxy_pass {upstream}; }}
    }}
}}
"""


class TLSFront:
    """nginx with TLS and HTTP/2 before the stand-in, showing one of the certificates."""

    def __init__(self, keeper, upstream, certificate):
        self.folder = keeper.folder
        self.port = free_port()
        (self.folder / "tls").mkdir(exist_ok=True)
        config = self.folder / "tls/nginx.conf"
        config.write_text(TLS.format(port=self.port, certificate=certificate, upstream=upstream), encoding="utf-8")
        child = keeper.start(
            [command("nginx"), "-p", f"{self.folder}/", "-c", config, "-e", "tls/error.log", *_as_root()], "nginx-tls",
            cwd=self.folder)
        child.wait_until(lambda: _listens(self.port))
        self.url = f"https://localhost:{self.port}"

    def protocols(self):
        """The protocol of each request that came so far."""
        path = self.folder / "tls/access.log"
        return [line.split()[0] for line in path.read_text().splitlines()] if path.exists() else []

    def wait_for_requests(self, count):
        return eventually(lambda: len(self.protocols()) >= count and self.protocols(), what=f"{count} requests over TLS")
