"""Messages of NCCL and of programs that use several GPUs or machines."""

from gpudoctor.signatures.catalogue import signature

_GUIDE = "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"
_TYPES = "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/types.html#ncclresult-t"
_ASK = "NCCL_DEBUG=INFO python your_program.py 2>&1 | grep -E 'NCCL (WARN|INFO)' | head -40"

_HANGS = r"(?:hangs?|hanging|hung|stuck|deadlock\w*|freez\w+|lock(?:s|ed)? up|never (?:ends|returns|finishes))\b"

SIGNATURES = (
    signature(
        "nccl-system-error",
        r"nccl[^\n]{0,80}unhandled system error|ncclsystemerror",
        needles=("unhandled system error", "ncclsystemerror"),
        meaning="NCCL, which lets several GPUs work together, got an error from the system.",
        causes={
            "container-shm-small": 0.55,
            "shm-pressure": 0.3,
            "firewall-or-interface": 0.35,
            "network-between-nodes": 0.25,
            "network-between-nodes @ several-machines": 0.25,
            "firewall-or-interface @ several-machines": 0.15,
            "no-free-port": 0.1,
        },
        ask=_ASK,
        source=_TYPES,
    ),
    signature(
        "nccl-cuda-error",
        r"nccl[^\n]{0,80}unhandled cuda error|ncclunhandledcudaerror|nccl warn cuda failure",
        needles=("unhandled cuda error", "ncclunhandledcudaerror", "nccl warn cuda failure"),
        meaning="NCCL, which lets several GPUs work together, got an error from CUDA.",
        causes={
            "container-shm-small": 0.4,
            "nccl-p2p-geforce @ several-gpus": 0.2,
            "pcie-acs-p2p @ several-gpus": 0.2,
            "driver-too-old": 0.25,
            "earlier-gpu-error": 0.25,
            "arch-too-new-for-build": 0.2,
            "batch-too-large": 0.15,
        },
        ask=_ASK,
        source=_TYPES,
    ),
    signature(
        "nccl-internal-error",
        r"nccl[^\n]{0,80}\binternal error|ncclinternalerror",
        needles=("internal error", "ncclinternalerror"),
        meaning="NCCL, which lets several GPUs work together, failed inside.",
        causes={
            "ld-path-shadows-nvidia-wheels": 0.3,
            "firewall-or-interface": 0.3,
            "driver-too-old": 0.2,
            "pcie-acs-p2p": 0.2,
        },
        ask=_ASK,
        source=_TYPES,
    ),
    signature(
        "nccl-remote-error",
        r"nccl[^\n]{0,80}(?:remote process exited|remote error)|ncclremoteerror|connection closed by remote peer",
        needles=("remote process exited", "ncclremoteerror", "closed by remote peer", "remote error"),
        meaning="Another process of the group ended first.",
        causes={"peer-process-failed": 0.85, "network-between-nodes": 0.25},
        ask="the first error of the other processes",
        source=_TYPES,
    ),
    signature(
        "nccl-duplicate-gpu",
        r"duplicate gpu detected",
        needles=("duplicate gpu detected",),
        meaning="Two processes of the group use the same GPU.",
        causes={"script-names-gpu": 0.7, "cvd-invalid": 0.3, "mig-single-instance": 0.2},
        ask="each process's rank and torch.cuda.current_device()",
        source=_GUIDE,
    ),
    signature(
        "nccl-timeout",
        r"watchdog caught collective operation timeout|nccl communicator was aborted|nccl[^\n]{0,60}timed? ?out",
        needles=("watchdog caught collective", "communicator was aborted", "nccl"),
        meaning="A step that all GPUs take together did not end.",
        causes={
            "pcie-acs-p2p": 0.5,
            "nccl-p2p-geforce": 0.4,
            "peer-process-failed": 0.35,
            "network-between-nodes": 0.25,
            "container-shm-small": 0.15,
        },
        ask="NCCL_P2P_DISABLE=1 once; nvidia-smi topo -m; sudo lspci -vvv | grep ACSCtl",
        source=_GUIDE,
    ),
    signature(
        "nccl-hangs",
        rf"(?:\b(?:nccl|rccl)\w*|\ball_?-?reduce\w*|\bddp\b|\bdistributed\w*)[^\n]{{0,60}}\b{_HANGS}"
        rf"|\b{_HANGS}[^\n]{{0,60}}\b(?:(?:multiple|several|two|[2-9])(?: or more)? gpus|[nr]ccl|all_?-?reduce|ddp"
        r"|distributeddataparallel)",
        needles=("hang", "hung", "stuck", "freez", "never ", "deadlock", "lock up", "locks up", "locked up"),
        meaning="A step that all GPUs take together did not end, as the reporter says.",
        causes={
            "pcie-acs-p2p": 0.5,
            "nccl-p2p-geforce": 0.45,
            "peer-process-failed": 0.2,
            "network-between-nodes": 0.2,
            "container-shm-small": 0.15,
        },
        ask="NCCL_P2P_DISABLE=1 once; nvidia-smi topo -m; sudo lspci -vvv | grep ACSCtl",
        source=_GUIDE,
        fallback=True,
    ),
    signature(
        "nccl-missing-windows",
        r"distributed package doesn.?t have nccl|nccl is not (?:available|built)",
        needles=("have nccl", "nccl is not"),
        meaning="This PyTorch has no NCCL; use the backend gloo.",
        causes={"windows-no-nccl": 0.6, "torch-cpu-only": 0.45, "jetson-generic-wheel @ jetson": 0.2},
        ask="python -c 'import torch; print(torch.__version__, torch.distributed.is_nccl_available())'",
        source="https://docs.pytorch.org/docs/stable/distributed.html#backends",
        frameworks=("torch",),
    ),
    signature(
        "nccl-network",
        r"nccl warn[^\n]{0,80}(?:connect to|no interface found|bootstrap|socket)",
        needles=("nccl warn",),
        meaning="The processes of the group do not reach one another.",
        causes={"firewall-or-interface": 0.6, "network-between-nodes": 0.4, "no-free-port": 0.35},
        ask="NCCL_DEBUG=INFO; NCCL_SOCKET_IFNAME=<interface>",
        source=_GUIDE,
        fallback=True,
    ),
    signature(
        "nccl-failed",
        r"nccl warn|\bnccl error\b|ncclinvalid\w+",
        needles=("nccl warn", "nccl error", "ncclinvalid"),
        meaning="NCCL, which lets several GPUs work together, reports a problem.",
        causes={
            "container-shm-small": 0.4,
            "firewall-or-interface": 0.2,
            "pcie-acs-p2p": 0.2,
            "nccl-p2p-geforce": 0.15,
        },
        ask=_ASK,
        source=_GUIDE,
        fallback=True,
    ),
    signature(
        "peer-access-unsupported",
        r"peer access is not supported between these two devices|cudaerrorpeeraccessunsupported",
        needles=("peer access is not supported", "peeraccessunsupported"),
        meaning="These two GPUs cannot copy to one another directly.",
        causes={"nccl-p2p-geforce": 0.4, "pcie-acs-p2p": 0.3, "harmless": 0.3},
        ask="nvidia-smi topo -p2p r",
        source=_GUIDE,
    ),
)
