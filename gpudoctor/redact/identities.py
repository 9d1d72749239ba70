"""Replaces names of people and hosts, addresses and serial numbers by consistent pseudonyms.

The map from the one to the other is never written. Pseudonyms keep the shape of what they stand for, so that a report
judges as before: a UUID stays a UUID, an address comes from the ranges kept for documentation (RFC 5737, RFC 3849).
"""

from collections.abc import Callable

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.redact import shapes
from gpudoctor.redact.addresses import is_address
from gpudoctor.redact.allowlist import is_product, is_public_account, is_public_host, is_telling

#: What can be kept by the reader's wish.
KINDS = ("users", "hostnames", "addresses", "uuids", "serials")


class Known(Fact, frozen=True, kw_only=True):
    """Names of this machine and its people, where the caller knows them; found anywhere, not only in telling places."""

    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    #: Home folders in unusual places: /scratch/people/ada.
    homes: tuple[str, ...] = ()


class Pseudonyms:
    """The pseudonyms of one report. `counts` says how many places of each kind were replaced."""

    def __init__(self, known: Known | None = None, keep: tuple[str, ...] = ()) -> None:
        known = known or Known()
        self.counts: dict[str, int] = {}
        self._keep = keep
        self._given: dict[str, dict[str, str]] = {}
        users = [name for name in known.users if len(name) > 1 and not is_public_account(name)]
        hosts = [name for name in known.hosts if len(name) > 1 and not is_public_host(name)]
        hosts += [host.partition(".")[0] for host in hosts if "." in host]
        self._homes = [home for home in known.homes if len(home) > 5 and not shapes.HOME.match(home)]
        self._user_folders = _any_of(users, r"(?<=[/\\])", r"(?=[/\\\s\"':;]|$)")
        #: Kind -> names found wherever they stand as words.
        self._words = {
            "users": list(filter(is_telling, users)),
            "hosts": [name for name in hosts if is_telling(name) and not is_product(name)],
        }
        self.spare(frozenset())

    def spare(self, words: frozenset[str]) -> None:
        """Names (in lower case) that things of the report have, too: found only where they are said to be names."""
        self._users, self._hosts = (
            _any_of([name for name in names if name.lower() not in words], r"(?<![\w.-])", r"(?![\w-]|\.\w)")
            for names in self._words.values()
        )

    def replace(self, text: str) -> str:
        """The text with every identity replaced. A text that was replaced already stays as it is."""
        if "uuids" not in self._keep:
            text = shapes.UUID.sub(lambda m: m["kind"] + self._uuid(m["uuid"]), text)
            text = shapes.PLAIN_UUID.sub(lambda m: m["kind"] + self._uuid(_dashed(m["uuid"])), text)
            text = shapes.SHORT_UUID.sub(lambda m: m["kind"] + self._short_uuid(m["uuid"]), text)
        if "serials" not in self._keep:
            for pattern in (shapes.SERIAL, shapes.CONTAINER, shapes.DISK):
                text = pattern.sub(lambda m: m["word"] + self._named("serials", m["serial"], "serial"), text)
        if "addresses" not in self._keep:
            text = self._addresses(text)
        if "hostnames" not in self._keep:
            text = self._hostnames(text)
        if "users" not in self._keep:
            text = self._people(text)
        return text

    def _people(self, text: str) -> str:
        for home in self._homes:
            if home in text:
                text = text.replace(home, "/home/" + self._named("users", home.rpartition("/")[2], "user"))
        text = shapes.HOME.sub(lambda m: m["root"] + self._user(m["user"]), text)
        text = shapes.MAIL.sub(
            lambda m: (
                m.group()
                if m.group().endswith("@example.org")
                else f"{self._user(m.group().partition('@')[0])}@example.org"
            ),
            text,
        )
        text = shapes.PROMPT.sub(lambda m: f"{self._user(m['user'])}@{m['host']}", text)
        for pattern in (shapes.USER_WORD, shapes.NAME_WORD):
            text = pattern.sub(lambda m: m["word"] + self._user(m["user"]), text)
        text = shapes.TILDE.sub(lambda m: "~" + self._user(m["user"]), text)
        text = shapes.ACCOUNT.sub(lambda m: m["word"] + self._named("accounts", m["name"], "account"), text)
        if self._user_folders:
            text = self._user_folders.sub(lambda m: m[0] if _is_package_there(m) else self._user(m[0]), text)
        return self._users.sub(lambda m: self._user(m[0]), text) if self._users else text

    def _hostnames(self, text: str) -> str:
        text = shapes.URL_HOST.sub(lambda m: (m["credentials"] or "") + self._url_host(m["host"]), text)
        text = shapes.PROMPT.sub(
            lambda m: f"{self._user(m['user']) if 'users' not in self._keep else m['user']}@{self._host(m['host'])}",
            text,
        )
        text = shapes.NODES.sub(lambda m: self._host(m["host"]) + m["numbers"] if _lists_nodes(m) else m[0], text)
        text = shapes.HOST_WORD.sub(lambda m: m["word"] + ",".join(map(self._host, m["host"].split(","))), text)
        for pattern in (shapes.UNAME, shapes.UNC, shapes.PORT):
            text = pattern.sub(lambda m: m["word"] + self._host(m["host"]), text)
        text = shapes.INTERNAL.sub(lambda m: self._host(m["host"]), text)
        return self._hosts.sub(lambda m: self._host(m.group()), text) if self._hosts else text

    def _addresses(self, text: str) -> str:
        text = shapes.MAC.sub(lambda m: self._mac(m.group().lower().replace("-", ":")), text)
        text = shapes.DOTTED_MAC.sub(lambda m: self._mac(m.group().lower()), text)
        text = shapes.IPV6.sub(lambda m: self._ipv6(m.group()), text)
        return shapes.IPV4.sub(self._ipv4, text)

    def _mac(self, address: str) -> str:
        if address.startswith("02:00:00:00:00:"):
            return address
        return self._numbered("addresses", address, "02:00:00:00:00:{:02x}")

    def _mail(self, address: str) -> str:
        if address.endswith("@example.org"):
            return address
        return f"{self._user(address.partition('@')[0])}@example.org"

    def _ipv4(self, match: re.Match[str]) -> str:
        address = match[0]
        if shapes.EVERYWHERE.match(address) or not is_address(match.string, match.start(), match.end()):
            return address
        return self._numbered("addresses", address, "192.0.2.{}")

    def _ipv6(self, address: str) -> str:
        if (
            ":" not in address
            or address.lower().startswith("2001:db8")
            or ("::" not in address and address.count(":") != 7)
        ):
            return address
        return self._numbered("addresses", address.lower(), "2001:db8::{:x}")

    def _user(self, name: str) -> str:
        return name if is_public_account(name) else self._named("users", name, "user")

    def _host(self, name: str) -> str:
        if is_public_host(name) or name.endswith(".example"):
            return name
        return self._named("hostnames", name.lower().partition(".")[0], "host")

    def _url_host(self, name: str) -> str:
        bare = name.partition(":")[0]
        if is_public_host(bare) or bare.endswith(".example") or re.fullmatch(r"[\d.]+", bare) or name.startswith("["):
            return name
        return f"{self._host(bare)}.example" + name[len(bare) :]

    def _uuid(self, uuid: str) -> str:
        if uuid.endswith("-0000-0000-0000-000000000000"):
            return uuid
        return self._numbered("uuids", uuid.lower(), "{:08x}-0000-0000-0000-000000000000")

    def _short_uuid(self, start: str) -> str:
        """CUDA_VISIBLE_DEVICES takes any unambiguous beginning of a UUID."""
        if re.fullmatch(r"0{5}[0-9a-f]{3}(?:-[0-]*)?", start):
            return start
        full = next((uuid for uuid in self._given.get("uuids", ()) if uuid.startswith(start)), start)
        return self._numbered("uuids", full, "{:08x}-0000-0000-0000-000000000000").partition("-")[0]

    def _named(self, kind: str, name: str, word: str) -> str:
        if re.fullmatch(rf"{word}-\d+", name):
            return name
        return self._given_for(kind, f"{word} {name.lower()}", lambda number: f"{word}-{number}")

    def _numbered(self, kind: str, name: str, shape: str) -> str:
        return self._given_for(kind, name, shape.format)

    def _given_for(self, kind: str, name: str, make: Callable[[int], str]) -> str:
        given = self._given.setdefault(kind, {})
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if name not in given:
            given[name] = make(len(given) + 1)
        return given[name]


_PACKAGES_LIE_IN = re.compile(
    r"(?:site|dist)-packages|[\\/](?:lib|lib64|include|share|pkgs|node_modules|conda-meta)[\\/]"
)


def _is_package_there(match: re.Match[str]) -> bool:
    """The folder is a package's, not a person's."""
    return _PACKAGES_LIE_IN.search(match.string, max(0, match.start() - 100), match.start()) is not None


def _dashed(uuid: str) -> str:
    return "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))


#: Before a list of nodes, in its line.
_NODES = re.compile(r"node|host|slurm|partition|srun|alloc|PC_|drain|down|idle", re.IGNORECASE)


def _lists_nodes(match: re.Match[str]) -> bool:
    return _NODES.search(match.string, max(0, match.start() - 80), match.end()) is not None


def _any_of(names: list[str], before: str, after: str) -> re.Pattern[str] | None:
    longest_first = sorted(set(names), key=len, reverse=True)
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, longest_first))}){after}") if names else None
