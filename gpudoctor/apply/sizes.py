"""How large a file is that would be downloaded, asked of the index."""

import os
from collections.abc import Callable

from gpudoctor.index.settings import Settings, local_path

#: Seconds for one answer, and for all of them together.
PATIENCE = 10.0


def sizer(settings: Settings | None = None) -> Callable[[str], int | None]:
    """Tells the size of the file at an address; None where that is not said."""
    session = None

    def size_of(url: str) -> int | None:
        nonlocal session
        path = local_path(url)
        if path is not None:
            return os.path.getsize(path) if os.path.isfile(path) else None
        # Imported here: an index in a folder does without.
        import requests

        session = session or requests.Session()
        verify: bool | str = (settings.cert if settings else None) or True
        try:
            answer = session.head(url, timeout=PATIENCE, allow_redirects=True, verify=verify)
            return int(answer.headers["Content-Length"]) if answer.ok else None
        except (requests.RequestException, ValueError, KeyError):
            return None

    return size_of
