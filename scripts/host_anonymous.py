"""A recorded machine without the names of its user and host."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.host.machine import Machine

#: Names that identify nobody. Replacing them would damage what was recorded: ID=ubuntu, root=/dev/sda1, nvidia.ko.
_COMMON = frozenset({
    "admin", "app", "arch", "azureuser", "centos", "cloud", "coder", "container", "debian", "dev", "dgx", "docker",
    "ec2-user", "fedora", "gpu", "host", "jovyan", "linux", "localhost", "nvidia", "opc", "pc", "root", "rocky",
    "runner", "server", "test", "ubuntu", "user", "vagrant", "vm", "vscode", "workspace", "wsl",
})  # fmt: skip


def placeholders(user: str, home: str, host: str) -> dict[str, str]:
    """What to write for the home directory, the user and the host: only where they say who or which it is."""
    chosen = {user: "user", host: "host", host.partition(".")[0]: "host"}
    telling = {name: text for name, text in chosen.items() if len(name) > 1 and name.lower() not in _COMMON}
    return {home: "/home/user", **telling} if home.count("/") > 1 or "\\" in home else telling


def anonymous(machine: Machine, names: Mapping[str, str]) -> tuple[Machine, int]:
    """The machine with `names` replaced wherever they stand as words, and how many times they did.

    In files that are not text they are overwritten with x, so that offsets stay as they are.
    """
    if not names:
        return machine, 0
    words = sorted(names, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in words), re.IGNORECASE)
    replacer = _Replacer(pattern, {word.lower(): placeholder for word, placeholder in names.items()})
    plain = msgspec.to_builtins(machine, builtin_types=(bytes,))
    return msgspec.convert(replacer.replaced(plain), Machine, builtin_types=(bytes,)), replacer.count


class _Replacer:
    def __init__(self, pattern: re.Pattern[str], names: Mapping[str, str]) -> None:
        self.count = 0
        self._text = pattern
        self._bytes = re.compile(pattern.pattern.encode(), re.IGNORECASE)
        self._names = names

    def replaced(self, value: Any) -> Any:
        """`value` with the names replaced in every text, keys included."""
        if isinstance(value, str):
            return self._text.sub(self._placeholder, value)
        if isinstance(value, bytes):
            return self._bytes.sub(self._crosses, value)
        if isinstance(value, dict):
            return {self.replaced(key): self.replaced(each) for key, each in value.items()}
        return [self.replaced(each) for each in value] if isinstance(value, (list, tuple)) else value

    def _placeholder(self, match: re.Match[str]) -> str:
        self.count += 1
        return self._names[match[0].lower()]

    def _crosses(self, match: re.Match[bytes]) -> bytes:
        self.count += 1
        return b"x" * len(match[0])
