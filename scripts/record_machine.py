"""Records this host into tests/machines/NAME/machine.json, so that what was seen here can be tested everywhere.

    python scripts/record_machine.py linux-rtx4090-healthy

It looks as `gpudoctor check --static` does, and keeps every answer. The names of the user, the home directory and the
host are replaced, and only environment variables on gpudoctor's allow-list are kept. Read the file before you share it.
"""

import argparse
import getpass
import os
import re
import socket
import sys
from pathlib import Path

from msgspec import structs

# The recorder beside this file, from wherever it is run.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from host_anonymous import anonymous, placeholders
from host_recording import RecordingHost, without_large_files

from gpudoctor.host.machine import dump_machine
from gpudoctor.host.port import Host
from gpudoctor.host.real import RealHost
from gpudoctor.probes.environ.probe import clean_value
from gpudoctor.probes.take import take_snapshot
from gpudoctor.redact.variables import is_allowed

MACHINES = Path(__file__).resolve().parents[1] / "tests" / "machines"
#: Probes ask for these beside the allow-list; they say where things are, and names in them are replaced.
ALSO_KEPT = frozenset({
    "HOME", "CONDA_EXE", "container", "APPDATA", "PATHEXT", "PROCESSOR_ARCHITEW6432", "PROCESSOR_IDENTIFIER",
    "PROGRAMDATA", "ProgramFiles", "ProgramW6432", "SYSTEMROOT", "SystemRoot", "USERPROFILE",
})  # fmt: skip
#: The first line of a Debian package's entry.
RELEVANT = re.compile(r"Package: (.*(nvidia|cuda|cudnn|nccl|tensorrt|nvinfer|dkms|docker|slurm)|linux-|libc6|python3)")


def main(words: list[str] | None = None) -> int:
    """The exit code: 0 recorded, 2 it must not or cannot be written."""
    options = parse(words)
    if not re.fullmatch(r"(linux|windows|wsl2|macos)-[a-z0-9]+(-[a-z0-9]+)*", options.name):
        print("the name is <os>-<gpu>-<situation> in lower case, for example linux-rtx4090-healthy", file=sys.stderr)
        return 2
    file = options.folder / options.name / "machine.json"
    if file.exists() and not options.force:
        print(f"{file} exists; --force overwrites it", file=sys.stderr)
        return 2
    raw, replaced, left_out = record(RealHost(), options.python, options.cap)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(raw)
    print(f"{file}: {len(raw):,} bytes, {replaced} names replaced, {left_out} large files left out")
    return 0


def parse(words: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", help="<os>-<gpu>-<situation>")
    parser.add_argument("--python", help="the interpreter to examine")
    parser.add_argument("--cap", type=int, default=512 * 1024, help="bytes kept of one file (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=MACHINES, help=argparse.SUPPRESS)
    parser.add_argument("--force", action="store_true", help="overwrite a machine of that name")
    return parser.parse_args(words)


def record(host: Host, python: str | None, cap: int) -> tuple[bytes, int, int]:
    """The machine's JSON, how many names were replaced in it, and how many files were too large to keep."""
    recording = RecordingHost(host)
    take_snapshot(recording, python)
    kept = {name: clean_value(value) for name, value in host.env.items() if is_allowed(name) or name in ALSO_KEPT}
    whole = recording.machine(kept)
    thin = structs.replace(whole, files={path: thinned(path, text) for path, text in whole.files.items()})
    small = without_large_files(thin, cap)
    names = placeholders(getpass.getuser(), os.path.expanduser("~"), socket.gethostname())
    machine, replaced = anonymous(small, names)
    return dump_machine(machine), replaced, len(small.gaps) - len(whole.gaps)


def thinned(path: str, text: str) -> str:
    """The file, or of Debian's list of packages (megabytes) only those that speak of drivers, kernels and libraries."""
    if not path.endswith("/dpkg/status"):
        return text
    entries = text.split("\n\n")
    return "\n\n".join(entry for entry in entries if RELEVANT.match(entry)) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
