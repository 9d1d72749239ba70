"""The host name and user name here, so that reports can leave them out."""

import getpass
import os
import socket
from typing import NamedTuple


class Names(NamedTuple):
    """Accounts, host names (short and full) and home folders."""

    users: tuple[str, ...]
    hosts: tuple[str, ...]
    homes: tuple[str, ...]


def read_names() -> Names:
    """What this process is told of them. Nothing is looked up over the network."""
    users = [os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")]
    try:
        users.append(getpass.getuser())
    except (OSError, KeyError, ImportError):  # no such account in the password file, and no variable
        users.append("")
    hosts = [os.environ.get(name, "") for name in ("HOSTNAME", "COMPUTERNAME", "SLURMD_NODENAME")]
    hosts += [_host_name(), os.environ.get("USERDOMAIN", "")]
    homes = [os.path.expanduser("~")]
    return Names(*(tuple(dict.fromkeys(filter(None, found))) for found in (users, hosts, homes)))


def _host_name() -> str:
    try:
        return socket.gethostname()
    except OSError:
        return ""
