"""Makes pip's dry run and its install share one cache of downloads, where pip is set to keep none."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from gpudoctor.apply.pip_files import may_set


@contextmanager
def downloaded_once(
    variables: Mapping[str, str], folder: str | None = None, environment: str | None = None
) -> Iterator[Mapping[str, str]]:
    """The variables with which pip's dry run and its installing share what they download.

    Where pip is set to keep no cache, it has one in `folder` (None: the temporary folder) until this is left.
    """
    if not _keeps_no_cache(variables, environment):
        yield variables
        return
    with tempfile.TemporaryDirectory(prefix=".downloads-", dir=folder, ignore_cleanup_errors=True) as cache:
        kept = {name: value for name, value in variables.items() if name != "PIP_NO_CACHE_DIR"}
        yield {**kept, "PIP_CACHE_DIR": cache}


def cache_option(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The option of pip for the cache that a variable names: no file of settings can take that away."""
    cache = variables.get("PIP_CACHE_DIR")
    return ("--cache-dir", cache) if cache and not variables.get("PIP_NO_CACHE_DIR") else ()


def _keeps_no_cache(variables: Mapping[str, str], environment: str | None) -> bool:
    if variables.get("PIP_CACHE_DIR") and not variables.get("PIP_NO_CACHE_DIR"):
        return False
    # pip takes it as "no cache" whatever its value is (pip/_internal/cli/cmdoptions.py, _handle_no_cache_dir).
    return may_set("no-cache-dir", variables, environment)
