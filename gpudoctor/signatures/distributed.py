"""Messages of torch.distributed and of launchers, where several processes or machines work together."""

from gpudoctor.signatures.catalogue import signature

_DISTRIBUTED = "https://docs.pytorch.org/docs/stable/distributed.html#common-environment-variables"
_ELASTIC = "https://docs.pytorch.org/docs/stable/elastic/errors.html"
_DDP = "https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html"
_TORCH = ("torch",)
_REACH = "on each machine: ip -brief address; nc -zv MASTER_ADDR MASTER_PORT"

SIGNATURES = (
    signature(
        "port-in-use",
        r"address already in use|errno: ?98\b|eaddrinuse",
        needles=("address already in use", "errno: 98", "errno:98", "eaddrinuse"),
        meaning="The port through which the processes are to find one another is in use by another program.",
        causes={"no-free-port": 0.93, "firewall-or-interface": 0.1},
        ask="ss -ltnp | grep PORT; another --master_port",
        source=_DISTRIBUTED,
        frameworks=_TORCH,
    ),
    signature(
        "rendezvous-failed",
        r"client socket has failed to connect|connect\(\) timed out|diststoreerror"
        r"|timed out after \d+ seconds waiting for clients"
        r"|store->get\('?\d*'?\) got error|rendezvous\w*(?:timeout|connection|closed)error|socket timeout\b"
        r"|failed to recv, got 0 bytes|broken pipe[^\n]{0,40}store|tcpstore[^\n]{0,60}(?:timeout|failed|connection)",
        needles=(
            "has failed to connect",
            "connect() timed out",
            "diststoreerror",
            "waiting for clients",
            "store->get",
            "rendezvous",
            "socket timeout",
            "failed to recv",
            "tcpstore",
            "broken pipe",
        ),
        meaning="The processes of the group did not find one another, or one of them ended first.",
        causes={"firewall-or-interface": 0.5, "peer-process-failed": 0.45, "network-between-nodes": 0.45},
        ask=_REACH,
        source=_DISTRIBUTED,
        frameworks=_TORCH,
    ),
    signature(
        "nccl-socket",
        r"warn (?:socket creation failed|call to connect|connect to|no interface found|bootstrap|net/socket"
        r"|socketstartconnect)"
        r"|socket creation failed|call to connect (?:to \S+ )?(?:failed|returned|timeout)"
        r"|socketstartconnect: connect to"
        r"|no socket interface found|address family not supported by protocol",
        needles=(
            "socket creation failed",
            "call to connect",
            "socketstartconnect",
            "no interface found",
            "no socket interface",
            "address family not supported",
            "warn connect to",
            "warn bootstrap",
            "warn net/socket",
        ),
        meaning="The processes of the group do not reach one another on the network interface that was chosen.",
        causes={"firewall-or-interface": 0.75, "network-between-nodes": 0.6},
        ask="NCCL_DEBUG=INFO; NCCL_SOCKET_IFNAME=<interface>; in a container: --net=host",
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname",
        frameworks=_TORCH,
    ),
    signature(
        "p2p-off-helps",
        r"nccl_p2p_disable ?= ?[\"']?1\b[^\n]{0,80}(?:works?|fix|solv|help|resolv|fine|well|no longer)"
        r"|(?:works?|fix|solv|help|resolv|fine|well)\w*[^\n]{0,60}nccl_p2p_disable"
        r"|p2p (?:is )?disabled?,[^\n]{0,40}(?:well|fine|work)"
        r"|hang[^\n]{0,60}\bp2p\b|\bp2p\b[^\n]{0,60}\bhang",
        needles=("nccl_p2p_disable", "p2p"),
        meaning="Several GPUs work together only when they may not copy to one another directly (P2P).",
        causes={"nccl-p2p-geforce": 0.7, "pcie-acs-p2p": 0.6},
        ask="nvidia-smi topo -m; nvidia-smi topo -p2p r; sudo lspci -vvv | grep ACSCtl",
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
    ),
    signature(
        "accelerate-p2p-warning",
        r"rtx \d000 series doesn.?t support faster communication",
        needles=("faster communication",),
        meaning="These GeForce cards cannot copy to one another directly, and NCCL must be told.",
        causes={"nccl-p2p-geforce": 0.9},
        ask="NCCL_P2P_DISABLE=1 and NCCL_IB_DISABLE=1, set before the program starts; or accelerate launch",
        source="https://github.com/huggingface/accelerate/blob/main/src/accelerate/state.py",
    ),
    signature(
        "p2p-not-supported",
        r"peer(?:-to-peer)?(?: \(p2p\))? access is not supported between|p2p[^\n]{0,24}\bnot supported between"
        r"|\bnccl\b[^\n]{0,8}\bp2p\b[^\n]{0,24}\b(?:issues?|problems?|broken|unsupported|(?:is )?supported)\b"
        r"|\b(?:cannot|can.?t|unable to|could ?n.t) enable (?:p2p|peer)|peer-to-peer access capability are required"
        r"|^\s*gpu\d+\s+(?:(?:x|ok)\s+)*(?:cns|gns|tns)\b",
        needles=("not supported between", "p2p", "enable peer", "peer-to-peer", "cns", "gns", "tns"),
        meaning="A program wants two GPUs to copy to one another directly, and these cannot.",
        causes={"nccl-p2p-geforce": 0.6, "pcie-acs-p2p": 0.3},
        ask="nvidia-smi topo -p2p r; nvidia-smi topo -m",
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
    ),
    signature(
        "acs-redirect",
        r"acsctl:?[^\n]{0,80}(?:reqredir|cmpltredir|upstreamfwd)\+|acs[^\n]{0,20}\b(?:enabled|redirect)|(?:nccl"
        r"|p2p|hang)[^\n]{0,60}\b(?:iommu|vt-d)\b"
        r"|\b(?:iommu|vt-d)\b[^\n]{0,60}(?:nccl|p2p|hang)|\bhang\w*\b[^\n]{0,60}\b(?:pxb|pix)\b",
        needles=("acsctl", "acs", "iommu", "vt-d", "pxb", "pix"),
        meaning="The machine sends what GPUs copy to one another through its IOMMU, which slows or stops it.",
        causes={"pcie-acs-p2p": 0.9},
        ask="sudo lspci -vvv | grep ACSCtl; cat /proc/cmdline",
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
    ),
    signature(
        "libibverbs-missing",
        r"failed to open libibverbs|net/plugin: (?:could not find|no plugin found)|could not find: libnccl-(?:net"
        r"|profiler)",
        needles=("libibverbs", "net/plugin", "libnccl-"),
        meaning="NCCL found no InfiniBand and no plug-in; it needs neither within one machine.",
        causes={"harmless": 0.9},
        ask="NCCL_DEBUG=INFO python your_program.py 2>&1 | grep -E 'NCCL (WARN|INFO)' | head -40",
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html",
    ),
    signature(
        "unused-parameters",
        r"expected to have finished reduction in the prior iteration|marked as ready (?:only once|twice)"
        r"|parameter indices which did not receive grad",
        needles=("finished reduction in the prior", "marked as ready", "did not receive grad"),
        meaning="Not every part of the model took part in a step, which training on several GPUs expects.",
        causes={"bug-in-gpu-code": 0.1, "model-parts-unused": 0.9},
        ask="find_unused_parameters=True, or the part of the model that the message names",
        source=_DDP,
        frameworks=_TORCH,
    ),
    signature(
        "child-failed",
        r"childfailederror|worker process failed with exit|exits with return code = -?\d|process group \w+ has failed",
        needles=("childfailederror", "process failed with exit", "exits with return code", "has failed"),
        meaning="One of the processes of the group failed; its own message, above, says why.",
        causes={"peer-process-failed": 0.4, "host-memory-full": 0.15},
        ask="the first error of the process that failed first",
        source=_ELASTIC,
        frameworks=_TORCH,
        fallback=True,
    ),
)
