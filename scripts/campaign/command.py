"""Runs gpudoctor against the real GPU of this machine, and keeps what it said.

    scripts/gpu_campaign --minutes 25 -o campaign             everything, in order of worth
    scripts/gpu_campaign --minutes 8 -o campaign --resume     goes on where the last run ended
    scripts/gpu_campaign --list                               the steps, and the parts they fall into

Needs no network. gpudoctor is taken from this checkout; where the machine's Python lacks a package that it needs, give
--wheels a folder of them, made elsewhere by

    pip download --only-binary=:all: --python-version 3.12 --platform manylinux_2_28_x86_64 -d wheels \
        click msgspec nvidia-ml-py packaging psutil requests

Nothing that a GPU keeps is changed: no clock, power limit, MIG, ECC or compute mode; nothing is reset. What is broken
is broken for child processes alone. The results hold no credentials, hosts, users, UUIDs or serial numbers.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from types import FrameType

CHECKOUT = Path(__file__).resolve().parents[2]
#: Seconds that the deadlines of one part add up to at most.
PART = 480.0


def main(words: list[str]) -> int:
    """The exit code: 0 nothing contradicts, 1 something does, 2 usage, 3 nothing was done or kept, 130 interrupted."""
    options = _parse(words)
    scratch = Path(tempfile.mkdtemp(prefix="gpu-campaign-"))
    scratch.chmod(0o755)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        missing = _prepare(scratch, options.wheels)
        if missing:
            print(missing, file=sys.stderr)
            return 3
        # Imported here: these need gpudoctor and its dependencies, which may have come from the wheels.
        from campaign.run import begin

        return begin(options, scratch, PART)
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="gpu_campaign", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=_positive, default=25.0, help="for this run (default: %(default)g)")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="default: gpu-campaign-<date> here")
    parser.add_argument("--archive", type=Path, metavar="FILE", help="also keep the folder as one .tar.gz, at any time")
    parser.add_argument("--resume", action="store_true", help="go on with what FOLDER, or FILE, has not got yet")
    parser.add_argument("--part", type=int, metavar="N", help="only the steps of the Nth part of --list")
    parser.add_argument("--only", action="append", metavar="STEP", help="only this step; repeatable")
    parser.add_argument("--python", help="the interpreter with the frameworks (default: the one that runs this)")
    parser.add_argument("--wheels", type=Path, metavar="FOLDER", help="packages that the machine lacks")
    parser.add_argument("--quick", action="store_true", help="short forms of the long steps, to try the campaign")
    parser.add_argument("--list", action="store_true", help="show the steps and do none")
    parser.add_argument("--report", action="store_true", help="show the table of FOLDER and do no step")
    options = parser.parse_args(words)
    if (options.resume or options.report) and options.output is None:
        parser.error("--resume and --report need the folder: -o FOLDER")
    options.output = options.output or Path(f"gpu-campaign-{time.strftime('%Y%m%d-%H%M%S')}")
    if options.resume and options.archive and options.archive.exists() and not options.output.exists():
        from campaign.results import unpack

        try:
            unpack(options.archive, options.output)
        except (OSError, tarfile.TarError) as error:
            parser.error(f"{options.archive} cannot be unpacked: {error}")
    if (options.output / "results.jsonl").exists() and not (options.resume or options.report):
        parser.error(f"{options.output} holds results; --resume goes on with them")
    return options


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value <= 24 * 60:
        raise argparse.ArgumentTypeError("between 0 and 1440 minutes")
    return value


def _prepare(scratch: Path, wheels: Path | None) -> str | None:
    """Put gpudoctor, and the wheels, where every user may read them; what is missing, in words, or None."""
    doctor = scratch / "doctor"
    ignored = shutil.ignore_patterns("__pycache__", "*.toml", "*.schema.json")
    try:
        shutil.copytree(CHECKOUT / "gpudoctor", doctor / "gpudoctor", ignore=ignored)
        shutil.copytree(CHECKOUT / "compat", doctor / "compat", ignore=shutil.ignore_patterns("__pycache__"))
    except (OSError, shutil.Error):  # no room: what is there is read where it is
        shutil.rmtree(doctor, ignore_errors=True)
        doctor = CHECKOUT
    folders = [str(doctor)]
    if wheels is not None:
        folders.append(str(scratch / "wheels"))
        found = sorted(map(str, wheels.glob("*.whl")))
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", folders[1]]
        done = subprocess.run([*pip, *found], capture_output=True, text=True, check=False) if found else None
        if done is None or done.returncode:
            return f"the wheels of {wheels} cannot be installed: {done.stderr.strip() if done else 'there are none'}"
    sys.path[:0] = folders
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        import msgspec  # noqa: F401
        import packaging.version  # noqa: F401
        import psutil  # noqa: F401
        import pynvml  # noqa: F401
    except ImportError as error:
        return f"{sys.executable} lacks a package that gpudoctor needs ({error}). Give it with --wheels; see --help."
    return None
