"""Commands whose output a ticket already holds, so that no question asks for them again."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts import lazy_re as re

#: What a kind of text is the output of, where it is not called by its command.
_COMMANDS: dict[str, tuple[str, ...]] = {
    "nvidia-smi's failure": ("nvidia-smi",),
    "collect_env of PyTorch": ("python -m torch.utils.collect_env",),
    "a list of packages": ("pip list",),
    "pip freeze": ("pip list",),
    "kernel log": ("dmesg",),
    "uname": ("uname -r", "uname -a"),
    "jax.print_environment_info()": ("python -c 'import jax; jax.print_environment_info()'",),
}
_PROMPT = re.compile(r"^.{0,80}?(?:[$#>%])\s{1,4}(?:sudo )?(?=[a-z])")
_END = re.compile(r"[|;&]")
_MOST = 100


def given_commands(forms: Iterable[str], lines: Iterable[str]) -> tuple[str, ...]:
    """The commands, without sudo and without what their output is piped into; each once."""
    known = (command for form in forms for command in _COMMANDS.get(form, (form,)))
    return tuple(dict.fromkeys((*known, *_typed(lines))))


def _typed(lines: Iterable[str]) -> Iterator[str]:
    """Commands that stand behind a prompt and are followed by a line."""
    command, count = None, 0
    for line in lines:
        if not line:
            continue
        typed = _command(line[:300])
        if command and not typed:
            yield command
            command, count = None, count + 1
        if count >= _MOST:
            return
        command = typed


def _command(line: str) -> str | None:
    match = _PROMPT.match(line)
    return _END.split(line[match.end() :], maxsplit=1)[0].strip() if match else None
