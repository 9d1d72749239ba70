"""The installed distributions of a real folder, whole and broken."""

import json
import os
import subprocess
import sys
import time

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import encode
from gpudoctor.facts.python import Interpreter, Package, Packages, Unmet
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.host.real import RealHost
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.packages import probe as packages
from gpudoctor.probes.packages.conda import parse_channel, parse_meta_name
from gpudoctor.probes.packages.metadata import list_distributions, parse_direct_url, parse_headers
from gpudoctor.sources.package_names import Entry, is_relevant, normalise, parse_entry
from tests.probes.site_folder import install


def interpreter(*sites, **changes):
    facts = {
        "executable": "/env/bin/python",
        "chosen_by": "--python",
        "version": "3.12.4",
        "implementation": "cpython",
        "platform": "linux-x86_64",
        "site_dirs": tuple(str(site) for site in sites),
    }
    return Interpreter(**{**facts, **changes})


def look(*sites, **changes):
    seen = packages.probe(RealHost(), interpreter(*sites, **changes))
    assert isinstance(seen, Packages), seen
    return seen


@pytest.mark.parametrize(
    ("file", "entry"),
    [
        ("torch-2.6.0+cu124.dist-info", ("torch", "2.6.0+cu124", "dist-info")),
        ("nvidia_cudnn_cu12-9.1.0.70.dist-info", ("nvidia-cudnn-cu12", "9.1.0.70", "dist-info")),
        ("Some.Odd_Name-1.0rc1.dist-info", ("some-odd-name", "1.0rc1", "dist-info")),
        ("name-with-dashes-1.0.dist-info", ("name-with-dashes", "1.0", "dist-info")),
        ("torch.dist-info", ("torch", None, "dist-info")),
        ("numpy-1.24.2-py3.11.egg-info", ("numpy", "1.24.2", "egg-info")),
        ("numpy-1.24.2.egg-info", ("numpy", "1.24.2", "egg-info")),
        ("torch.egg-info", ("torch", None, "egg-info")),
        ("foo_bar-1.0_1-py3.6-linux-x86_64.egg", ("foo-bar", "1.0_1", "egg")),
        (".dist-info", ("", None, "dist-info")),
        ("torch", None),
        ("torch.libs", None),
        ("", None),
    ],
)
def test_names_of_metadata_folders(file, entry):
    parsed = parse_entry(file)
    assert (parsed and (parsed.name, parsed.version, parsed.kind)) == entry
    assert parsed is None or isinstance(parsed, Entry)


@pytest.mark.parametrize(
    ("name", "relevant"),
    [
        *((name, True) for name in (
            "torch", "torchvision", "torchaudio", "triton", "pytorch-triton", "tensorflow", "tensorflow-cpu",
            "tensorflow-gpu", "tf-nightly", "keras", "keras-nightly", "tf-keras", "jax", "jaxlib", "jax-cuda12-plugin",
            "jax-cuda13-pjrt", "nvidia-cudnn-cu12", "nvidia-nccl-cu13", "cuda-toolkit", "cuda-bindings", "cupy-cuda12x",
            "onnxruntime", "onnxruntime-gpu", "flash-attn", "xformers", "bitsandbytes", "numpy", "protobuf",
            "ml-dtypes",
            "numba", "numba-cuda", "tensorrt", "tensorrt-cu12", "vllm", "deepspeed", "torch-tensorrt", "triton-windows",
        )),
        *((name, False) for name in (
            "requests", "pip", "setuptools", "numpydoc", "jaxtyping", "kerastuner", "tritonclient", "protobuf3",
            "tensorboard", "cudatext", "pandas", "",
        )),
    ],
)  # fmt: skip
def test_what_is_looked_into(name, relevant):
    assert is_relevant(name) is relevant


def test_normalise():
    assert normalise("Flash__Attn.x-Y") == "flash-attn-x-y"


@pytest.mark.parametrize(
    ("text", "version", "requires"),
    [
        ("Name: x\nVersion: 1.0\nRequires-Dist: a\nRequires-Dist: b; extra == 'c'\n", "1.0", ("a", "b; extra == 'c'")),
        ("Name: x\r\nVersion: 1.0\r\nRequires-Dist: a\r\n\r\nVersion: 2.0\r\n", "1.0", ("a",)),
        ("Name: x\n\nVersion: 1.0\n", None, ()),
        ("version:1.0", "1.0", ()),
        ("Version:\nRequires-Dist: \n", None, ()),
        ("", None, ()),
        ("\x00\x00", None, ()),
    ],
)
def test_headers(text, version, requires):
    headers = parse_headers(text)
    assert (headers.version, headers.requires) == (version, requires)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ('{"url": "file:///src/pytorch", "dir_info": {"editable": true}}', "file:///src/pytorch"),
        ('{"url": "https://user:secret@host/x.whl?token=secret"}', "https://host/x.whl"),
        ('{"url": "git+ssh://git@github.com/a/b"}', "git+ssh://github.com/a/b"),
        ("{}", None),
        ("", None),
        ("[" * 100_000, None),
    ],
)
def test_direct_url(text, url):
    assert parse_direct_url(text) == url


def test_a_whole_environment(tmp_path):
    env, user = tmp_path / "env", tmp_path / "user"
    install(env, "torch", "2.6.0+cu124", requires=["filelock", 'numpy<2; python_version < "3.13"'], installer="uv")
    install(env, "numpy", "2.1.0", extra={"direct_url.json": '{"url": "file:///src/numpy"}'})
    install(env, "requests", "2.32.0", installer="pip")
    install(user, "torch", "1.13.0", requires=["anything"])
    install(user, "filelock", "3.0")
    seen = look(env, user, user_site=str(user))
    assert seen.find("torch") == Package(name="torch", version="2.6.0+cu124", location=str(env), installer="uv")
    numpy = Package(name="numpy", version="2.1.0", location=str(env), installer="pip", direct_url="file:///src/numpy")
    assert seen.find("numpy") == numpy
    filelock = Package(name="filelock", version="3.0", location=str(user), user_site=True, installer="pip")
    assert seen.find("filelock") == filelock, "what torch needs is looked at more closely"
    assert [(package.version, package.user_site) for package in seen.duplicates] == [("1.13.0", True)]
    assert seen.unmet == (Unmet(package="torch", requirement="numpy", wanted="<2", found="2.1.0"),)
    assert seen.broken == ()


@pytest.mark.parametrize(
    ("requires", "conflict"),
    [
        (["numpy<2.1"], "<2.1"),
        (["Numpy (>=1.22,<2.1)"], ">=1.22,<2.1"),
        (["numpy<2.1 ; python_version >= '3.8'"], "<2.1"),
        (["numpy<2.1 ; python_version < '3.8'"], None),
        (["numpy<2.1 ; extra == 'test'"], None),
        (["numpy<2.1 ; who knows"], None),
        (["numpy<what"], None),
        (["numpy"], None),
    ],
)
def test_what_other_packages_require(tmp_path, requires, conflict):
    install(tmp_path, "llvm", "0.60.0", requires=requires)
    install(tmp_path, "pandas", "2.2.0", requires=["numpy>=1.26"], installer="uv")
    install(tmp_path, "numpy", "2.4.6")
    expected = Unmet(package="llvm", requirement="numpy", wanted=conflict or "", found="2.4.6", others=(">=1.26",))
    seen = look(tmp_path)
    assert seen.unmet == ((expected,) if conflict else ())
    assert not conflict or seen.find("llvm").installer == "pip", "whose conflict it is, is asked"


@pytest.mark.parametrize("cut", range(-40, 40, 7))
def test_a_requirement_that_is_cut_off_is_none(tmp_path, cut):
    line = "Requires-Dist: numpy<2.4.6 ; python_version < '3'\n"
    head = "Metadata-Version: 2.1\nName: wide\nVersion: 1\n"
    padding = "Classifier: x\n" * ((16 * 1024 - len(head) - len(line)) // 14)
    spare = 16 * 1024 - len(head) - len(padding) - len(line)
    metadata = head + padding + f"Keywords: {'k' * (spare + cut)}\n" + line + "\nlong"
    install(tmp_path, "wide", "1", metadata=metadata)
    install(tmp_path, "numpy", "2.4.6")
    assert look(tmp_path).unmet == ()


def test_two_metadata_folders_of_one_name_the_later_one_counts(tmp_path):
    new = install(tmp_path, "torch", "2.5.0")
    old = install(tmp_path, "torch", "2.6.0")
    os.utime(old, (1_000, 1_000))
    os.utime(new, (2_000, 2_000))
    seen = look(tmp_path)
    assert [package.version for package in seen.installed] == ["2.5.0"]
    assert [package.version for package in seen.duplicates] == ["2.6.0"]


def broken_environment(site):
    install(site, "torchvision", "0.21.0")
    (install(site, "torch", "2.6.0") / "METADATA").unlink()
    install(site, "triton", "3.2.0", metadata="")
    install(site, "keras", "3.0", metadata="Name: keras\n\nno version\n")
    (site / "jax.dist-info").mkdir()
    (site / "gone-1.0.dist-info").symlink_to("/nowhere/gone-1.0.dist-info")
    (install(site, "linked", "1.0") / "METADATA").unlink()
    (site / "linked-1.0.dist-info" / "METADATA").symlink_to("/nowhere/METADATA")
    (install(site, "numpy", "1.0") / "METADATA").unlink()
    (site / "numpy-1.0.dist-info" / "METADATA").mkdir()
    (site / "~orch-2.5.0.dist-info").mkdir()
    (site / "~orch").mkdir()
    install(site, "xformers", "1.0", metadata="\x00\xff binary")
    (install(site, "jaxlib", "1.0") / "METADATA").write_bytes(b"Version: 0.5\nName: \xff\xfe\n")


def test_broken_metadata_is_named_and_the_rest_goes_on(tmp_path):
    broken_environment(tmp_path)
    seen = look(tmp_path)
    reasons = {os.path.relpath(broken.path, tmp_path): broken.reason for broken in seen.broken}
    assert reasons == {
        "torch-2.6.0.dist-info/METADATA": "it is missing",
        "triton-3.2.0.dist-info/METADATA": "it is empty",
        "keras-3.0.dist-info/METADATA": "it says no version",
        "jax.dist-info/METADATA": "it is missing",
        "gone-1.0.dist-info/METADATA": "it is a link to /nowhere/gone-1.0.dist-info, which does not exist",
        "linked-1.0.dist-info/METADATA": "it is a link to /nowhere/METADATA, which does not exist",
        "numpy-1.0.dist-info/METADATA": "it is a directory",
        "~orch": "left over from an uninstall by pip that was interrupted",
        "~orch-2.5.0.dist-info": "left over from an uninstall by pip that was interrupted",
        "xformers-1.0.dist-info/METADATA": "it says no version",
    }
    versions = {package.name: package.version for package in seen.installed}
    assert versions["torchvision"] == "0.21.0"
    assert versions["torch"] == "2.6.0"
    assert versions["jaxlib"] == "0.5"
    assert "jax" not in versions


@pytest.mark.parametrize("size", [100, 16 * 1024, 60 * 1024])
def test_what_is_required_is_read_behind_a_long_licence(tmp_path, size):
    """SciPy 1.11 has its whole licence in the headers, folded, before what it requires."""
    licence = "License: ours\n" + "        of so many words\n        \n" * (size // 34)
    metadata = f"Metadata-Version: 2.1\nName: scipy\nVersion: 1.11.4\n{licence}Requires-Dist: numpy<1.28\n\nText\n"
    install(tmp_path, "scipy", "1.11.4", metadata=metadata)
    (found,) = list_distributions(RealHost(), (str(tmp_path),)).found
    assert found.requires == ("numpy<1.28",)


def test_no_permission(tmp_path):
    gaps = {
        "/a/torch-2.6.0.dist-info/METADATA": "permission denied",
        "/a/six-1.0.dist-info/METADATA": "permission denied",
        "/b": "permission denied",
    }
    host = RecordedHost({"/a/numpy-2.0.dist-info/METADATA": "Version: 2.0\n"}, gaps=gaps)
    seen = packages.probe(host, interpreter("/a", "/b"))
    assert isinstance(seen, Packages)
    assert {broken.path: broken.reason for broken in seen.broken} == gaps
    assert [package.name for package in seen.installed] == ["numpy", "six", "torch"]
    alone = packages.probe(host, interpreter("/b"))
    assert isinstance(alone, Gap)
    assert alone.reason == "no folder of packages could be read: permission denied"


def test_a_folder_another_user_shut(tmp_path):
    """As a user whom permissions bind, which root is not."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    install(tmp_path, "torch", "2.6.0")
    install(tmp_path, "numpy", "2.0")
    os.chmod(tmp_path / "torch-2.6.0.dist-info", 0)
    code = (
        "import os, sys; sys.path[:0] = eval(sys.argv[2]); from gpudoctor.host.real import RealHost\n"
        "from gpudoctor.probes.packages import probe as packages; import tests.probes.test_packages as here\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "seen = packages.probe(RealHost(), here.interpreter(sys.argv[1]))\n"
        "print([package.name for package in seen.installed], [broken.reason for broken in seen.broken])"
    )
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and folder.stat().st_mode & 0o005 != 0o005 and "pytest" in str(folder):
            os.chmod(folder, 0o755)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), repr([os.getcwd(), *sys.path])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "['numpy', 'torch'] ['permission denied']"


def test_a_name_in_another_encoding_can_still_be_written(tmp_path):
    os.mkdir(os.fsencode(tmp_path) + b"/caf\xe9-1.0.dist-info")
    install(tmp_path, "torch", "2.6.0")
    seen = look(tmp_path)
    assert {package.name for package in seen.installed} == {"caf\ufffd", "torch"}
    assert [broken.reason for broken in seen.broken] == ["it is missing"]
    assert encode(Snapshot(packages=seen))


def test_nothing_installed(tmp_path):
    assert look(tmp_path) == Packages(files_checked=0, files_known=0)
    assert look() == Packages(files_checked=0, files_known=0)


def test_eggs(tmp_path):
    (tmp_path / "numpy-1.24.2.egg-info").write_text("Name: numpy\nVersion: 1.24.2\n")
    (tmp_path / "torch.egg-info").mkdir()
    (tmp_path / "torch.egg-info" / "PKG-INFO").write_text("Name: torch\nVersion: 2.7.0a0+git1234\n")
    (tmp_path / "six-1.0-py3.11.egg" / "EGG-INFO").mkdir(parents=True)
    (tmp_path / "six-1.0-py3.11.egg" / "EGG-INFO" / "PKG-INFO").write_text("Version: 1.0\n")
    (tmp_path / "mine.egg-info").mkdir()
    (tmp_path / "mine.egg-info" / "PKG-INFO").write_text("Name: mine\nVersion: 0.1\n")
    seen = look(tmp_path)
    versions = {package.name: package.version for package in seen.installed}
    assert versions == {"numpy": "1.24.2", "torch": "2.7.0a0+git1234", "six": "1.0", "mine": "0.1"}
    assert seen.broken == ()


@pytest.mark.timed
def test_five_thousand_distributions_in_little_time(tmp_path):
    for number in range(5_000):
        info = tmp_path / f"package_{number}-1.{number}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("x")
    install(tmp_path, "torch", "2.6.0")
    times = []
    for _ in range(3):
        start = time.process_time()
        seen = look(tmp_path)
        times.append(time.process_time() - start)
    assert len(seen.installed) == 5_001
    assert min(times) < 0.150


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("pytorch-2.5.1-cuda126_py312h1763f6d_306.json", ("pytorch", "2.5.1", "cuda126_py312h1763f6d_306")),
        ("cuda-version-12.6-h7480c83_3.json", ("cuda-version", "12.6", "h7480c83_3")),
        ("_libgcc_mutex-0.1-main.json", ("-libgcc-mutex", "0.1", "main")),
        ("history", None),
        ("x.json", None),
        ("a-b.json", None),
    ],
)
def test_names_of_conda_packages(file, expected):
    package = parse_meta_name(file)
    assert (package and (package.name, package.version, package.build)) == expected


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ('{"channel": "https://conda.anaconda.org/conda-forge/linux-64"}', "conda-forge"),
        ('{"channel": "https://conda.anaconda.org/conda-forge/noarch/"}', "conda-forge"),
        ('{"channel": "https://repo.anaconda.com/pkgs/main/linux-64"}', "pkgs/main"),
        ('{"channel": "https://conda.anaconda.org/t/tk-1234-secret/private/linux-64"}', "private"),
        ('{"channel": "https://user:secret@conda.host.org/gpu/win-64"}', "conda.host.org/gpu"),
        ('{"channel": "https://host.org/gpu/osx-arm64?token=secret"}', "host.org/gpu"),
        ('{"channel": "conda-forge"}', "conda-forge"),
        ('{"channel": ""}', None),
        ("{}", None),
    ],
)
def test_channel(text, channel):
    assert parse_channel(text) == channel
    assert "secret" not in (channel or "")


def test_conda(tmp_path):
    site = tmp_path / "lib/python3.12/site-packages"
    install(site, "torch", "2.5.1", installer="conda", files={"torch/a.so": "x"})
    (site / "torch" / "a.so").write_text("changed by conda after RECORD was written")
    install(site, "numpy", "2.0", installer="pip")
    meta = tmp_path / "conda-meta"
    meta.mkdir()
    channel = json.dumps({"channel": "https://conda.anaconda.org/conda-forge/linux-64"})
    names = ("pytorch-2.5.1-cuda126_py312_306", "numpy-1.26.4-py312_0", "cuda-version-12.6-h74_3", "cpuonly-2.0-0")
    for name in (*names, "zlib-1.3-h1_0"):
        (meta / f"{name}.json").write_text(channel)
    (meta / "history").write_text("")
    seen = look(site, prefix=str(tmp_path))
    found = {(p.name, p.version, p.installer, p.build, p.channel) for p in seen.installed}
    assert found == {
        ("torch", "2.5.1", "conda", "cuda126_py312_306", "conda-forge"),
        ("numpy", "2.0", "pip", None, None),
        ("pytorch", "2.5.1", "conda", "cuda126_py312_306", "conda-forge"),
        ("cuda-version", "12.6", "conda", "h74_3", "conda-forge"),
        ("cpuonly", "2.0", "conda", "0", "conda-forge"),
    }
    assert seen.damaged == ()
