"""Who holds a lease: a name that lets a later run on the same machine see that its owner is dead.

An owner is `host boot pidspace pid start`. Only where host, boot and process space are ours can a
dead process be told from a living one; everywhere else the lease has to run out.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

PROC = Path("/proc")


def this_owner() -> str:
    """The name of this process, as it is written into a lease."""
    pid = os.getpid()
    return " ".join((*_place(), str(pid), _started(pid)))


def is_dead(owner: str) -> bool:
    """True only when we know: the owner ran here and its process is gone (or is another now)."""
    parts = owner.split()
    if len(parts) != 5 or tuple(parts[:3]) != _place() or not parts[3].isdecimal():
        return False
    return _started(int(parts[3])) != parts[4]


def owner_words(owner: str) -> str:
    """For people: the process on this machine, or the other machine; what is no owner as it is."""
    parts = owner.split()
    if len(parts) < 5 or not parts[3].isdecimal():
        return repr(owner)
    here = tuple(parts[:3]) == _place()
    return f"pid {parts[3]} on {'this machine' if here else parts[0]}"


def _place() -> tuple[str, str, str]:
    host = socket.gethostname().replace(" ", "_") or "-"
    return (host, _read("sys/kernel/random/boot_id"), _process_space())


def _process_space() -> str:
    """Two containers with one host name have different ones."""
    try:
        return str(PROC.joinpath("self/ns/pid").readlink())
    except OSError:
        return "-"


def _started(pid: int) -> str:
    """Clock ticks after boot at which the process began; `-` when there is none (any more).

    Field 22 of `/proc/PID/stat`; the name in field 2 may hold blanks and brackets.
    Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html, read 2026-11-30.
    """
    fields = _read(f"{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] == "Z":
        return "-"
    return fields[19]


def _read(name: str) -> str:
    try:
        return PROC.joinpath(name).read_text(encoding="utf-8", errors="replace").strip() or "-"
    except OSError:
        return "-"
