#!/usr/bin/python3
"""Hands one listening socket, inherited under any number, over as systemd does: hand_over.py FD PROGRAM ARGUMENT…"""

import os
import sys

os.dup2(int(sys.argv[1]), 3, inheritable=True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.argv[2], sys.argv[2:])
