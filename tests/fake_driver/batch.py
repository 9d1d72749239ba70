"""Asks the fake NVML about many scenarios in one process, through the real script and the real binding.

`python batch.py AGENT_FOLDER PYNVML_FOLDER LIBRARY`, with the scenarios on standard input and their transcripts on
standard output, both separated by NUL. A process for each would take minutes.
"""

import ctypes
import json
import sys

AGENT, BINDING, LIBRARY = sys.argv[1:]
sys.path.insert(0, AGENT)

import ask_nvml  # noqa: E402
from driver_query import MARK, Transcript  # noqa: E402


class Kept(Transcript):
    def __init__(self):
        self.lines = []

    def _write(self, line):
        self.lines.append(MARK + json.dumps(line))

    def finish(self):
        self._write(["."])


def transcript_of(scenario, library):
    library.fake_scenario(scenario)
    transcript = Kept()
    ask_nvml.main(transcript, BINDING, [LIBRARY])
    return "\n".join(transcript.lines)


if __name__ == "__main__":
    fake = ctypes.CDLL(LIBRARY)
    scenarios = sys.stdin.buffer.read().split(b"\0")
    sys.stdout.write("\0".join(transcript_of(scenario, fake) for scenario in scenarios))
