"""`gpudoctor snapshot`."""

import os
import tempfile

import click

from gpudoctor.cli.examine import begin_to_examine
from gpudoctor.cli.output import CannotWrite, write_bytes
from gpudoctor.model.codec import encode


@click.command("snapshot")
@click.option("-o", "--output", metavar="FILE", help="Write to this file (readable by you only) instead of the screen.")
@click.option("--force", is_flag=True, help="Replace FILE where it exists.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a snapshot, and look at nothing.")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
def command(output: str | None, force: bool, schema: bool, python: str | None) -> None:
    """Save the facts of this machine as JSON, to be judged elsewhere with `check --from`."""
    if schema:
        from importlib.resources import files

        write_bytes((files("gpudoctor.model") / "snapshot.schema.json").read_bytes())
        return
    if output is not None and not force and _would_replace(output):
        raise click.UsageError(f"{output} exists already; choose another name, or add --force to replace it.")
    raw = encode(begin_to_examine(python)(), indent=2) + b"\n"
    if output is None:
        write_bytes(raw)
        return
    try:
        _write(output, raw)
    except OSError as error:
        raise CannotWrite(f"{output} could not be written: {error.strerror or error}") from None
    click.echo(f"Wrote {output} ({len(raw):,} bytes).", err=True)


def _would_replace(path: str) -> bool:
    """Whether something would be lost by writing there: nothing is in a device or a pipe."""
    return os.path.lexists(path) and not _is_special(path)


def _is_special(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _write(path: str, raw: bytes) -> None:
    """The whole file or none of it: written beside and renamed, so that a reader never sees half."""
    if _is_special(path):
        # A device or a pipe, such as /dev/stdout: it must not be replaced by a file.
        with open(path, "wb") as stream:
            stream.write(raw)
        return
    descriptor, beside = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".gpudoctor-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
