"""The values of environment markers (PEP 508) in the target, which is another interpreter than ours."""

from gpudoctor.facts.python import Interpreter

_SYSTEMS = {"linux": "Linux", "win32": "Windows", "darwin": "Darwin"}
_MACHINES = {"win-amd64": "AMD64", "win-arm64": "ARM64", "win32": "x86"}
_IMPLEMENTATIONS = {"cpython": "CPython", "pypy": "PyPy"}


def marker_environment(platform: str, interpreter: Interpreter) -> dict[str, str]:
    """Every marker variable; one that is not known is empty. `platform` is the host's, as sys.platform."""
    version = interpreter.version or ""
    implementation = interpreter.implementation or ""
    return {
        "implementation_name": implementation,
        "implementation_version": version,
        "os_name": "nt" if platform == "win32" else "posix",
        "platform_machine": machine_of(interpreter.platform or ""),
        "platform_python_implementation": _IMPLEMENTATIONS.get(implementation, implementation),
        "platform_release": "",
        "platform_system": _SYSTEMS.get(platform, ""),
        "platform_version": "",
        "python_full_version": version,
        "python_version": ".".join(version.split(".")[:2]),
        "sys_platform": platform,
    }


def machine_of(tag: str) -> str:
    """The machine in a platform tag, as platform.machine() says it: linux-x86_64 is x86_64, win-amd64 AMD64."""
    return _MACHINES.get(tag) or tag.rpartition("-")[2]
