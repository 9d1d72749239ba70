"""The command `gpudoctor node`: this machine as one JSON line for fleet reports."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gpudoctor.fleet.exit_styles import Style


def _seconds(ctx: click.Context, option: click.Parameter, value: str) -> float:  # noqa: ARG001 - click's
    from gpudoctor.fleet.budget import parse_seconds

    seconds = parse_seconds(value)
    if seconds is None:
        raise click.BadParameter(f"{value!r} is no time between 1s and 60m: write 2s, 30s or 5m.")
    return seconds


@click.command("node")
@click.option(
    "--budget",
    metavar="TIME",
    callback=_seconds,
    default="30s",
    show_default=True,
    help="The most time it takes: 2s, 5m.",
)
@click.option(
    "--exit-style",
    type=click.Choice(["default", "nagios", "npd", "gate"]),
    default="default",
    show_default=True,
    help="Exit code and output as the caller reads them; gate fails on errors only.",
)
@click.option("--strict", is_flag=True, help="gate: fail also where something needed was not seen.")
@click.option("--smoke", is_flag=True, help="Also train a small network with each framework.")
@click.option("--bench", is_flag=True, help="Also measure every GPU, for comparison with the others of the fleet.")
@click.option("--name", metavar="NODE", help="What the node is called.  [default: as Slurm says, else the host name]")
@click.option("--role", metavar="ROLE", help="What it is for; nodes are compared within a role.")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of the line, and look at nothing.")
def command(
    budget: float,
    exit_style: "Style",
    strict: bool,
    smoke: bool,
    bench: bool,
    name: str | None,
    role: str | None,
    python: str | None,
    schema: bool,
) -> None:
    """Say in one JSON line how this machine is: for a Slurm prolog, a monitor, cron, or `gpudoctor fleet`.

    Nothing is kept, and nothing of the environment is run, unless --smoke or --bench is given. A driver that does not
    answer within a budget below 8 s is reported as not seen: it may only be slow to start.

    In a Slurm prolog: gpudoctor node --budget 10s --exit-style gate

    Exit codes: default 0 healthy, 1 errors, 3 could not see everything; nagios 0, 1, 2, 3; npd 0, 1, 2; gate 1 for an
    error, else 0.
    """
    from gpudoctor.report.output import say, write_bytes, write_text

    if schema:
        import msgspec

        from gpudoctor.fleet.record import json_schema

        write_bytes(msgspec.json.format(msgspec.json.encode(json_schema()), indent=1) + b"\n")
        return
    if smoke and bench:
        raise click.UsageError("--smoke trains and --bench measures: give one of them.")
    if python is not None:
        _refuse_bad_python(python)
    from gpudoctor.facts.codec import encode
    from gpudoctor.fleet.budget import budget_of
    from gpudoctor.fleet.node import record_within

    run = "smoke" if smoke else "bench" if bench else "static"
    record = record_within(budget_of(budget), python=python, run=run, name=name, role=role)
    from gpudoctor.fleet.exit_styles import headline, said

    told = said(record, exit_style, strict=strict)
    if told.line is None:
        write_bytes(encode(record) + b"\n")
    else:
        write_text(told.line + "\n")
    if exit_style == "gate" and told.code:
        say(f"gpudoctor: {headline(record)}")
    raise click.exceptions.Exit(told.code)


def _refuse_bad_python(python: str) -> None:
    from gpudoctor.host.real import RealHost
    from gpudoctor.probes.target.probe import choose

    if fault := choose(RealHost(), python).fault:
        raise click.BadParameter(fault.reason, param_hint="--python")
