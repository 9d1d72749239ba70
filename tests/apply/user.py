"""Somebody who works in the folder of an environment, and knows what must be there afterwards.

As a program: writes lines into a file that it keeps open, in the folder that it was started in, until it is ended.
"""

import glob
import os
import subprocess
import sys
import time
from contextlib import suppress

SITE = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
#: Where people put things: beside the environment's folders, in them, and among the packages.
PLACES = ("", "src", "notebooks/deep/er", "logs", "share/jupyter/kernels/k", "bin", SITE, f"{SITE}/kit", "cache/hub")
GIT = ("git", "-c", "user.name=u", "-c", "user.email=u@example.org", "-c", "gc.auto=0")
LARGE = 64 * 1024
#: Draws other random moments than the usual.
SEED = os.environ.get("GPUDOCTOR_SEED", "")


class User:
    """Does one thing after another, drawn from a generator of random numbers."""

    def __init__(self, environment, random, places=()):
        """`places`: where this one puts things, beside the usual."""
        self.places = (*PLACES, *places)
        self.environment = str(environment)
        self.random = random
        self.files = {}
        self.commits = []
        self.number = 0

    def path(self, name):
        return os.path.join(self.environment, name)

    def write(self, name, content, how="wb"):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), how) as stream:
            stream.write(content)
        self.files[name] = content

    def content(self):
        size = self.random.choice((10, 3000, LARGE))
        return bytes(self.random.getrandbits(8) for _ in range(32)) * (size // 32 + 1)

    def new(self):
        self.number += 1
        self.write(os.path.join(self.random.choice(self.places), f"own ü {self.number}.dat"), self.content())

    def any(self):
        if not self.files:
            self.new()
        return self.random.choice(sorted(self.files))

    def replace(self):
        name = self.any()
        content = self.content()
        with open(self.path(f"{name}~"), "wb") as stream:
            stream.write(content)
        os.replace(self.path(f"{name}~"), self.path(name))
        self.files[name] = content

    def write_in_place(self):
        name = self.any()
        before = os.stat(self.path(name))
        with open(self.path(name), "r+b") as stream:
            stream.write(b"in place")
        if self.random.random() < 0.3:
            os.utime(self.path(name), ns=(before.st_atime_ns, before.st_mtime_ns))
        self.files[name] = b"in place" + self.files[name][8:]

    def append(self):
        name = self.any()
        with open(self.path(name), "ab") as stream:
            stream.write(b"more")
        self.files[name] += b"more"

    def remove(self):
        name = self.any()
        os.unlink(self.path(name))
        self.files[name] = None
        del self.files[name]

    def move(self):
        name = self.any()
        self.number += 1
        to = os.path.join("moved", f"{self.number}")
        os.makedirs(self.path("moved"), exist_ok=True)
        os.rename(self.path(name), self.path(to))
        self.files[to] = self.files.pop(name)

    def commit(self):
        if not os.path.isdir(self.path("repo")):
            subprocess.run([*GIT, "init", "-q", self.path("repo")], check=True)
        self.number += 1
        self.write(f"repo/file{self.number % 3}", str(self.number).encode())
        for words in (("add", "-A"), ("commit", "-q", "-m", str(self.number))):
            subprocess.run([*GIT, *words], cwd=self.path("repo"), check=True)
        self.commits.append(str(self.number))
        if self.random.random() < 0.3:
            subprocess.run([*GIT, "pack-refs", "--all"], cwd=self.path("repo"), check=True)

    def act(self, times=1):
        every = (self.new, self.new, self.replace, self.write_in_place, self.append, self.remove, self.move)
        for _ in range(times):
            self.random.choice((*every, self.commit) if self.random.random() < 0.3 else every)()

    def lost(self):
        """What is not as this user left it."""
        wrong = [name for name, content in self.files.items() if self._read(name) != content]
        if self.commits:
            log = [*GIT, "log", "--format=%s"]
            said = subprocess.run(log, cwd=self.path("repo"), capture_output=True, text=True, check=False).stdout
            wrong += [f"commit {one}" for one in self.commits if one not in said.split()]
        return wrong

    def _read(self, name):
        """What is there, or what is kept beside."""
        for path in (self.path(name), *self._kept(name)):
            with suppress(OSError), open(path, "rb") as stream:
                return stream.read()
        return None

    def _kept(self, name):
        here = glob.escape(self.environment)
        return glob.glob(f"{here}/*.kept-*/{glob.escape(name)}") + glob.glob(f"{glob.escape(self.path(name))}.kept-*")

    def follow(self):
        """Go on with the files where they are now."""
        for name in [name for name in self.files if not os.path.lexists(self.path(name))]:
            self.files[os.path.relpath(self._kept(name)[0], self.environment)] = self.files.pop(name)

    def beside(self):
        """The files of which only a version that is kept beside is left."""
        gone = (name for name in self.files if not os.path.lexists(self.path(name)))
        return [os.path.relpath(kept, self.environment) for name in gone for kept in self._kept(name)]


def writing(environment, name):
    """A process in that folder which writes lines into a file; it is at work when this returns."""
    child = subprocess.Popen(
        [sys.executable, "-I", __file__, name], cwd=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    child.stdout.readline()
    return child


def ended(child):
    """How many lines it wrote."""
    return int(child.communicate(b"\n")[0])


def main():
    import select

    count = 0
    with open(sys.argv[1], "w", buffering=1) as held:
        sys.stdout.write("begun\n")
        sys.stdout.flush()
        while not select.select([sys.stdin], [], [], 0.005)[0]:
            count += 1
            held.write(f"{count}\n")
            with open(f"{sys.argv[1]}.{count % 7}", "w") as other:
                other.write(f"{count}\n")
            time.sleep(0.005)
    sys.stdout.write(f"{count}\n")


if __name__ == "__main__":
    main()
