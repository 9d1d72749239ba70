"""The command `gpudoctor fleet run`: examines many nodes through Slurm, SSH, Kubernetes or Dask."""

import shlex
import shutil
import sys
from collections.abc import Callable, Iterable

import click

from gpudoctor.fleet.collect import Collected, answered_in
from gpudoctor.fleet.launch import slurm
from gpudoctor.fleet.launch.request import Launch, Mode, Request
from gpudoctor.fleet.node_names import expanded, folded
from gpudoctor.fleet.record import NoAnswer
from gpudoctor.host.safe_files import read_given

_BUDGETS: dict[Mode, float] = {"static": 30.0, "smoke": 180.0, "bench": 300.0}
#: Reasons that do not change within a minute.
_FINAL = ("drained", "unknown-host", "refused", "no-gpudoctor")
#: Bytes of a single-file gpudoctor; it has some 10 MB.
_LARGEST = 256 * 1024 * 1024
Reasons = dict[str, NoAnswer]


@click.command("run")
@click.option(
    "--via",
    type=click.Choice(["slurm", "ssh", "kubernetes", "dask", "local"]),
    required=True,
    help="What starts your jobs already.",
)
@click.option("--nodes", metavar="NODES", help="gpu[001-512], a,b,c or @FILE.  [Slurm, Dask: default all]")
@click.option("--static", "mode", flag_value="static", default="static", help="Look only.  [default]")
@click.option("--smoke", "mode", flag_value="smoke", help="Also train a small network on each node.")
@click.option("--bench", "mode", flag_value="bench", help="Also measure every GPU, to find the slow ones.")
@click.option("-o", "--output", metavar="FILE", help="Append to this file; nodes with an answer in it are not asked.")
@click.option("--dry-run", is_flag=True, help="Print what would be run, and run nothing.")
@click.option(
    "--budget", type=click.FloatRange(1, 3600), metavar="SECONDS", help="For each node.  [default: 30, 180, 300]"
)
@click.option("--fanout", type=click.IntRange(1, 4096), default=64, show_default=True, help="Nodes at the same time.")
@click.option(
    "--jitter", type=click.IntRange(0, 600), default=0, metavar="SECONDS", help="Spread the start of the nodes."
)
@click.option("--command", "called", default="gpudoctor", show_default=True, help="How gpudoctor is called on a node.")
@click.option("--ssh-options", default="", metavar="TEXT", help="Options for ssh: '-F config -l root'.")
@click.option("--pyz", metavar="FILE", help="Send this single-file gpudoctor to nodes that have none (SSH).")
@click.option("--examine", metavar="PATH", help="The interpreter to examine on each node.")
@click.option("--role", metavar="ROLE", help="What the nodes are for; nodes are compared within a role.")
@click.option("--partition", metavar="NAME", help="Slurm: the partition.")
@click.option("--scheduler", metavar="ADDRESS", help="Dask: tcp://host:8786.")
@click.option("--image", metavar="IMAGE", help="Kubernetes: an image with gpudoctor.")
@click.option("--namespace", default="default", show_default=True, help="Kubernetes: the namespace.")
def command(
    via: str,
    nodes: str | None,
    mode: Mode,
    output: str | None,
    dry_run: bool,
    budget: float | None,
    fanout: int,
    jitter: int,
    called: str,
    ssh_options: str,
    pyz: str | None,
    examine: str | None,
    role: str | None,
    partition: str | None,
    scheduler: str | None,
    image: str | None,
    namespace: str,
) -> None:
    """Run `gpudoctor node` on many machines, by what starts your jobs already, and collect the lines.

    \b
    gpudoctor fleet run --via slurm --nodes 'gpu[001-512]' -o run.jsonl
    gpudoctor fleet merge run.jsonl --expect 'gpu[001-512]'

    Lines are written as they come. No node is waited for longer than its budget and 20 s; those without an answer are
    asked once more, then written down with the reason. The same command again asks only the nodes that are left.

    Exit codes: 0 every node answered, 1 some did not, 3 the engine is not there, 130 interrupted.
    """  # noqa: D301 - click reads the character
    if pyz is not None and via != "ssh":
        raise click.UsageError("--pyz is sent over SSH; elsewhere name a path that all nodes see with --command.")
    request = Request(
        mode=mode,
        budget=budget or _BUDGETS[mode],
        role=role,
        command=called,
        pyz=pyz,
        examine=examine,
        jitter=jitter,
        fanout=fanout,
        ssh_options=ssh_options,
    )
    if via == "kubernetes":
        _kubernetes(request, nodes, image, namespace, dry_run=dry_run)
        return
    if via == "dask":
        _dask(request, nodes, scheduler, output, dry_run=dry_run)
        return
    if via == "slurm":
        _slurm(request, nodes, partition, output, dry_run=dry_run)
        return
    if via == "local":
        if nodes is not None:
            raise click.UsageError("--via local asks this machine; --nodes names others.")
        import socket

        names = (socket.gethostname(),)
        argv = (sys.executable, "-m", "gpudoctor", *request.arguments(), "--name", names[0])
        launch = Launch(nodes=names, argv=argv, shell="", deadline=request.deadline)
        if dry_run:
            click.echo(shlex.join(argv))
            return
        _finish(*_collect(request, names, output, lambda left: [launch] if left else []))
        return
    _ssh(request, nodes, output, dry_run=dry_run)


def _ssh(request: Request, nodes: str | None, output: str | None, *, dry_run: bool) -> None:
    if nodes is None:
        raise click.UsageError("--via ssh needs the nodes: --nodes 'gpu[001-064]' or --nodes @FILE.")
    names = expanded(nodes)
    if dry_run:
        sent = f" <{shlex.quote(request.pyz)}" if request.pyz else ""
        click.echo(f"# for each of {folded(names)}, {request.fanout} at a time:")
        click.echo(f"ssh -oBatchMode=yes {request.ssh_options} NODE {shlex.quote(request.shell())}{sent}")
        return
    if shutil.which("ssh") is None:
        raise slurm.NoSlurm("ssh is not on the PATH.")

    def launches(left: tuple[str, ...]) -> list[Launch]:
        return [Launch(nodes=left, shell=request.shell(), deadline=request.deadline)] if left else []

    _finish(*_collect(request, names, output, launches))


def _slurm(request: Request, nodes: str | None, partition: str | None, output: str | None, *, dry_run: bool) -> None:
    named = expanded(nodes) if nodes is not None else None
    if dry_run and named is not None and shutil.which("sinfo") is None:
        known, out = {}, {}
        names = named
    else:
        known = slurm.states(partition)
        names = named or tuple(known)
        out = slurm.out_of_service(known, names)
    asked = tuple(name for name in names if name not in out)
    if dry_run:
        for name, reason in out.items():
            click.echo(f"# {name} is left out: {reason.why}, {reason.detail}")
        for launch in slurm.launches(request, asked, partition):
            click.echo(shlex.join(launch.argv or ()))
        click.echo("\n# the same as a batch script:")
        click.echo(slurm.script(request, asked, partition, output or "run.jsonl"), nl=False)
        return
    first: list[bool] = []

    def launches(left: tuple[str, ...]) -> list[Launch]:
        # The second time each node is a job of its own: one that is not free keeps no other waiting.
        chunk = slurm.CHUNK if not first else 1
        first.append(True)
        return list(slurm.launches(request, left, partition, chunk=chunk))

    _finish(*_collect(request, names, output, launches, out))


def _dask(request: Request, nodes: str | None, scheduler: str | None, output: str | None, *, dry_run: bool) -> None:
    from gpudoctor.fleet.launch import dask

    if scheduler is None:
        raise click.UsageError("--via dask needs the scheduler: --scheduler tcp://host:8786.")
    if dry_run:
        click.echo(f"# on every worker of {scheduler}, through Client.run(subprocess.run, …):")
        click.echo(shlex.join(["python", "-m", "gpudoctor", *request.arguments()]))
        return
    with dask.connect(scheduler) as client:
        workers = dask.worker_names(client)
        names = expanded(nodes) if nodes is not None else tuple(workers)
        done = answered_in(output)
        with Collected(output, (name for name in names if name not in done)) as collected:
            there = {name: workers[name] for name in collected.open if name in workers}
            reasons: Reasons = {name: NoAnswer(why="unknown-host", detail="no such worker") for name in collected.open}
            try:
                reasons |= dask.ask_workers(client, request, there, collected.take)
                left = {name: there[name] for name in collected.open if name in there}
                reasons |= dask.ask_workers(client, request, left, collected.take) if left else {}
            except KeyboardInterrupt:
                _stopped(collected, names)
            collected.give_up(reasons)
    _finish(collected, len(names))


def _kubernetes(request: Request, nodes: str | None, image: str | None, namespace: str, *, dry_run: bool) -> None:
    from gpudoctor.fleet.launch import kubernetes

    if image is None:
        raise click.UsageError("--via kubernetes needs an image with gpudoctor: --image registry/gpudoctor:1.")
    names = expanded(nodes) if nodes is not None else ()
    if not dry_run:
        lines = "\n".join(f"  {line}" for line in kubernetes.collecting(names, namespace))
        raise click.UsageError(f"gpudoctor writes the manifest (--dry-run), and kubectl runs it:\n{lines}")
    click.echo(kubernetes.manifest(request, names, image=image, namespace=namespace), nl=False)


def _collect(
    request: Request,
    names: tuple[str, ...],
    output: str | None,
    launches: Callable[[tuple[str, ...]], Iterable[Launch]],
    out: Reasons | None = None,
) -> tuple[Collected, int]:
    """Ask those that have not answered, and once more those without an answer for which that may help."""
    from gpudoctor.fleet.launch.children import run_launches

    done, pyz = answered_in(output), _read(request.pyz)
    reasons: Reasons = dict(out or {})
    with Collected(output, (name for name in names if name not in done)) as collected:
        try:
            for _ in range(2):
                left = tuple(name for name in collected.open if name not in reasons or reasons[name].why not in _FINAL)
                left = tuple(name for name in left if name not in (out or {}))
                if not left:
                    break
                collected.show()
                run = run_launches(
                    launches(left),
                    fanout=request.fanout,
                    on_line=collected.take,
                    pyz=pyz,
                    ssh_options=request.ssh_options,
                )
                reasons |= run.reasons
        except KeyboardInterrupt:
            _stopped(collected, names)
        collected.give_up(reasons)
    return collected, len(names)


def _stopped(collected: Collected, names: tuple[str, ...]) -> None:
    left = len(collected.open)
    click.echo(f"\nInterrupted: {len(names) - left:,} of {len(names):,} nodes have answered, and are kept.", err=True)
    raise click.exceptions.Exit(130)


def _read(path: str | None) -> bytes | None:
    if path is None:
        return None
    try:
        return read_given(path, limit=_LARGEST)
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}", param_hint="--pyz") from None


def _finish(collected: Collected, total: int) -> None:
    left = tuple(collected.open)
    click.echo(f"{total - len(left):,} of {total:,} nodes have answered.", err=True)
    if left:
        names = folded(left)
        shown = names if len(names) < 500 else names[:500].rpartition(",")[0] + ",…"
        click.echo(f"No answer: {shown}. The same command asks them again.", err=True)
    raise click.exceptions.Exit(1 if left else 0)
