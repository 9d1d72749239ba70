from pathlib import Path

import pytest

from gpudoctor.facts.libraries import Toolkits
from gpudoctor.host.real import RealHost
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.toolkits.probe import parse_wrapper, probe
from gpudoctor.probes.toolkits.version import parse_cuda_h, parse_version_json, parse_version_txt
from tests.probes.site_tree import write

VERSION_JSON = '{"cuda": {"name": "CUDA SDK", "version": "12.4.131"}, "cuda_nvcc": {"version": "12.4.131"}}'


class Root:
    """A machine's file system in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        write(folder, {"usr/bin/placeholder": ""})

    def toolkit(self, where: str, version: str | None = VERSION_JSON, nvcc: bool = True) -> None:
        if version is not None:
            write(self.folder, {f"{where}/version.json": version})
        if nvcc:
            self.program(f"{where}/bin/nvcc")
            (self.folder / where / "nvvm").mkdir(parents=True)

    def program(self, where: str, text: str = "\x7fELF") -> None:
        write(self.folder, {where: text})
        (self.folder / where).chmod(0o755)

    def link(self, where: str, target: str) -> None:
        (self.folder / where).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / where).symlink_to(target)

    def look(self, **env: str) -> Toolkits | None:
        found = probe(RealHost(root=str(self.folder), env={"PATH": "/usr/bin:/usr/local/bin", **env}))
        assert found is None or isinstance(found, Toolkits)
        return found


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path)


def test_nothing_is_none(root: Root) -> None:
    assert root.look() is None


def test_a_compiler_alone_is_no_toolkit(root: Root) -> None:
    root.program("usr/bin/gcc")
    assert root.look() is None


def test_two_toolkits_and_the_default(root: Root) -> None:
    root.toolkit("usr/local/cuda-12.4")
    root.toolkit("usr/local/cuda-11.8", '{"cuda": {"version": "11.8.89"}}')
    root.link("usr/local/cuda", "cuda-12.4")
    found = root.look()
    assert found is not None
    facts = [(one.root, str(one.version), one.full_version, one.is_default, one.origin) for one in found.found]
    assert sorted(facts) == [
        ("/usr/local/cuda-11.8", "11.8", "11.8.89", False, "toolkit"),
        ("/usr/local/cuda-12.4", "12.4", "12.4.131", True, "toolkit"),
    ]
    assert found.nvcc_on_path is None


def test_nvcc_on_path_is_that_of_the_default_toolkit(root: Root) -> None:
    root.toolkit("usr/local/cuda-12.4")
    root.link("usr/local/cuda", "cuda-12.4")
    found = root.look(PATH="/usr/local/cuda/bin:/usr/bin")
    assert found is not None
    assert found.nvcc_on_path == "/usr/local/cuda/bin/nvcc"
    assert len(found.found) == 1


def test_nvcc_elsewhere_brings_its_toolkit(root: Root) -> None:
    root.toolkit("opt/hpc/cuda/12.4")
    found = root.look(PATH="/opt/hpc/cuda/12.4/bin")
    assert found is not None
    assert [(one.root, str(one.version), one.origin) for one in found.found] == [
        ("/opt/hpc/cuda/12.4", "12.4", "other")
    ]


def test_a_script_called_nvcc_is_read_not_run(root: Root) -> None:
    root.toolkit("opt/tools/cuda")
    root.program("usr/local/bin/nvcc", '#!/bin/sh\nexec /opt/tools/cuda/bin/nvcc "$@"\n')
    found = root.look()
    assert found is not None
    assert (found.nvcc_on_path, [one.root for one in found.found]) == ("/usr/local/bin/nvcc", ["/opt/tools/cuda"])


@pytest.mark.parametrize("name", ["CUDA_HOME", "CUDA_PATH"])
def test_a_variable_that_leads_nowhere(root: Root, name: str) -> None:
    found = root.look(**{name: "/usr/local/cuda-9.9"})
    assert found is not None
    assert (found.cuda_home, found.cuda_home_exists, found.found) == ("/usr/local/cuda-9.9", False, ())


def test_a_variable_that_leads_to_another_toolkit(root: Root) -> None:
    root.toolkit("home/me/cuda", '{"cuda": {"version": "12.8.0"}}')
    found = root.look(CUDA_HOME="/home/me/cuda")
    assert found is not None
    assert found.cuda_home_exists is True
    assert [(one.root, str(one.version), one.origin) for one in found.found] == [
        ("/home/me/cuda", "12.8", "environment")
    ]


def test_debian_keeps_its_toolkit_in_the_system(root: Root) -> None:
    write(
        root.folder,
        {"usr/lib/nvidia-cuda-toolkit/bin/cicc": "", "usr/include/cuda.h": "\n#define CUDA_VERSION 11080\n"},
    )
    root.program("usr/bin/nvcc", '#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc "$@"\n')
    root.program("usr/lib/nvidia-cuda-toolkit/bin/nvcc")
    found = root.look()
    assert found is not None
    assert [(one.root, str(one.version), one.origin, one.nvcc) for one in found.found] == [
        ("/usr", "11.8", "system", "/usr/bin/nvcc")
    ]


def test_conda_and_pip_bring_toolkits(root: Root) -> None:
    root.toolkit("conda", '{"cuda": {"version": "12.6.77"}}')
    site = "venv/lib/python3.12/site-packages/nvidia"
    write(root.folder, {f"{site}/cuda_nvcc/include/cuda.h": "#define CUDA_VERSION 12090\n"})
    (root.folder / site / "cuda_nvcc/nvvm").mkdir()
    found = root.look(CONDA_PREFIX="/conda", VIRTUAL_ENV="/venv")
    assert found is not None
    assert [(one.origin, str(one.version)) for one in found.found] == [("conda", "12.6"), ("pip", "12.9")]


def test_a_conda_environment_without_toolkit_is_none(root: Root) -> None:
    write(root.folder, {"conda/bin/python": ""})
    assert root.look(CONDA_PREFIX="/conda") is None


def test_an_old_toolkit_and_one_without_any_version(root: Root) -> None:
    root.toolkit("usr/local/cuda-10.2", None)
    write(root.folder, {"usr/local/cuda-10.2/version.txt": "CUDA Version 10.2.89\n"})
    root.toolkit("usr/local/cuda-99", None)
    found = root.look()
    assert found is not None
    assert [(one.root, one.version and str(one.version), one.full_version) for one in found.found] == [
        ("/usr/local/cuda-10.2", "10.2", "10.2.89"),
        ("/usr/local/cuda-99", None, None),
    ]


@pytest.mark.parametrize(
    ("programs", "links", "files", "env", "expected"),
    [
        (["usr/bin/gcc-12"], {"usr/bin/gcc": "gcc-12"}, {}, {}, ("/usr/bin/gcc", "12")),
        (
            ["usr/bin/x86_64-linux-gnu-gcc-14"],
            {"usr/bin/gcc": "x86_64-linux-gnu-gcc-14"},
            {},
            {},
            ("/usr/bin/gcc", "14"),
        ),
        (["usr/bin/gcc"], {}, {"usr/lib/gcc/x86_64-redhat-linux/15/crtbegin.o": ""}, {}, ("/usr/bin/gcc", "15")),
        (["usr/bin/gcc"], {}, {"usr/lib/gcc/a/14/x": "", "usr/lib/gcc/a/15/x": ""}, {}, ("/usr/bin/gcc", None)),
        (
            ["usr/bin/gcc-11", "usr/bin/gcc-14"],
            {"usr/bin/gcc": "gcc-14"},
            {},
            {"CC": "gcc-11"},
            ("/usr/bin/gcc-11", "11"),
        ),
        (["usr/bin/gcc-14"], {"usr/bin/gcc": "gcc-14"}, {}, {"CC": "ccache gcc"}, ("/usr/bin/gcc", "14")),
        (["usr/bin/clang-17"], {"usr/bin/cc": "clang-17"}, {}, {}, ("/usr/bin/cc", "17")),
        ([], {}, {}, {}, (None, None)),
    ],
)
def test_compiler(
    root: Root,
    programs: list[str],
    links: dict[str, str],
    files: dict[str, str],
    env: dict[str, str],
    expected: tuple[str | None, str | None],
) -> None:
    root.toolkit("usr/local/cuda-12.4")
    write(root.folder, files)
    for path in programs:
        root.program(path)
    for path, target in links.items():
        root.link(path, target)
    found = root.look(**env)
    assert found is not None
    assert (found.compiler, found.compiler_version) == expected


def test_windows() -> None:
    base = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"
    host = RecordedHost(
        {
            f"{base}\\v12.4\\version.json": VERSION_JSON,
            f"{base}\\v12.4\\bin\\nvcc.exe": "MZ",
            f"{base}\\v11.8\\version.json": '{"cuda": {"version": "11.8.0"}}',
        },
        env={"CUDA_PATH": f"{base}\\v12.4"},
        platform="win32",
        cwd="C:\\",
    )
    found = probe(host)
    assert isinstance(found, Toolkits)
    assert [(one.root, str(one.version), one.is_default) for one in found.found] == [
        (f"{base}\\v11.8", "11.8", False),
        (f"{base}\\v12.4", "12.4", True),
    ]
    assert found.cuda_home_exists is True


@pytest.mark.parametrize(
    ("parse", "text", "expected"),
    [
        (parse_version_json, VERSION_JSON, "12.4.131"),
        (parse_version_json, '{"cuda_nvcc": {"version": "13.0.88"}}', "13.0.88"),
        (parse_version_json, "{}", None),
        (parse_version_json, "[", None),
        (parse_version_json, '{"cuda": 1}', None),
        (parse_version_txt, "CUDA Version 10.2.89\n", "10.2.89"),
        (parse_version_txt, "", None),
        (parse_cuda_h, "#define CUDA_VERSION 12040\n", "12.4"),
        (parse_cuda_h, " *  #define  CUDA_VERSION  9020 /* x */", "9.2"),
        (parse_cuda_h, "#define CUDA_VERSION x", None),
        (parse_wrapper, '#!/bin/sh\nexec /opt/cuda/bin/nvcc "$@"', "/opt/cuda/bin/nvcc"),
        (parse_wrapper, "#!/bin/sh\nexec nvcc.real", None),
    ],
)
def test_parse(parse, text: str, expected: str | None) -> None:
    assert parse(text) == expected
