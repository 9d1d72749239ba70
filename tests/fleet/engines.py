"""Engines as operators have them, on this machine: several hosts with sshd in network namespaces, a Slurm cluster."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

#: The shell that stands for gpudoctor on a node, so that a test says how long a node takes; the real one is run, too.
GPUDOCTOR = f"{sys.executable} -m gpudoctor"


#: Tests that run side by side have networks and ports of their own: those of one run, and of other checkouts.
_SIDE = zlib.crc32(os.fsencode(Path(__file__).resolve())) % 60 * 4
_SIDE += int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw") or 0) % 4


def _sh(command: str) -> None:
    subprocess.run(["sh", "-c", command], check=True, capture_output=True)


def _wait_for(ready: Callable[[], bool]) -> None:
    """Until it is so, or 30 s are over; what comes next says then what is missing."""
    for _ in range(300):
        if ready():
            return
        time.sleep(0.1)


class SshHosts:
    """Hosts with a network and an sshd of their own: gdh1, gdh2 …"""

    NETWORK = f"10.213.{_SIDE}"
    _BRIDGE = f"gdbr{_SIDE}"

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.count = folder, count
        self.names = [f"gdh{number}" for number in range(1, count + 1)]
        self._servers: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def options(self) -> str:
        """What ssh is to be called with."""
        return f"-F {self.folder}/config"

    def start(self) -> None:
        """Bring all up; what a run that was cut off has left is taken down first."""
        self.stop()
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        for name in ("host", "user"):
            _sh(f"ssh-keygen -q -t ed25519 -N '' -f {self.folder}/{name}")
        shutil.copy(self.folder / "user.pub", self.folder / "authorized")
        bridge = self._BRIDGE
        _sh(f"ip link add {bridge} type bridge && ip addr add {self.NETWORK}.254/24 dev {bridge}")
        _sh(f"ip link set {bridge} up")
        hosts = []
        for number, name in enumerate(self.names, 1):
            net = _net(name)
            _sh(
                f"ip netns add {net} && ip link add {net} type veth peer name eth0 netns {net}"
                f" && ip link set {net} master {bridge} up && ip -n {net} addr add {self.NETWORK}.{number}/24 dev eth0"
                f" && ip -n {net} link set eth0 up && ip -n {net} link set lo up"
            )
            hosts.append(f"Host {name}\n  HostName {self.NETWORK}.{number}\n")
            self._serve(name)
        common = f"  IdentityFile {self.folder}/user\n  StrictHostKeyChecking no\n"
        common += "  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
        silent = f"Host gdh-refuses\n  HostName {self.NETWORK}.254\n  Port 9\n"
        (self.folder / "config").write_text("".join(hosts) + silent + "Host *\n" + common)
        _wait_for(lambda: all("listening" in (self.folder / f"{one}.log").read_text() for one in self.names))

    def _serve(self, name: str) -> None:
        settings = (
            f"AuthorizedKeysFile={self.folder}/authorized", f"PidFile={self.folder}/{name}.pid", "StrictModes=no",
            "PermitRootLogin=yes", "UsePAM=no", "ListenAddress=0.0.0.0",
        )  # fmt: skip
        argv = [
            "ip",
            "netns",
            "exec",
            _net(name),
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
        _sh(f"ip link set {_net(name)} down")

    def stop(self) -> None:
        """Take all down again."""
        for name in self.names:
            with contextlib.suppress(subprocess.CalledProcessError):
                _sh(f"ip netns pids {_net(name)} | xargs -r kill -9")
            if server := self._servers.get(name):
                server.kill()
                server.wait()
            with contextlib.suppress(subprocess.CalledProcessError):
                _sh(f"ip netns del {_net(name)}")
        with contextlib.suppress(subprocess.CalledProcessError):
            _sh(f"ip link del {self._BRIDGE}")


def _net(name: str) -> str:
    return f"{name}s{_SIDE}"


def _can_make_networks() -> bool:
    if (
        os.geteuid() != 0
        or not all(map(shutil.which, ("ip", "ssh", "ssh-keygen")))
        or not os.path.exists("/usr/sbin/sshd")
    ):
        return False
    try:
        _sh(f"ip netns add gdprobe{_SIDE} && ip netns del gdprobe{_SIDE}")
        _sh(f"ip link add gdb{_SIDE} type bridge && ip link del gdb{_SIDE}")
        _sh(f"ip link add gdv{_SIDE} type veth peer name gdw{_SIDE} && ip link del gdv{_SIDE}")
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


class SlurmCluster:
    """A cluster of four slurmd on this machine, as Debian builds them (--enable-multiple-slurmd): gds1 to gds4."""

    NODES = ("gds1", "gds2", "gds3", "gds4")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def environment(self) -> dict[str, str]:
        """Variables in which Slurm's commands speak to this cluster."""
        return {"SLURM_CONF": f"{self.folder}/slurm.conf"}

    def start(self) -> None:
        """Bring it up, and wait until all nodes are idle."""
        folder = self.folder
        folder.chmod(0o755)
        (folder / "munge.key").write_bytes(os.urandom(1024))
        (folder / "munge.key").chmod(0o600)
        (folder / "state").mkdir()
        self.prolog("#!/bin/sh\nexit 0\n")
        for node in self.NODES:
            (folder / f"spool-{node}").mkdir()
        (folder / "slurm.conf").write_text(_SLURM_CONF.format(folder=folder, port=2780 + _SIDE))
        files = {"key-file": "key", "socket": "sock", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        paths = [f"--{option}={folder}/munge.{ending}" for option, ending in files.items()]
        self._start("munged", "munged", "--foreground", "--force", *paths)
        _wait_for((folder / "munge.sock").exists)
        self._start("slurmctld", "slurmctld", "-D", "-f", f"{folder}/slurm.conf")
        for node in self.NODES:
            self._start(node, "slurmd", "-D", "-N", node, "-f", f"{folder}/slurm.conf")
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        """No node is down, drained, or busy with the end of a job."""
        for _ in range(150):
            said = self.ask("sinfo", "-hN", "-o", "%T")
            if said.split() == ["idle"] * len(self.NODES):
                return
            time.sleep(0.2)
        raise AssertionError(f"the cluster is not idle: {said}")

    def settled(self, node: str) -> str:
        """The state that a node comes to when nothing runs on it any more."""
        for _ in range(300):
            state = self.ask("sinfo", "-hn", node, "-o", "%T").strip()
            if state in ("idle", "drained", "down") and not self.ask("squeue", "-hw", node).strip():
                break
            time.sleep(0.2)
        return state

    def prolog(self, script: str) -> None:
        """What slurmd runs before each job."""
        (self.folder / "prolog").write_text(script)
        (self.folder / "prolog").chmod(0o755)

    def ask(self, *argv: str) -> str:
        """What a command of Slurm prints."""
        done = subprocess.run(argv, capture_output=True, text=True, env={**os.environ, **self.environment}, check=False)
        return done.stdout

    def _start(self, name: str, *argv: str) -> None:
        with (self.folder / f"{name}.out").open("wb") as out:
            environment = {**os.environ, **self.environment}
            process = subprocess.Popen(argv, stdout=out, stderr=out, env=environment, start_new_session=True)
        self._daemons[name] = process

    def kill(self, node: str) -> None:
        """The node loses its power: its daemon and what it runs are gone at once."""
        self._daemons[node].kill()
        for process in psutil.process_iter(["name"]):
            with contextlib.suppress(psutil.Error):
                variables = process.environ()
                ours = variables.get("SLURM_CONF") == self.environment["SLURM_CONF"]
                if ours and variables.get("SLURMD_NODENAME") == node:
                    process.parent().kill() if process.parent().name() == "slurmstepd" else None
                    process.kill()

    def stop(self) -> None:
        """Take it down."""
        for process in reversed(self._daemons.values()):
            process.terminate()
        for process in self._daemons.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2)
            process.kill()
            process.wait()


_SLURM_CONF = """\
ClusterName=gpudoctor
SlurmctldHost=localhost
SlurmUser=root
SlurmctldPort={port}0
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
Prolog={folder}/prolog
SelectType=select/cons_tres
SchedulerType=sched/builtin
ReturnToService=2
SlurmdTimeout=10
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
NodeName=gds[1-4] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{port}1-{port}4] CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture(scope="session")
def slurm_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmCluster]:
    if os.geteuid() != 0 or not all(map(shutil.which, ("munged", "slurmctld", "slurmd", "srun"))):
        pytest.skip("a cluster on this machine needs root and slurm-wlm")
    cluster = SlurmCluster(tmp_path_factory.mktemp("slurm"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
