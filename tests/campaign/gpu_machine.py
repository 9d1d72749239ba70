"""A machine with a GPU for the campaign: the fake driver, its nodes and module in a mount namespace, and an nvidia-smi.

Run in a namespace of its own: FOLDER COMMAND...
"""

import os
import subprocess
import sys
import tempfile

#: Prints the facts of the scenario in the way of nvidia-smi.
SMI = """#!{python}
import os, sys
facts = dict(line.rstrip("\\n").split("=", 1) for line in open(os.environ["FAKE_DRIVER"]))
def fact(index, name):
    return facts.get("gpu.%d.%s" % (index, name), facts.get("gpu.*." + name))
READ = {{
    "index": lambda i: str(i), "name": lambda i: fact(i, "name"), "uuid": lambda i: fact(i, "uuid"),
    "pci.bus_id": lambda i: fact(i, "bus_id"), "pci.device_id": lambda i: "0x%08X" % int(fact(i, "pci_id"), 0),
    "compute_cap": lambda i: fact(i, "capability").replace(",", "."), "memory.total": lambda i: fact(i, "memory"),
    "memory.used": lambda i: fact(i, "memory_used"), "temperature.gpu": lambda i: fact(i, "temperature.0"),
    "power.limit": lambda i: "%.2f" % (int(fact(i, "power_limit")) / 1000), "pcie.link.width.max": lambda i: "{width}",
    "persistence_mode": lambda i: ["Disabled", "Enabled"][int(fact(i, "persistence"))],
    "compute_mode": lambda i: "Default", "clocks.max.sm": lambda i: fact(i, "clock_max.1"),
}}
query = next((word.partition("=")[2].split(",") for word in sys.argv[1:] if word.startswith("--query-gpu=")), None)
if query and "display_mode" in query:
    print('Field "display_mode" is not a valid field to query.')
    sys.exit(2)
if query:
    for index in range(int(facts["count"])):
        print(", ".join(READ[field](index) if field in READ else "[N/A]" for field in query))
else:
    print("| NVIDIA-SMI %s   Driver Version: %s   CUDA Version: 13.0 |" % (facts["driver"], facts["driver"]))
"""
#: What the driver does without its nodes.
GATES = {"gate.cuInit": "/dev/nvidia-uvm,999,304", "gate.nvmlInitWithFlags": "/dev/nvidiactl,9,4"}
MODULES = "nvidia_uvm 1000 0 - Live 0x0\nnvidia 1000 1 nvidia_uvm, Live 0x0\n"


def write_smi(folder, width=16):
    folder.mkdir(exist_ok=True)
    path = folder / "nvidia-smi"
    path.write_text(SMI.format(python=sys.executable, width=width))
    path.chmod(0o755)


def can_be_made():
    """Whether this system lets us make namespaces and nodes."""
    code = "import os, stat, tempfile; os.mknod(tempfile.mkdtemp() + '/n', 0o600 | stat.S_IFCHR, os.makedev(1, 3))"
    try:
        return subprocess.run(["unshare", "--mount", sys.executable, "-c", code], check=False).returncode == 0
    except OSError:
        return False


def main(folder, *command):
    def mount(*words):
        subprocess.run(["mount", *words], check=True)

    def stage(path, leaves_out=()):
        """A folder that will be put over `path`: links to all that is there."""
        own, staged = tempfile.mkdtemp(dir=folder), tempfile.mkdtemp(dir=folder)
        mount("--rbind", path, own)
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", staged)
        for name in set(os.listdir(own)) - set(leaves_out):
            os.symlink(os.path.join(own, name), os.path.join(staged, name))
        return staged

    mount("--make-rprivate", "/")
    devices = stage("/dev")
    for name in ("nvidia0", "nvidiactl", "nvidia-uvm"):
        os.mknod(os.path.join(devices, name), 0o20666, os.makedev(1, 3))
        os.chmod(os.path.join(devices, name), 0o666)
    facts = stage("/proc", ["modules"])
    with open(os.path.join(facts, "modules"), "w") as copy:
        copy.write(MODULES)
    buses = stage("/sys/bus", ["pci"])
    gpu = os.path.join(buses, "pci", "devices", "0000:01:00.0")
    os.makedirs(gpu)
    for name, text in {"class": "0x030200", "vendor": "0x10de", "device": "0x2330", "power_state": "D0"}.items():
        with open(os.path.join(gpu, name), "w") as fact:
            fact.write(text + "\n")
    os.symlink("../../../drivers/nvidia", os.path.join(gpu, "driver"))
    mount("--bind", buses, "/sys/bus")
    mount("--bind", devices, "/dev")
    mount("--bind", facts, "/proc")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
