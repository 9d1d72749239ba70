"""Warns before a change if programs are running from the environment."""

import os
from collections.abc import Callable, Iterable

from gpudoctor.apply.events import Event, InUse
from gpudoctor.apply.in_use import users_of


def tell_users(environments: Iterable[str | None], tell: Callable[[Event], None]) -> None:
    """Tell which processes use these environments, as far as they are there."""
    for environment in dict.fromkeys(environments):
        if environment is not None and os.path.isdir(environment) and (users := users_of(environment)):
            tell(InUse(environment=environment, users=users))
