"""Examines the workers of a running Dask cluster. distributed.dask.org, Client.run."""

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from concurrent.futures import TimeoutError as FuturesTimeoutError
from typing import Any

from gpudoctor.errors import Failure
from gpudoctor.fleet.launch.reasons import reason_of
from gpudoctor.fleet.launch.request import Request
from gpudoctor.fleet.record import NoAnswer

_CONNECT = 15


class NoScheduler(Failure):
    """There is no Dask, or no scheduler that answers."""

    exit_code = 3


def worker_names(client: Any) -> dict[str, str]:
    """The workers' addresses, each by a name that can stand in a set of nodes: its host and port."""
    known = client.scheduler_info(n_workers=-1)["workers"]
    return {_name_of(address): address for address in known}


def _name_of(address: str) -> str:
    return address.rpartition("//")[2].replace("[", "").replace("]", "").replace(":", "-")


def connect(scheduler: str) -> Any:
    """A client. Raises NoScheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise NoScheduler('distributed is not installed beside gpudoctor: pip install "distributed"') from None
    try:
        connect: Any = Client
        return connect(scheduler, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NoScheduler(f"the scheduler at {scheduler} does not answer: {error or type(error).__name__}") from None


def ask_workers(
    client: Any, request: Request, workers: dict[str, str], on_line: Callable[[str, bytes], None]
) -> dict[str, NoAnswer]:
    """Ask each worker apart, so that one that dies takes no other's answer along; the reasons of those without one.

    Only functions of the standard library are sent: a worker needs gpudoctor beside its Python, and nothing else.
    """
    reasons: dict[str, NoAnswer] = {}
    pool = ThreadPoolExecutor(max_workers=max(1, min(request.fanout, len(workers))))
    asked = {pool.submit(_ask, client, request, name, address): name for name, address in workers.items()}
    # A worker that is held in the kernel does not come back: then neither does the call that asked it.
    turns = -(-len(workers) // request.fanout)
    try:
        for done in as_completed(asked, timeout=turns * (request.deadline + _CONNECT)):
            name = asked[done]
            try:
                ran = done.result()
            except Exception as error:  # noqa: BLE001 - whatever became of the worker, the others are heard
                reasons[name] = _failed(error)
                continue
            reasons[name] = reason_of(ran.returncode, ran.stderr.decode(errors="replace"), timed_out=False)
            for line in ran.stdout.splitlines():
                on_line(name, line)
    except FuturesTimeoutError:
        late = {name for done, name in asked.items() if not done.done()}
        reasons |= {name: NoAnswer(why="timed-out", detail="the worker did not come back") for name in late}
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return reasons


def _ask(client: Any, request: Request, name: str, address: str) -> Any:
    python = client.run(eval, "__import__('sys').executable", workers=[address])[address]
    argv = [python, "-m", "gpudoctor", *request.arguments(), "--name", name]
    return client.run(
        subprocess.run, argv, capture_output=True, stdin=subprocess.DEVNULL, timeout=request.deadline, workers=[address]
    )[address]


def _failed(error: Exception) -> NoAnswer:
    said = f"{type(error).__name__}: {error}"[:300]
    if isinstance(error, subprocess.TimeoutExpired | TimeoutError):
        return NoAnswer(why="timed-out", detail=said)
    return NoAnswer(why="crashed", detail=f"the worker did not come back ({said})")
