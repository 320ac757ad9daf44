"""Writes the configurations of a run: the program, nginx in front, nginx as upstream, PHP-FPM, Apache."""

import json
import os
from datetime import date, datetime, timedelta, timezone

from machine import tool

# What nginx tells a responder, as the repository's nginx.conf does.
PARAMETERS = """
        fastcgi_param GATEWAY_INTERFACE CGI/1.1;
        fastcgi_param SERVER_SOFTWARE   nginx;
        fastcgi_param SERVER_PROTOCOL   $server_protocol;
        fastcgi_param SERVER_NAME       $server_name;
        fastcgi_param SERVER_PORT       $server_port;
        fastcgi_param REMOTE_ADDR       $remote_addr;
        fastcgi_param REQUEST_SCHEME    $scheme;
        fastcgi_param REQUEST_METHOD    $request_method;
        fastcgi_param SCRIPT_NAME       $fastcgi_script_name;
        fastcgi_param DOCUMENT_URI      $document_uri;
        fastcgi_param QUERY_STRING      $query_string;
        fastcgi_param CONTENT_TYPE      $content_type;
        fastcgi_param CONTENT_LENGTH    $content_length;
        fastcgi_param HTTP_PROXY        "";
"""


def nginx_head(folder, name, workers, modules=()):
    loads = "".join(f"load_module {module};\n" for module in modules)
    user = "user root;\n" if os.getuid() == 0 else ""
    return f"""{loads}{user}daemon off;
pid {folder}/{name}.pid;
error_log {folder}/{name}-error.log warn;
worker_processes {workers};
worker_rlimit_nofile 20000;
events {{ worker_connections 19900; }}
http {{
    access_log off;
    client_body_temp_path {folder}/{name}-temp;
    fastcgi_temp_path {folder}/{name}-temp;
    proxy_temp_path {folder}/{name}-temp;
    scgi_temp_path {folder}/{name}-temp;
    uwsgi_temp_path {folder}/{name}-temp;
    server_tokens off;
    keepalive_requests 100000000;
    keepalive_timeout 65s;
    reset_timedout_connection on;
    fastcgi_read_timeout 60s;
    fastcgi_buffer_size 8k;
    fastcgi_buffers 16 8k;
"""


class Responder:
    """Someone who answers behind the front: a socket, and whether connections are kept."""

    def __init__(self, name, port, socket, keepalive=64, script=None, cached=False):
        self.name, self.port, self.socket, self.keepalive, self.script = name, port, socket, keepalive, script
        self.cached = cached

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def server(self, folder):
        kept = f"keepalive {self.keepalive}; keepalive_requests 100000000;" if self.keepalive else ""
        keep = "fastcgi_keep_conn on;" if self.keepalive else ""
        script = f"fastcgi_param SCRIPT_FILENAME {self.script};" if self.script else ""
        cache = """
            fastcgi_cache answers;
            fastcgi_cache_key $request_uri;
            fastcgi_cache_valid 200 1h;
            fastcgi_ignore_headers Cache-Control Vary Expires;""" if self.cached else ""
        return f"""
    upstream {self.name} {{ server unix:{self.socket}; {kept} }}
    server {{
        listen 127.0.0.1:{self.port} backlog=4096;
        location / {{{PARAMETERS}            {script}
            fastcgi_pass {self.name};
            {keep}{cache}
        }}
    }}
"""


def write_front(folder, workers, responders, fixed):
    """nginx in front of all responders. `fixed`: the port and the two answers of `return 200`."""
    port, answers = fixed
    text = nginx_head(folder, "front", workers)
    text += f"    fastcgi_cache_path {folder}/cached keys_zone=answers:10m max_size=100m inactive=1h;\n"
    for responder in responders:
        text += responder.server(folder)
    text += f"\n    server {{\n        listen 127.0.0.1:{port} backlog=4096;\n"
    for path, (fields, body) in answers.items():
        text += f"        location = {path} {{\n"
        for name, value in fields:
            if name.lower() == "content-type":
                text += f"            default_type {_quoted(value)};\n"
            else:
                text += f"            add_header {name} {_quoted(value)};\n"
        text += f"            return 200 {_quoted(body)};\n        }}\n"
    path = os.path.join(folder, "front.conf")
    with open(path, "w") as file:
        file.write(text + "    }\n}\n")
    return path


def _quoted(text):
    assert "$" not in text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def forecast(now):
    """A forecast as Open-Meteo words it, for today and fifteen days after."""
    first = date(now.year, now.month, now.day)
    days = [(first + timedelta(days=i)).isoformat() for i in range(16)]
    return {
        "latitude": 45.0, "longitude": 15.0, "generationtime_ms": 0.4214048385620117, "utc_offset_seconds": 0,
        "timezone": "Etc/GMT", "timezone_abbreviation": "GMT", "elevation": 100.0,
        "current_units": {
            "time": "iso8601", "interval": "seconds", "temperature_2m": "°C", "apparent_temperature": "°C",
            "relative_humidity_2m": "%", "precipitation": "mm", "wind_speed_10m": "km/h", "weather_code": "wmo code",
            "is_day": "",
        },
        "current": {
            "time": now.strftime("%Y-%m-%dT%H:00"), "interval": 900, "temperature_2m": 22.2, "apparent_temperature": 21.8,
            "relative_humidity_2m": 71, "precipitation": 0.17, "wind_speed_10m": 5.4, "weather_code": 80, "is_day": 1,
        },
        "daily_units": {
            "time": "iso8601", "weather_code": "wmo code", "temperature_2m_max": "°C", "temperature_2m_min": "°C",
            "precipitation_sum": "mm", "precipitation_probability_max": "%", "sunrise": "iso8601", "sunset": "iso8601",
        },
        "daily": {
            "time": days,
            "weather_code": [80, 45, 3, 61, 65, 0, 80, 3, 51, 1, 2, 63, 63, 80, 2, 1],
            "temperature_2m_max": [24.7, 26.5, 31.2, 25.8, 27.0, 26.9, 30.0, 28.6, 24.2, 26.8, 30.6, 29.2, 28.4, 30.1, 25.6, 24.9],
            "temperature_2m_min": [19.6, 19.6, 23.0, 22.3, 18.1, 19.7, 23.7, 24.2, 18.0, 22.1, 22.1, 20.7, 22.6, 21.2, 18.6, 18.3],
            "precipitation_sum": [4.0, 0.0, 0.0, 4.04, 14.83, 0.0, 2.78, 0.0, 0.98, 0.0, 0.0, 4.77, 11.16, 2.0, 0.0, 0.0],
            "precipitation_probability_max": [58, 14, 19, 50, 68, 18, 64, 36, 90, 27, 5, 65, 55, 57, 20, None],
            "sunrise": [day + "T04:51" for day in days],
            "sunset": [day + "T16:24" for day in days],
        },
    }


def write_upstream(folder, workers, ports, echo):
    """nginx that answers as Open-Meteo would: at once, after 200 ms, after 5 s, and counted after 200 ms.

    Each "City 123456" is a place of its own; all have the same weather. `ports` are by name; `echo` are the
    modules for the late ones, or nothing where they are not installed.
    """
    one = forecast(datetime.now(timezone.utc))
    texts = {"one": json.dumps(one, ensure_ascii=False, separators=(",", ":"))}
    many = json.dumps([{**one, "location_id": i} if i else one for i in range(100)], ensure_ascii=False, separators=(",", ":"))
    os.makedirs(f"{folder}/fixed", exist_ok=True)
    with open(f"{folder}/fixed/many.json", "w") as file:
        file.write(many)
    place = ('{"results":[{"id":1${digits},"name":"$name","latitude":4$north,"longitude":1$east,"elevation":100.0,'
             '"feature_code":"PPL","country_code":"NO","timezone":"Etc/GMT","population":1000,"country_id":3144096,'
             '"country":"Norway"}],"generationtime_ms":0.4620552}')
    text = nginx_head(folder, "upstream", workers, echo)
    # "City 123456" lies at 41.23 north, 14.56 east.
    text += r"""
    default_type application/json;
    map $arg_name $digits { default 000000; "~(?<d>\d\d\d\d\d\d)$" $d; }
    map $digits $north { "~^(?<a>\d)(?<b>\d\d)" $a.$b; }
    map $digits $east { "~^\d\d\d(?<c>\d)(?<e>\d\d)" $c.$e; }
    map $arg_name $name { default $arg_name; "~\d$" "City $digits"; }
"""
    for name, port in ports.items():
        pause = {"instant": None, "late": 0.2, "held": 5, "counted": 0.2}[name]
        if pause and not echo:
            continue
        log = ""
        if name == "counted":
            log = f"log_format plain '$uri'; access_log {folder}/counted.log plain;"
            text += f"    {log.split(';')[0]};\n"
            log = f"access_log {folder}/counted.log plain;"
        text += f"    server {{\n        listen 127.0.0.1:{port} backlog=4096;\n        root {folder}/fixed;\n        {log}\n"
        answers = {"search": f"return 200 '{place}';",
                   "forecast": f"if ($arg_latitude ~ \",\") {{ rewrite ^ /many.json last; }} return 200 {_quoted(texts['one'])};"}
        for route, answer in answers.items():
            if pause:
                text += f"        location = /v1/{route} {{ echo_sleep {pause}; echo_exec @{route}; }}\n"
                text += f"        location @{route} {{ {answer} }}\n"
            else:
                text += f"        location = /v1/{route} {{ {answer} }}\n"
        text += "    }\n"
    path = os.path.join(folder, "upstream.conf")
    with open(path, "w") as file:
        file.write(text + "}\n")
    return path


def echo_modules():
    """nginx's echo module and what it needs, where Debian has put them."""
    folder = "/usr/lib/nginx/modules"
    module = f"{folder}/ngx_http_echo_module.so"
    if not os.path.exists(module):
        return []
    kit = f"{folder}/ndk_http_module.so"
    return ([kit] if os.path.exists(kit) else []) + [module]


def write_program(folder, name, upstream, **changes):
    """A configuration whose limits are above what a run has in flight; the cache's are the usual ones."""
    settings = {
        "server": {"connections": 19000, "requestsInFlight": 19000, "readTimeout": "60s", "writeTimeout": "30s",
                   "arrivalTimeout": "30s"},
        "request": {"deadline": "30s"},
        "upstream": {"geocodingURL": upstream, "forecastURL": upstream, "archiveURL": upstream,
                     "transfersAtOnce": 4000, "queueLength": 20000, "idleConnections": 4000, "firstByteTimeout": "20s", "transferTimeout": "25s"},
        "budget": {"minute": 100_000_000, "hour": 100_000_000, "day": 100_000_000},
        "log": {"requests": "none"},
    }
    for section, members in changes.items():
        settings[section] = {**settings.get(section, {}), **members}
    path = os.path.join(folder, f"{name}.json5")
    with open(path, "w") as file:
        json.dump(settings, file, indent=2)
    return path


def write_php(folder, name, socket, children, upstream=""):
    """PHP-FPM with so many processes, OPcache and APCu as its manuals advise for speed."""
    path = os.path.join(folder, f"{name}.conf")
    with open(path, "w") as file:
        file.write(f"""[global]
error_log = {folder}/{name}-fpm.log
daemonize = no
[www]
{"user = root" if os.getuid() == 0 else ""}
{"group = root" if os.getuid() == 0 else ""}
listen = {socket}
listen.backlog = 4096
pm = static
pm.max_children = {children}
env[BENCH_ANSWERS] = {folder}/answers
{f"env[BENCH_UPSTREAM] = {upstream}" if upstream else ""}
php_admin_value[apc.shm_size] = 256M
php_admin_value[opcache.enable] = 1
php_admin_value[opcache.validate_timestamps] = 0
""")
    command = [tool("php-fpm8.2", "php-fpm"), "-F", "-y", path, "-d", "apc.enabled=1", "-d", "apc.shm_size=512M"]
    return command + (["-R"] if os.getuid() == 0 else [])


def write_apache(folder, port, environment):
    path = os.path.join(folder, "apache.conf")
    modules = "/usr/lib/apache2/modules"
    settings = "".join(f"SetEnv {name} {value}\n" for name, value in environment.items())
    user = "User www-data\nGroup www-data\n" if os.getuid() == 0 else ""
    with open(path, "w") as file:
        file.write(f"""ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/apache-error.log
LoadModule mpm_prefork_module {modules}/mod_mpm_prefork.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule alias_module {modules}/mod_alias.so
LoadModule env_module {modules}/mod_env.so
LoadModule cgi_module {modules}/mod_cgi.so
{user}{settings}ScriptAlias /cgi/ {folder}/cgi/
<Directory {folder}/cgi>
    Require all granted
</Directory>
""")
    return path
