"""Runs in a process of its own: a change or an undoing that kills itself (SIGKILL) at its n-th touch of the disk.

Arguments as JSON: environment, index, words, way, do (change, undo), at (None: to the end; the number is printed),
argv (in place of uv with the words).
"""

import itertools
import json
import os
import signal
import sys

from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Proved
from gpudoctor.apply.journal import load_changes
from gpudoctor.apply.sizes import sizer
from gpudoctor.apply.undo import undo
from gpudoctor.facts.fix import Run
from tests.apply.wheels import offline

TOUCHES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.chmod", "subprocess.Popen"}
#: renameat2 goes through ctypes: around it lie the two moments that matter most.
TOUCHES.add("ctypes.dlsym")
UV = ("uv", "pip", "install", "--python")
counter = itertools.count(1)


def hook(event, arguments):
    creates = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
    if (creates or event in TOUCHES) and next(counter) == asked["at"]:
        os.kill(os.getpid(), signal.SIGKILL)


def main():
    path = asked["environment"]
    if asked["do"] == "undo":
        undo(load_changes(path)[-1])
        return
    work = Work(
        environment=path,
        kind=asked.get("kind", "changed"),
        way=asked["way"],
        steps=(Run(argv=tuple(asked.get("argv") or (*UV, f"{path}/bin/python", *asked["words"]))),),
        verify=False,
        variables=offline(asked["index"]),
    )
    end = carry_out(work, lambda _: (Proved(framework="kit", outcome="passed"),), lambda _: None, sizer())
    if end.exit_code:
        sys.stderr.write(end.reason or "")
        sys.exit(end.exit_code)


asked = json.loads(sys.argv[1])
sys.addaudithook(hook)
main()
sys.stdout.write(f"{next(counter) - 1}\n")
