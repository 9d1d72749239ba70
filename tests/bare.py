"""A machine of which everything was looked at, and that has no GPU, no driver and no Python."""

from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System

BARE = Snapshot(
    host=System(os="linux", arch="x86_64"),
    container=None,
    gpus=None,
    driver=None,
    interpreter=None,
    packages=None,
    frameworks=None,
)
