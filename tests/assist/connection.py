"""A client of the maintainers' SDK on a server of ours over standard input and output, called without async."""

import asyncio
import sys
import threading
from collections.abc import Callable
from typing import Any

import psutil
from mcp import Client
from mcp.client.stdio import StdioServerParameters

#: As the console script begins, whatever the working directory holds.
BEGIN = [sys.executable, "-c", "from gpudoctor.__main__ import run; run()", "mcp"]


class Connection:
    """Runs its event loop in a thread of its own."""

    def __init__(
        self, *arguments: str, cwd: str | None = None, env: dict[str, str] | None = None, **options: Any
    ) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        before = {child.pid for child in psutil.Process().children()}
        server = StdioServerParameters(command=BEGIN[0], args=[*BEGIN[1:], *arguments], cwd=cwd, env=env)
        self._client = Client(server, read_timeout_seconds=120, **options)
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._task = asyncio.run_coroutine_threadsafe(self._live(), self._loop)
        while not self._ready.wait(0.1):
            if self._task.done():
                self._task.result()
        self.process = next(one for one in psutil.Process().children() if one.pid not in before)

    async def _live(self) -> None:
        # Entered and left by one task, as anyio wants it.
        async with self._client:
            self._ready.set()
            await self._stop.wait()

    def do(self, make: Callable[[Client], Any], timeout: float = 120) -> Any:
        """What a method of the client comes to."""
        return asyncio.run_coroutine_threadsafe(make(self._client), self._loop).result(timeout)

    def call(self, name: str, **arguments: Any) -> Any:
        """The result of a tool."""
        return self.do(lambda client: client.call_tool(name, arguments))

    def close(self) -> None:
        """Leave."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._task.result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
