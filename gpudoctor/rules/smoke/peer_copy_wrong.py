"""SMK022: a copy from one GPU to another arrives corrupted."""

from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.terms import Fix, SetEnv


@failure_rule("SMK022", name="peer-copy-wrong", severity="error", since="0.1")
def peer_copy_wrong(failed: Failed) -> Said:
    """A copy from one GPU to another arrives corrupted.

    What it means:
    gpudoctor copied numbers from one GPU straight to another and compared: they were not the same.

    Why it breaks:
    The machine redirects such copies (IOMMU, ACS), or the driver says that two GPUs can copy to one another which
    cannot.

    How to fix it:
    Mend what this finding is listed under, where there is one. Until then set NCCL_P2P_DISABLE=1.

    When to ignore it:
    If you use one GPU at a time.

    Sources:
    https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html
    """
    return (
        f"Copies between GPUs arrive corrupted ({failed.first.device}): training on several GPUs goes wrong.",
        (Fix(title="Switch direct copies off", safety="safe", steps=(SetEnv(name="NCCL_P2P_DISABLE", value="1"),)),),
    )
