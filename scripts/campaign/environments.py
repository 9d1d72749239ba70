"""A copy of an environment that shares every file: folders of its own, and links to the files."""

import os
import sys
from pathlib import Path

from campaign.here import Here


def copied(here: Here, site: Path, folder: Path, without: frozenset[Path]) -> str:
    """The interpreter of an environment with the packages of `site`, but for the files `without`.

    Files are linked one by one: `$ORIGIN/../..` of a library must lead into the copy.
    """
    version = here.program("import sys; print('%d.%d' % sys.version_info[:2])").text.strip()
    base = here.program("import sys; print(sys._base_executable)").text.strip()
    ran = here.run(here.python, "-m", "venv", "--without-pip", str(folder))
    if not ran.ok:
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        (folder / "bin" / "python").symlink_to(base or sys.executable)
        (folder / "pyvenv.cfg").write_text(f"home = {os.path.dirname(base)}\nversion = {version}\n")
    target = folder / "lib" / f"python{version}" / "site-packages"
    for path, _, names in os.walk(site):
        own = target / Path(path).relative_to(site)
        own.mkdir(parents=True, exist_ok=True)
        for name in names:
            if Path(path, name) not in without and not (own / name).exists():
                (own / name).symlink_to(os.path.join(path, name))
    return str(folder / "bin" / "python")
