"""How large a file is that would be downloaded, asked of the index."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from gpudoctor.index.settings import Settings, local_path

if TYPE_CHECKING:
    from requests import Session

#: Seconds for one answer.
PATIENCE = 10.0


def sizer(settings: Callable[[], Settings] | None = None) -> Callable[[str], int | None]:
    """Tells the size of the file at an address; None where that is not said.

    `settings` is asked for the certificates to trust, and only where a file is on the network.
    """
    session: Session | None = None

    def size_of(url: str) -> int | None:
        nonlocal session
        path = local_path(url)
        if path is not None:
            return os.path.getsize(path) if os.path.isfile(path) else None
        # Imported here: an index in a folder does without.
        import requests

        if session is None:
            session = requests.Session()
            session.verify = (settings().cert if settings else None) or True
        try:
            answer = session.head(url, timeout=PATIENCE, allow_redirects=True)
            return int(answer.headers["Content-Length"]) if answer.ok else None
        except (requests.RequestException, ValueError, KeyError):
            return None

    return size_of
