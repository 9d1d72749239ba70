"""How many GPUs a framework should list, and how many it does list."""

from gpudoctor.facts.live import DeviceList, Symptom
from gpudoctor.knowledge.frameworks import gpu_code_of
from gpudoctor.rules.sections import Driver, Environ, Frameworks, Gap, Gpus, Live
from gpudoctor.rules.visible_devices import read_mask

#: Values that hide every GPU on purpose.
_ON_PURPOSE = ("", "-1")
#: rocm.docs.amd.com, GPU isolation techniques.
_HIDE_AMD = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


def expected(gpus: Gpus | Gap | None, driver: Driver | Gap | None, environ: Environ | Gap | None) -> int:
    """How many NVIDIA GPUs a program should see here; 0 where that is none or not known.

    The CUDA driver's own count, where it gave one above 0; else what NVML lists and CUDA_VISIBLE_DEVICES leaves.
    """
    value = environ.get("CUDA_VISIBLE_DEVICES") if isinstance(environ, Environ) else None
    if value is not None and value.strip() in _ON_PURPOSE:
        return 0
    answer = driver.cuda_init if isinstance(driver, Driver) else None
    if answer is not None and answer.ok and answer.device_count:
        return answer.device_count
    if not isinstance(gpus, Gpus):
        return 0
    usable = [gpu for gpu in gpus.nvidia if gpu.bound_driver not in ("vfio-pci", "pci-stub", "xen-pciback")]
    shown = len(read_mask(value, gpus).visible) if value is not None else len(usable)
    return min(len(usable), shown) or min(len(usable), 1)


def expected_of_amd(gpus: Gpus | Gap | None, environ: Environ | Gap | None) -> int:
    """How many AMD GPUs the kernel's driver serves, where no variable hides them on purpose."""
    values = [environ.get(name) for name in _HIDE_AMD] if isinstance(environ, Environ) else []
    if any(value is not None and value.strip() in _ON_PURPOSE for value in values) or not isinstance(gpus, Gpus):
        return 0
    return sum(gpu.vendor == "amd" and gpu.bound_driver == "amdgpu" for gpu in gpus.devices)


def lists_of_rocm(live: Live) -> tuple[DeviceList, ...]:
    """Lists of frameworks that were built for AMD's GPUs and told their devices."""
    return tuple(one for one in live.devices if one.devices is not None and one.built_with_rocm)


def lists_to_judge(live: Live, frameworks: Frameworks | Gap | None) -> tuple[DeviceList, ...]:
    """Lists of frameworks that were built for NVIDIA GPUs and told their devices. Keras sees what its backend sees."""
    return tuple(
        listed
        for listed in live.devices
        if listed.devices is not None and _is_built_for_cuda(listed, frameworks) and gpu_code_of(listed.framework)
    )


def gpus_listed(listed: DeviceList) -> int:
    """How many GPUs a framework lists, and says that it can use."""
    count = sum(device.kind == "gpu" for device in listed.devices or ())
    return 0 if listed.gpu_available is False else count


def symptoms_of(live: Live, framework: str) -> tuple[Symptom, ...]:
    """Messages met while the framework listed its devices."""
    own = [one for one in live.symptoms if one.framework == framework]
    listing = [one for one in own if (one.where or "").startswith("devices")]
    return tuple({one.signature: one for one in listing or own}.values())


def _is_built_for_cuda(listed: DeviceList, frameworks: Frameworks | Gap | None) -> bool:
    if listed.built_with_rocm:
        return False
    found = frameworks.get(gpu_code_of(listed.framework)) if isinstance(frameworks, Frameworks) else None
    if found is not None and found.variant is not None:
        return found.variant == "cuda"
    return listed.built_with_cuda is True
