"""Samples clocks, throttle reasons, temperature, power and PCIe link of every GPU during a benchmark.

Run by gpudoctor's own Python, like `ask_nvml`. Standard input, one a line: seconds to go on for at most, seconds
between two samples, a file whose absence ends it, the folder of pynvml, then the libraries to try. Each sample is
a line MARK {"fact": "sample", "value": {…}} in the fields of gpudoctor.facts.bench.Sample, the reasons as their bits.
"""

import contextlib
import json
import os
import sys
import time

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from ask_nvml import CLOCK_MEMORY, CLOCK_SM, SENSOR_GPU, binding
from driver_query import MARK, load, read_lines

#: A field of a sample: the calls that can answer, best first, and what to make of the answer.
FIELDS = (
    ("clock_sm_mhz", (("nvmlDeviceGetClockInfo", CLOCK_SM),), int),
    ("clock_memory_mhz", (("nvmlDeviceGetClockInfo", CLOCK_MEMORY),), int),
    ("temperature_c", (("nvmlDeviceGetTemperature", SENSOR_GPU), ("nvmlDeviceGetTemperatureV", SENSOR_GPU)), int),
    ("power_w", (("nvmlDeviceGetPowerUsage",),), lambda milliwatts: milliwatts / 1000.0),
    ("utilization_percent", (("nvmlDeviceGetUtilizationRates",),), lambda rates: int(rates.gpu)),
    ("pcie_generation", (("nvmlDeviceGetCurrPcieLinkGeneration",),), int),
    ("pcie_width", (("nvmlDeviceGetCurrPcieLinkWidth",),), int),
    (
        "throttle_bits",
        (("nvmlDeviceGetCurrentClocksEventReasons",), ("nvmlDeviceGetCurrentClocksThrottleReasons",)),
        int,
    ),
)


def ask(nvml, handle, calls, convert):
    """The first answer that one of `calls` gives; None if all refuse, or the binding lacks them."""
    for name, *arguments in calls:
        with contextlib.suppress(Exception):  # refused, not in this binding, or not what nvml.h says
            return convert(getattr(nvml, name)(handle, *arguments))
    return None


def handles(nvml):
    """Every GPU: its number, its UUID, its handle."""
    found = []
    for index in range(nvml.nvmlDeviceGetCount()):
        with contextlib.suppress(Exception):  # a GPU that is lost
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            uuid = ask(nvml, handle, (("nvmlDeviceGetUUID",),), lambda text: text)
            found.append((index, uuid.decode() if isinstance(uuid, bytes) else uuid, handle))
    return found


def sample(nvml, found, began):
    """One sample of each GPU."""
    for index, uuid, handle in found:
        value = {"device": "gpu:{}".format(index), "uuid": uuid, "at": round(time.time() - began, 3)}
        value.update((field, ask(nvml, handle, calls, convert)) for field, calls, convert in FIELDS)
        told = {name: item for name, item in value.items() if item is not None}
        data = MARK + json.dumps({"fact": "sample", "value": told}) + "\n"
        os.write(1, data.encode("ascii"))


def main():
    """Sample until the file is gone, or the time is over."""
    seconds, pause, file, folder, *libraries = read_lines()
    began = time.time()
    load(libraries)
    nvml = binding(folder)
    nvml.nvmlInit()
    found = handles(nvml)
    while found and os.path.exists(file) and time.time() - began < float(seconds):
        sample(nvml, found, began)
        time.sleep(float(pause))


if __name__ == "__main__":
    try:
        main()
    except Exception:  # no driver, no binding: no samples
        pass
    os._exit(0)
