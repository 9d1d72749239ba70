"""The processor's instruction sets, as /proc/cpuinfo, lscpu and PyTorch's collect_env print them."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.system import Cpu, System
from gpudoctor.sources.system import parse_cpuinfo
from gpudoctor.tickets.fragment import TOOL, Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

FLAGS = "the processor's flags"
_LINE = re.compile(r"^[\s>|*-]*flags\s*:\s*(?P<words>fpu [a-z0-9_ ]+)", re.IGNORECASE)
#: A list that was broken into lines goes on so.
_MORE = re.compile(r"^\s*[a-z][a-z0-9_]{1,20}(?: [a-z][a-z0-9_]{1,20})*\s*$")
#: The list of a processor that has any of these; one cut off before them says nothing of what follows.
_WHOLE = 25


def parse_cpu_flags(text: Pasted) -> tuple[Fragment, ...]:
    """The first list of flags, where it is whole."""
    lines = list(text.filled)
    for place, (number, line) in enumerate(lines):
        match = _LINE.match(line)
        if match is None:
            continue
        words = match["words"]
        for _, below in lines[place + 1 : place + 12]:
            if not _MORE.match(below):
                break
            words += f" {below.strip()}"
        cpu, _ = parse_cpuinfo(f"flags: {words}")
        if len(words.split()) < _WHOLE or line.rstrip().endswith(("...", "…")):
            return ()
        return fragment(FLAGS, (number,), TOOL, host=System(cpu=Cpu(flags=cpu.flags)))
    return ()
