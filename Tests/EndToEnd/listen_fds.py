#!/usr/bin/python3
"""Hands listening sockets over as systemd does: listen_fds.py SOCKET… -- PROGRAM ARGUMENT…"""

import os
import socket
import sys

sys.dont_write_bytecode = True
split = sys.argv.index("--")
listeners = []
for number, path in enumerate(sys.argv[1:split]):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(128)
    listeners.append(listener)
    os.dup2(listener.fileno(), 100 + number)
for number in range(len(listeners)):
    os.dup2(100 + number, 3 + number, inheritable=True)
    os.close(100 + number)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(listeners)))
os.execv(sys.argv[split + 1], sys.argv[split + 1:])
