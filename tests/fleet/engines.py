"""Engines as operators have them, on this machine: several hosts with sshd in network namespaces, a Slurm cluster."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

#: The shell that stands for gpudoctor on a node, so that a test says how long a node takes; the real one is run, too.
GPUDOCTOR = f"{sys.executable} -m gpudoctor"


def _sh(command: str) -> None:
    subprocess.run(["sh", "-c", command], check=True, capture_output=True)


class SshHosts:
    """Hosts with a network and an sshd of their own: gdh1, gdh2 …"""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.count = folder, count
        self.names = [f"gdh{number}" for number in range(1, count + 1)]
        self._servers: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def options(self) -> str:
        """What ssh is to be called with."""
        return f"-F {self.folder}/config"

    def start(self) -> None:
        """Bring all up."""
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        for name in ("host", "user"):
            _sh(f"ssh-keygen -q -t ed25519 -N '' -f {self.folder}/{name}")
        shutil.copy(self.folder / "user.pub", self.folder / "authorized")
        _sh("ip link add gdbr type bridge && ip addr add 10.213.0.254/24 dev gdbr && ip link set gdbr up")
        hosts = []
        for number, name in enumerate(self.names, 1):
            _sh(
                f"ip netns add {name} && ip link add {name} type veth peer name eth0 netns {name}"
                f" && ip link set {name} master gdbr up && ip -n {name} addr add 10.213.0.{number}/24 dev eth0"
                f" && ip -n {name} link set eth0 up && ip -n {name} link set lo up"
            )
            hosts.append(f"Host {name}\n  HostName 10.213.0.{number}\n")
            self._serve(name)
        common = f"  IdentityFile {self.folder}/user\n  StrictHostKeyChecking no\n"
        common += "  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
        silent = "Host gdh-silent\n  HostName 10.213.0.99\nHost gdh-refuses\n  HostName 10.213.0.254\n  Port 9\n"
        (self.folder / "config").write_text("".join(hosts) + silent + "Host *\n" + common)
        time.sleep(0.5)

    def _serve(self, name: str) -> None:
        settings = (
            f"AuthorizedKeysFile={self.folder}/authorized", f"PidFile={self.folder}/{name}.pid", "StrictModes=no",
            "PermitRootLogin=yes", "UsePAM=no", "ListenAddress=0.0.0.0",
        )  # fmt: skip
        argv = [
            "ip",
            "netns",
            "exec",
            name,
            "/usr/sbin/sshd",
            "-D",
            "-e",
            "-f",
            "/dev/null",
            "-h",
            f"{self.folder}/host",
        ]
        argv += [f"-o{one}" for one in settings]
        with (self.folder / f"{name}.log").open("wb") as log:
            self._servers[name] = subprocess.Popen(argv, stdout=log, stderr=log, start_new_session=True)

    def kill(self, name: str) -> None:
        """The host loses its power: nothing of it answers any more."""
        _sh(f"ip link set {name} down")

    def stop(self) -> None:
        """Take all down again."""
        for name, server in self._servers.items():
            with contextlib.suppress(subprocess.CalledProcessError):
                _sh(f"ip netns pids {name} | xargs -r kill -9")
            server.kill()
            server.wait()
            with contextlib.suppress(subprocess.CalledProcessError):
                _sh(f"ip netns del {name}")
        with contextlib.suppress(subprocess.CalledProcessError):
            _sh("ip link del gdbr")


def _can_make_networks() -> bool:
    if (
        os.geteuid() != 0
        or not all(map(shutil.which, ("ip", "ssh", "ssh-keygen")))
        or not os.path.exists("/usr/sbin/sshd")
    ):
        return False
    try:
        _sh("ip netns add gdprobe && ip netns del gdprobe")
    except subprocess.CalledProcessError:
        return False
    return True


@pytest.fixture(scope="session")
def ssh_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHosts]:
    if not _can_make_networks():
        pytest.skip("hosts in network namespaces need root, iproute2 and openssh-server")
    hosts = SshHosts(tmp_path_factory.mktemp("ssh"), 6)
    try:
        hosts.start()
        yield hosts
    finally:
        hosts.stop()
