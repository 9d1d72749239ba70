"""Names of users and groups from /etc/passwd and /etc/group. A directory service would be asked over the network."""

from functools import lru_cache


def parse_names(text: str) -> dict[int, str]:
    """Names by number, from passwd(5) or group(5): `name:password:number:…`."""
    rows = (line.split(":") for line in text.splitlines())
    return {int(row[2]): row[0] for row in reversed(list(rows)) if len(row) > 2 and row[2].isdecimal()}


def user_name(number: int) -> str:
    """The user's name; the number as text where the machine's own file does not know it."""
    return "root" if number == 0 else _names("/etc/passwd").get(number, str(number))


def group_name(number: int) -> str:
    """The group's name; the number as text where the machine's own file does not know it."""
    return "root" if number == 0 else _names("/etc/group").get(number, str(number))


@lru_cache(maxsize=2)
def _names(path: str) -> dict[int, str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return parse_names(file.read())
    except OSError:
        return {}
