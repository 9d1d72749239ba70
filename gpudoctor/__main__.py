"""`python -m gpudoctor`, and the console script."""

import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run the command; Ctrl-C may come while it is still imported."""
    try:
        from gpudoctor.cli.main import run as begin
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted. Nothing was changed.\n")
        raise SystemExit(130) from None
    begin()


if __name__ == "__main__":
    run()
