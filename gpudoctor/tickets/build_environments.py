"""Finds lines about pip's temporary build environments, whose packages are not what is installed."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.tickets.pasted import Pasted

#: A torch in such an environment of pip's or uv's.
_TORCH = re.compile(r"(?:pip-build-env-\w+[/\\]overlay|builds-v0)[/\\][^\n]{0,80}-packages[/\\]torch[/\\]")
#: As the setup.py of packages with GPU code prints it.
_PRINTED = re.compile(r"^\W*torch\.__version__\s+= ")


def lines_of_builds(text: Pasted) -> frozenset[int]:
    """The lines, from 1, that state the torch of such an environment."""
    if not _TORCH.search(text.text):
        return frozenset()
    return frozenset(number for number, line in text.filled if _PRINTED.match(line))
