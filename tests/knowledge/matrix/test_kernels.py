"""Binary and PTX compatibility, row by row against the CUDA programming guide."""

import pytest

from gpudoctor.facts.versions import Capability, CudaVersion
from gpudoctor.knowledge.matrix.kernels import Coverage, coverage, ptx_is_refused

ROWS: tuple[tuple[str, str, Coverage], ...] = (
    # cubins: same major, minor not above the GPU's
    ("sm_80", "8.0", "native"),
    ("sm_80", "8.6", "native"),
    ("sm_80 sm_86", "8.9", "native"),
    ("sm_86", "8.0", "none"),
    ("sm_89", "8.6", "none"),
    ("sm_60", "6.1", "native"),
    ("sm_61", "6.0", "none"),
    ("sm_50", "5.2", "native"),
    ("sm_37", "3.5", "none"),
    ("sm_35", "3.7", "native"),
    ("sm_37", "3.7", "native"),
    ("sm_70", "7.5", "native"),
    ("sm_75", "7.0", "none"),
    ("sm_120", "12.1", "native"),
    ("sm_120", "12.0", "native"),
    ("sm_121", "12.0", "none"),
    ("sm_100", "12.0", "none"),
    ("sm_90", "10.0", "none"),
    ("sm_100", "10.3", "native"),
    # a: that capability only
    ("sm_90a", "9.0", "native"),
    ("sm_100a", "10.3", "none"),
    ("sm_120a", "12.1", "none"),
    ("compute_90a", "9.0", "ptx"),
    ("compute_90a", "10.0", "none"),
    # f: the family, the guide's 100f {10.0, 10.3, 10.7}, 103f {10.3, 10.7}, 120f {12.0, 12.1}, 121f {12.1}
    ("sm_100f", "10.0", "native"),
    ("sm_100f", "10.3", "native"),
    ("sm_100f", "10.7", "native"),
    ("sm_103f", "10.0", "none"),
    ("sm_100f", "12.0", "none"),
    ("sm_120f", "12.1", "native"),
    ("sm_121f", "12.0", "none"),
    ("compute_100f", "10.3", "ptx"),
    ("compute_100f", "12.0", "none"),
    # PTX: any GPU not below it
    ("compute_90", "12.0", "ptx"),
    ("compute_90", "9.0", "ptx"),
    ("compute_90", "8.9", "none"),
    ("compute_37", "12.0", "ptx"),
    ("sm_50 sm_60 compute_80", "8.6", "ptx"),
    ("compute_80 sm_86", "8.6", "native"),
    # Tegra: cubins made for it, or PTX; no mixing with discrete GPUs
    ("sm_80 sm_86", "8.7", "none"),
    ("sm_87", "8.7", "native"),
    ("sm_87", "8.9", "none"),
    ("compute_80", "8.7", "ptx"),
    ("sm_70", "7.2", "none"),
    ("sm_72", "7.5", "none"),
    ("sm_53", "5.3", "native"),
    ("sm_100", "11.0", "none"),
    ("sm_110", "11.0", "native"),
    # what is no architecture says nothing
    ("", "8.0", "none"),
    ("gfx942 xe_hpg", "8.0", "none"),
    ("sm_8", "8.0", "none"),
)


@pytest.mark.parametrize(("archs", "capability", "expected"), ROWS)
def test_coverage(archs: str, capability: str, expected: Coverage) -> None:
    assert coverage(archs.split(), Capability(capability)) == expected


def test_order_does_not_count() -> None:
    assert coverage(("compute_80", "sm_80"), Capability("8.6")) == "native"
    assert coverage(("sm_80", "compute_80"), Capability("8.6")) == "native"


@pytest.mark.parametrize(("cuda", "expected"), [("12.8", "none"), ("13.0", "none"), ("13.2", "native")])
def test_discrete_code_on_orin_by_toolkit(cuda: str, expected: Coverage) -> None:
    assert coverage(("sm_80", "sm_90"), Capability("8.7"), CudaVersion(cuda)) == expected


@pytest.mark.parametrize(
    ("framework", "version", "capability", "refused", "measured"),
    [
        ("tensorflow", "2.20.0", "9.0", False, False),
        ("tensorflow", "2.20.0", "10.0", True, True),
        ("tensorflow", "2.16.1", "12.0", True, True),
        ("tensorflow", "2.21.0", "12.0", False, False),
        ("tensorflow", "2.21.0rc1", "10.0", False, False),
        ("tensorflow", "2.21.0.dev20250722", "12.0", True, False),
        ("tensorflow", "2.21.0-dev20251126", "12.0", False, False),
        ("tensorflow", "2.22.0rc0", "12.0", True, False),
        ("tensorflow", "2.22.0.dev20260309", "12.0", True, False),
        ("tensorflow", "2.20.0.dev20250314", "12.0", True, False),
        ("tensorflow", "2.10.1", "12.0", True, False),
        ("tensorflow", None, "12.0", True, False),
        ("torch", "2.6.0+cu124", "12.0", False, False),
    ],
)
def test_whose_ptx_blackwell_refuses(
    framework: str, version: str | None, capability: str, refused: bool, measured: bool
) -> None:
    found = ptx_is_refused(framework, version, Capability(capability))
    assert (found is not None) == refused
    assert found is None or found.measured == measured
