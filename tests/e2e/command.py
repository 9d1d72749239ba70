"""Running the real command in a child, as a user does."""

import os
import subprocess
import sys


def gpudoctor(*arguments, env=None, cwd=None, stdin=b"", timeout=60, **options):
    """The finished process of `gpudoctor ARGUMENTS`; output as text, undecodable bytes replaced."""
    environment = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    done = subprocess.run(
        [sys.executable, "-m", "gpudoctor", *arguments],
        input=stdin,
        capture_output=True,
        env={**environment, **(env or {})},
        cwd=cwd,
        timeout=timeout,
        check=False,
        **options,
    )
    done.out = done.stdout.decode(errors="replace")
    done.err = done.stderr.decode(errors="replace")
    return done
