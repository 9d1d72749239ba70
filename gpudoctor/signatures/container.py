"""Messages of container engines, of NVIDIA's container tools and of schedulers."""

from gpudoctor.signatures.catalogue import signature

_TOOLKIT = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html"
_INSTALL = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"

SIGNATURES = (
    signature(
        "docker-no-gpu-driver",
        r"could not select device driver|unknown or invalid runtime name: nvidia|unknown runtime specified nvidia",
        needles=("could not select device driver", "runtime name: nvidia", "runtime specified nvidia"),
        meaning="Docker does not know how to give GPUs to a container.",
        causes={"ctk-missing": 0.6, "ctk-docker-snap": 0.3, "ctk-not-configured": 0.35},
        ask="which nvidia-ctk docker; docker info | grep -i runtimes; cat /etc/docker/daemon.json",
        source=_INSTALL,
    ),
    signature(
        "ncc-library-not-found",
        r"nvidia-container-cli: initialization error: load library failed",
        needles=("load library failed",),
        meaning="NVIDIA's container tools do not find the driver on the host.",
        causes={
            "container-driver-in-image": 0.4,
            "drv-absent": 0.35,
            "wsl-driver-libs-missing @ wsl": 0.3,
            "ctk-docker-snap": 0.15,
            "nvml-library-missing": 0.2,
        },
        ask="nvidia-smi on the host; nvidia-container-cli -k -d /dev/tty info",
        source=_TOOLKIT,
    ),
    signature(
        "ncc-timed-out",
        r"nvidia-container-cli: [^\n]{0,80}timed out",
        needles=("nvidia-container-cli",),
        meaning="The driver took too long to start the GPUs for the container.",
        causes={"persistence-off": 0.8, "driver-not-answering": 0.2, "xid-79": 0.1},
        ask="time nvidia-smi on the host, twice; nvidia-smi -q | grep -i persistence",
        source="https://docs.nvidia.com/deploy/driver-persistence/index.html",
    ),
    signature(
        "ncc-driver-not-loaded",
        r"nvidia-container-cli: [^\n]{0,80}(?:nvml error: driver not loaded|cuda error: unknown"
        r"|driver error)(?!: timed)",
        needles=("nvidia-container-cli",),
        meaning="The host's own driver does not work, so no container can use it.",
        causes={
            "drv-not-loaded": 0.4,
            "drv-dkms-not-built": 0.25,
            "drv-lib-mismatch": 0.2,
            "uvm-broken-after-suspend": 0.2,
        },
        ask="nvidia-smi on the host",
        source=_TOOLKIT,
    ),
    signature(
        "ncc-requirement",
        r"nvidia-container-cli: requirement error: unsatisfied condition",
        needles=("requirement error",),
        meaning="The image asks for a newer driver (or another GPU) than the host has.",
        causes={"driver-too-old": 0.85, "cuda-compat-unsupported-gpu": 0.1},
        ask="nvidia-smi on the host; docker inspect IMAGE | grep NVIDIA_REQUIRE",
        source=_TOOLKIT,
    ),
    signature(
        "ncc-cgroups",
        r"nvidia-container-cli: container error: (?:cgroup subsystem|failed to get device cgroup)",
        needles=("nvidia-container-cli",),
        meaning="NVIDIA's container tools and the host's control groups (cgroup v2) do not fit together.",
        causes={"ctk-not-configured": 0.5, "dev-permission-rootless": 0.4, "ctk-missing": 0.1},
        ask="stat -fc %T /sys/fs/cgroup; nvidia-ctk --version",
        source=_TOOLKIT,
    ),
    signature(
        "cdi-unresolvable",
        r"unresolvable cdi devices|failed to inject cdi devices",
        needles=("cdi devices",),
        meaning="The container engine was asked for a GPU under a name that its list of devices (CDI) does not have.",
        causes={"ctk-not-configured": 0.7, "ctk-missing": 0.4},
        ask="nvidia-ctk cdi list",
        source="https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/cdi-support.html",
    ),
    signature(
        "image-without-driver",
        r"the nvidia driver was not detected\. +gpu functionality will not be available",
        needles=("driver was not detected",),
        meaning="The image was started without access to the host's GPU.",
        causes={"container-no-gpu-flag": 0.85, "ctk-missing": 0.3, "ctk-not-configured": 0.2},
        ask="docker inspect -f '{{.HostConfig.DeviceRequests}}' CONTAINER",
        source=_INSTALL,
    ),
    signature(
        "image-needs-newer-driver",
        r"this container was built for nvidia driver release",
        needles=("built for nvidia driver release",),
        meaning="The image was made for a newer driver than the one of this host.",
        causes={"driver-too-old": 0.85},
        ask="nvidia-smi",
        source="https://docs.nvidia.com/deeplearning/frameworks/support-matrix/index.html",
    ),
    signature(
        "image-shm-note",
        r"shmem allocation limit is set to the default of 64 ?mb",
        needles=("shmem allocation limit",),
        meaning="The container has only 64 MiB of shared memory, which its image says is too little.",
        causes={"container-shm-small": 0.6},
        ask="df -h /dev/shm",
        source="https://docs.nvidia.com/deeplearning/frameworks/user-guide/index.html",
    ),
)
