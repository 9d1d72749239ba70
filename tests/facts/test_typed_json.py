"""Types that several threads use first at the same time: nobody's Python dies of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpudoctor

#: Many threads at once, which change as often as they can.
AT_ONCE = """
import sys, threading
sys.setswitchinterval(1e-6)
{ready}
gate, failed = threading.Barrier(8), []
def run():
    gate.wait()
    try:
        {call}
    except BaseException as error:
        failed.append(repr(error))
threads = [threading.Thread(target=run) for _ in range(8)]
[one.start() for one in threads], [one.join() for one in threads]
sys.exit("; ".join(failed) or 0)
"""
CALLS = {
    "a snapshot is read": (
        "from gpudoctor.facts.codec import decode_snapshot, encode\nfrom tests.whole import BARE\nraw = encode(BARE)",
        "decode_snapshot(raw)",
    ),
    "a value becomes a fact": (
        (
            "from gpudoctor.facts.codec import from_plain, to_plain\n"
            "from gpudoctor.facts.snapshot import Snapshot\nfrom tests.whole import BARE\nplain = to_plain(BARE)"
        ),
        "from_plain(plain, Snapshot)",
    ),
    "the interface for Python judges": (
        "import gpudoctor\nfrom gpudoctor.facts.codec import encode\nfrom tests.whole import BARE\nraw = encode(BARE)",
        "gpudoctor.judge(raw)",
    ),
}


@pytest.mark.parametrize("what", CALLS)
def test_several_threads_at_once(what):
    ready, call = CALLS[what]
    script = AT_ONCE.format(ready=ready, call=call)
    root = Path(__file__).parents[2]
    for _ in range(6):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False, cwd=root
        )
        assert done.returncode == 0, done.stderr[-2000:]


def test_all_of_it_goes_through_one_door():
    """Types are read by `typed_json` alone, but in scripts that other interpreters run."""
    folder = Path(gpudoctor.__file__).parent
    around = re.compile(r"msgspec\.(?:json\.decode\([^\n]*type=|json\.Decoder\(|convert\()")
    files = (path for path in folder.rglob("*.py") if "agent" not in path.parts and path.name != "typed_json.py")
    assert [path.name for path in files if around.search(path.read_text(encoding="utf-8"))] == []
