"""A reader that is passed over for want of its words would have found nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpudoctor.tickets.pasted import decode, plain
from gpudoctor.tickets.readers import READERS, readers_of
from tests.tickets.stated import FOLDER
from tests.tickets.worded import LANGUAGES, LAYOUTS, report, worded

SYMPTOMS = json.loads((Path(__file__).parent / "symptoms.json").read_text(encoding="utf-8"))
TEXTS = {
    **{path.stem: path.read_bytes() for path in sorted(FOLDER.glob("*.txt"))},
    "symptoms": "\n".join(line for row in SYMPTOMS.values() for line in row["text"]).encode(),
    **{f"worded {layout} {lang}": worded(report(7), layout, lang).encode() for layout in LAYOUTS for lang in LANGUAGES},
}
#: One small report of formats that none of these holds.
TEXTS["small"] = b"""\
GPU 3: Tesla T4 (UUID: GPU-8d6b1f57-1111-2222-3333-444444444444)
count, name, driver_version
1, Tesla T4, 470.57.02
nvidia_uvm           1011712  0
nvidia, 470.57.02, 5.4.0-81-generic, x86_64: installed
SecureBoot enabled
crw-rw-rw- 1 root root 195, 0 Aug 1 10:00 /dev/nvidia0
gcc (GCC) 4.8.5 20150623
shm 64M 0 64M 0% /dev/shm
shm . . . 0% /dev/shm
    runtime: nvidia
  - pytorch=2.1.0=cpu_generic_py310h3fe2e36_3
dependencies:
Current Python: /usr/bin/python3
pip install torch==2.1.0
"""


@pytest.mark.parametrize("name", TEXTS)
def test_a_reader_that_is_passed_over_finds_nothing(name: str) -> None:
    text = plain(*decode(TEXTS[name]))
    called = {reader.module for reader in readers_of(text)}
    missed = [reader.module for reader in READERS if reader.module not in called and reader.read(text)]
    assert missed == []


def test_every_line_of_every_text_alone() -> None:
    """As somebody quotes it: only the readers of words and of nothing in particular may find more."""
    lines = dict.fromkeys(line for raw in TEXTS.values() for line in raw.decode("utf-8", "replace").splitlines())
    missed = []
    for line in list(lines)[::7]:
        text = plain(line)
        called = {reader.module for reader in readers_of(text)}
        missed += [(one.module, line) for one in READERS if one.module not in called and one.read(text)]
    assert missed == []


def test_readers_are_imported_when_they_are_needed() -> None:
    code = (
        "import sys; from gpudoctor.tickets.pasted import plain; from gpudoctor.tickets.readers import readers_of\n"
        "for one in readers_of(plain('It does not work.')): one.read(plain('It does not work.'))\n"
        "print(*sorted(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    loaded = {reader.module for reader in READERS if f"gpudoctor.tickets.{reader.module}" in shown}
    assert loaded == {reader.module for reader in READERS if not reader.holds}


def test_what_a_form_gives_as_an_example_is_not_read():
    text = plain("OS (e.g., Linux Ubuntu 16.04): CentOS 7.4\nVersion (for example 2.3): 2.6 (latest)")
    assert text.lines == ("OS : CentOS 7.4", "Version : 2.6 (latest)")
