"""GPU020: the driver reports direct copies (P2P) between these GeForce cards, which often hang."""

import re

from gpudoctor.rules._driver_fixes import update_driver
from gpudoctor.rules._p2p import copies_fail, pcie_peers, possible_peers
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Environ, Gap, Gpus, Live, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, problem, rule, seen

#: Cards without NVLink and without support for peer-to-peer copies over PCIe.
CARDS = r"GeForce RTX [45]0[5-9]0"


@rule("GPU020", name="nccl-p2p-geforce", severity="warning", when="gpus.several")
def nccl_p2p_geforce(
    gpus: Gpus, environ: Environ | Gap | None, live: Live | Gap | None, scene: Scene
) -> Iterator[Problem]:
    """The driver reports direct copies (P2P) between these GeForce cards, which often hang.

    What it means:
    GeForce cards of the 40 and 50 series cannot copy from card to card over PCIe. Some drivers say they can, and NCCL,
    which trains on several GPUs, believes it.

    Why it breaks:
    The first exchange between the GPUs never ends, or brings wrong data.

    How to fix it:
    Tell NCCL not to use it: NCCL_P2P_DISABLE=1. A newer driver tells the truth.

    When to ignore it:
    When you changed the driver to allow it on purpose, and a test such as nccl-tests passes.

    Sources:
    Reports in https://github.com/NVIDIA/nccl-tests/issues/117 and https://github.com/dmlc/xgboost/issues/11242 (driver
    560 hangs, 570 does not); NCCL user guide, NCCL_P2P_DISABLE
    """
    hangs = copies_fail(live)
    peers = pcie_peers(gpus) or (possible_peers(gpus) if hangs else ())
    cards = [gpu for gpu in peers if re.search(CARDS, gpu.name or "")]
    variables = known(environ)
    if len(cards) < 2 or variables is None or variables.get("NCCL_P2P_DISABLE") not in (None, "", "0"):
        return
    state = known(scene.driver)
    release = state.release if state else None
    avoid = Fix(
        "Make NCCL copy through RAM",
        "safe",
        (SetEnv(name="NCCL_P2P_DISABLE", value="1"),),
        undo="unset NCCL_P2P_DISABLE",
    )
    yield problem(
        "The driver reports direct copies (P2P) between these GeForce cards, which can hang NCCL.",
        seen("GPUs", ", ".join(gpu.label for gpu in cards)),
        *((seen("peer-to-peer over PCIe", "reported as working"),) if gpus.peer_links else ()),
        *((seen("reported", "several GPUs hang together, or work only without direct copies"),) if hangs else ()),
        *((seen("driver release", release),) if release else ()),
        confidence="possible",
        fixes=(avoid, *update_driver(scene, "branch 570 or newer")),
    )
