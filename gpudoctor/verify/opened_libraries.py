"""Programs that open CUDA's libraries and bring none (onnxruntime-gpu): whether the torch beside them brings those."""

from gpudoctor.knowledge.matrix.offer_types import EngineBuild, Extension
from gpudoctor.knowledge.matrix.pairs import engine_build
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.plan.extension_for import rows_of
from gpudoctor.plan.specifiers import meets
from gpudoctor.verify.asked import Requirement
from gpudoctor.verify.case import Case


def opened_libraries(wanted: Requirement, version: str, torch: str | None, case: Case) -> tuple[str, ...]:
    """What must be installed beside a release that fits, in a sentence; nothing where an extra or torch brings it."""
    opens = engine_build(wanted.name, version, case.matrix)
    if opens is None or not case.wants_gpu or any(one.startswith("cuda") for one in wanted.extras):
        return ()
    row = case.matrix.torch_build(torch, case.machine.platform) if torch else None
    if row is None or row.cuda is None:
        return (f"It brings no CUDA libraries: those of {_libraries(opens)} must be installed beside it.",)
    if _brings(row, opens):
        return ()
    beside = f"CUDA {row.cuda.major}" + (f" and cuDNN {_major(row.cudnn)}" if row.cudnn else "")
    text = f"It opens the libraries of {_libraries(opens)}, and torch {torch} brings those of {beside}."
    better = _other_release(wanted.name, row, case)
    return (f"{text} {wanted.name} {better} opens those of torch." if better else text,)


def _brings(torch: TorchBuild, opens: EngineBuild) -> bool:
    """Whether a torch has the libraries; of cuDNN what is not known counts for it."""
    cudnn = opens.cudnn is None or torch.cudnn is None or _major(torch.cudnn) == opens.cudnn
    return torch.cuda is not None and torch.cuda.major == opens.cuda and cudnn


def _other_release(name: str, torch: TorchBuild, case: Case) -> str | None:
    """The newest release that opens what a torch brings, for the Python and platform that are there."""
    for row in rows_of(name, case.matrix):
        if not _is_for(row, case):
            continue
        for version in row.versions:
            opens = engine_build(name, version, case.matrix)
            if opens is not None and _brings(torch, opens):
                return version
    return None


def _is_for(row: Extension, case: Case) -> bool:
    machine = case.machine
    python = not row.requires_python or machine.python is None or meets(f"{machine.python}.99", row.requires_python)
    return python and (not row.platforms or machine.platform is None or machine.platform in row.platforms)


def _libraries(opens: EngineBuild) -> str:
    return f"CUDA {opens.cuda}" + (f" and cuDNN {opens.cudnn}" if opens.cudnn is not None else "")


def _major(version: str) -> int:
    return int(version.partition(".")[0])
