"""RECORD against the disk: shared, missing and changed files."""

import os

import pytest

from gpudoctor.facts.python import Damage, Interpreter
from gpudoctor.host.real import RealHost
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.packages import probe as packages
from gpudoctor.probes.packages.records import Record, Row, find_damage, find_foreign, is_library, parse_row, read_record
from tests.probes.site_folder import install
from tests.probes.test_packages import interpreter, look


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (b"torch/lib/a.so,sha256=abc,12", ("torch/lib/a.so", "sha256=abc", 12)),
        (b"torch/a.py,sha256=abc,12\r", ("torch/a.py", "sha256=abc", 12)),
        (b"torch/a.py,,12", ("torch/a.py", "", 12)),
        (b"torch/__pycache__/a.pyc,,", None),
        (b'"torch/a,b.py",sha256=abc,12', None),
        (b"torch/a.py", None),
        (b"torch/a.py,sha256=abc,-1", None),
        (b"", None),
        (b"\xff,sha256=abc,1", ("\ufffd", "sha256=abc", 1)),
    ],
)
def test_rows(line, row):
    assert parse_row(line) == (row and Row(*row))


@pytest.mark.parametrize(
    ("path", "library"),
    [
        ("torch/lib/libtorch.so", True),
        ("nvidia/cudnn/lib/libcudnn.so.9", True),
        ("torch/_C.cpython-312-x86_64-linux-gnu.so", True),
        ("torch/lib/c10.dll", True),
        ("torch/_C.pyd", True),
        ("torch/a.py", False),
        ("torch.so.d/readme", False),
        ("torch/also.py", False),
    ],
)
def test_libraries(path, library):
    assert is_library(path) is library


def cudnn(byte, sizes, version):
    """The files of a cuDNN wheel: two libraries, a header that all releases share, and one that tells them apart."""
    return {
        "nvidia/__init__.py": "",
        "nvidia/cudnn/lib/libcudnn.so.9": byte * sizes[0],
        "nvidia/cudnn/lib/libcudnn_ops.so.9": byte * sizes[1],
        "nvidia/cudnn/include/same.h": "same",
        "nvidia/cudnn/include/v.h": version,
    }


CUDNN_12 = cudnn(b"x", (100, 30), "9.3.0")
CUDNN_13 = cudnn(b"y", (120, 40), "9.2.0")


@pytest.mark.parametrize("last", ["nvidia-cudnn-cu12", "nvidia-cudnn-cu13"])
def test_two_distributions_own_the_same_files(last, tmp_path):
    both = [("nvidia_cudnn_cu12", "9.3.0.75", CUDNN_12), ("nvidia_cudnn_cu13", "9.2.0.11", CUDNN_13)]
    for name, version, files in both if last.endswith("13") else both[::-1]:
        install(tmp_path, name, version, files)
    install(tmp_path, "nvidia_nccl_cu12", "2.0", {"nvidia/__init__.py": "", "nvidia/nccl/lib/libnccl.so.2": "n"})
    seen = look(tmp_path)
    (overlap,) = seen.overlaps
    assert {overlap.first, overlap.second} == {"nvidia-cudnn-cu12", "nvidia-cudnn-cu13"}
    assert (overlap.files, overlap.differing, overlap.on_disk) == (5, 3, last)
    assert overlap.example == str(tmp_path / "nvidia/cudnn/lib/libcudnn.so.9")
    assert seen.damaged == ()


def test_removing_one_of_them_leaves_holes_in_the_other(tmp_path):
    install(tmp_path, "nvidia_cudnn_cu12", "9.3.0.75", CUDNN_12)
    for path in CUDNN_12:
        (tmp_path / path).unlink()
    seen = look(tmp_path)
    assert seen.overlaps == ()
    missing = {damage.path for damage in seen.damaged if damage.found is None}
    assert {str(tmp_path / path) for path in CUDNN_12 if is_library(path)} <= missing


def test_neither_owner_wrote_the_files(tmp_path):
    install(tmp_path, "onnxruntime", "1.20", {"onnxruntime/a.so": b"1" * 10})
    install(tmp_path, "onnxruntime_gpu", "1.20", {"onnxruntime/a.so": b"2" * 20})
    (tmp_path / "onnxruntime/a.so").write_bytes(b"3" * 30)
    (overlap,) = look(tmp_path).overlaps
    assert overlap.on_disk is None


def test_builds_of_one_module_share_most_of_their_files(tmp_path):
    files = {f"cv2/{name}.py": name for name in "abcd"}
    install(tmp_path, "opencv_python", "4.10", {**files, "cv2/cv2.so": "1"})
    install(tmp_path, "opencv_python_headless", "4.9", {**files, "cv2/cv2.so": "22"})
    install(tmp_path, "opencv_extras", "1", {"cv2/a.py": "other", "cv2/x.py": "", "cv2/y.py": "", "cv2/z.py": ""})
    found = {(one.first, one.second): one.most for one in look(tmp_path).overlaps}
    assert found["opencv-python", "opencv-python-headless"]
    assert not found["opencv-extras", "opencv-python"]


def test_three_owners_are_three_pairs(tmp_path):
    for number, name in enumerate(("tensorflow", "tensorflow_cpu", "tf_nightly")):
        install(tmp_path, name, "2.20.0", {"tensorflow/a.py": "x" * number})
    pairs = {(overlap.first, overlap.second) for overlap in look(tmp_path).overlaps}
    assert pairs == {("tensorflow", "tensorflow-cpu"), ("tensorflow", "tf-nightly"), ("tensorflow-cpu", "tf-nightly")}


@pytest.mark.parametrize(
    "files",
    [
        {"tests/__init__.py": "1", "LICENSE": "1"},
        {"../../../bin/tool": "1"},
    ],
)
def test_litter_is_no_overlap(files, tmp_path):
    site = tmp_path / "lib/python3.12/site-packages"
    install(site, "torch", "2.6.0", {**files, "torch/a.py": ""})
    install(site, "keras", "3.0", {**dict.fromkeys(files, "22"), "keras/a.py": ""})
    assert look(site).overlaps == ()


def test_the_same_name_in_two_folders_is_no_overlap(tmp_path):
    install(tmp_path / "a", "torch", "2.6.0", {"torch/a.py": "1"})
    install(tmp_path / "b", "torch", "2.5.0", {"torch/a.py": "22"})
    seen = look(tmp_path / "a", tmp_path / "b")
    assert seen.overlaps == ()
    assert seen.damaged == ()
    assert len(seen.duplicates) == 1


def test_top_level_txt_is_believed(tmp_path):
    install(tmp_path, "torch", "2.6.0", {"torch/a.py": "1"}, extra={"top_level.txt": "torch\nfunctorch\n"})
    install(tmp_path, "torch_nightly", "2.7.0", {"torch/a.py": "22"}, extra={"top_level.txt": "torch\n"})
    assert len(look(tmp_path).overlaps) == 1


def test_damage(tmp_path):
    install(
        tmp_path, "torch", "2.6.0", {"torch/lib/libtorch.so": "whole", "torch/_C.so": "whole", "torch/a.py": "whole"}
    )
    (tmp_path / "torch/lib/libtorch.so").write_text("cut")
    (tmp_path / "torch/_C.so").unlink()
    seen = look(tmp_path)
    assert set(seen.damaged) == {
        Damage(package="torch", path=str(tmp_path / "torch/lib/libtorch.so"), expected=5, found=3),
        Damage(package="torch", path=str(tmp_path / "torch/_C.so"), expected=5, found=None),
    }
    assert (seen.files_checked, seen.files_known) == (3, 3)


def test_every_library_is_compared_and_some_of_the_rest(tmp_path):
    libraries = {f"torch/lib/lib{number}.so.1": "x" for number in range(700)}
    modules = {f"torch/m{number}.py": "x" for number in range(3_000)}
    install(tmp_path, "torch", "2.6.0", {**libraries, **modules})
    (tmp_path / "torch/lib/lib699.so.1").write_text("xx")
    seen = look(tmp_path)
    assert [damage.found for damage in seen.damaged] == [2]
    assert 700 + 100 < seen.files_checked < 700 + 400
    assert seen.files_known == 3_700


def test_a_package_without_its_files_does_not_flood_the_report(tmp_path):
    install(tmp_path, "torch", "2.6.0", {f"torch/lib{number}.so": "x" for number in range(500)})
    for path in (tmp_path / "torch").iterdir():
        path.unlink()
    seen = look(tmp_path)
    assert len(seen.damaged) == 100
    assert seen.files_checked == 500


def test_all_that_is_missing_is_counted(tmp_path):
    """A sample says that files are gone; how many is asked of all."""
    install(tmp_path, "torch", "2.6.0", {f"torch/{part}/m{n}.py": "x" for part in ("a", "nn") for n in range(1_000)})
    for path in list((tmp_path / "torch/nn").iterdir())[:60]:
        path.unlink()
    assert len(look(tmp_path).damaged) == 60


@pytest.mark.parametrize(("also", "damaged"), [((), 0), (("numpy/part/more.py",), 2)])
def test_an_empty_file_that_alone_is_gone_is_no_damage(tmp_path, also, damaged):
    install(
        tmp_path, "numpy", "2.2.0", {"numpy/__init__.py": "x", "numpy/part/__init__.py": "", "numpy/part/more.py": "y"}
    )
    for path in ("numpy/part/__init__.py", *also):
        (tmp_path / path).unlink()
    assert len(look(tmp_path).damaged) == damaged


def test_compiled_files_are_no_damage(tmp_path):
    """A wheel may list them; a later Python writes them anew."""
    install(tmp_path, "torch", "2.6.0", {"torch/a.py": "x", "torch/__pycache__/a.cpython-311.pyc": "x"})
    (tmp_path / "torch/__pycache__/a.cpython-311.pyc").write_text("another")
    assert look(tmp_path).damaged == ()


@pytest.mark.parametrize("installer", ["conda", "rpm", "Debian"])
def test_installers_that_change_files_after_record(installer, tmp_path):
    install(tmp_path, "torch", "2.6.0", {"torch/a.so": "x"}, installer=installer)
    (tmp_path / "torch/a.so").write_text("stripped and with another RPATH")
    seen = look(tmp_path)
    assert (seen.damaged, seen.files_known) == ((), 0)


@pytest.mark.parametrize(
    "record",
    ["", "\n\n\n", "torch/a.py", ",,\n", "\x00" * 100, "torch/a.so,sha256=x,99999999999999999999\n", "a\r\nb\r\n"],
)
def test_a_record_that_makes_no_sense(record, tmp_path):
    (install(tmp_path, "torch", "2.6.0") / "RECORD").write_text(record)
    (install(tmp_path, "torchvision", "0.2") / "RECORD").write_text(record)
    seen = look(tmp_path)
    assert {package.name for package in seen.installed} == {"torch", "torchvision"}


def test_no_record_at_all(tmp_path):
    (install(tmp_path, "torch", "2.6.0", {"torch/a.so": "x"}) / "RECORD").unlink()
    assert look(tmp_path).files_known == 0


def test_a_file_that_may_not_be_looked_at_is_not_damaged(tmp_path):
    install(tmp_path, "torch", "2.6.0", {"torch/a.so": "x"})

    class Shut(RealHost):
        def stat(self, path):
            return self.read("/") if path.endswith(".so") else super().stat(path)

    seen = packages.probe(Shut(), interpreter(tmp_path))
    assert (seen.damaged, seen.files_checked) == ((), 0)


def heavy_environment():
    """An environment with TensorFlow 2.20 and a torch of CUDA 13, named by the variable the full tests are given."""
    folder = os.environ.get("GPUDOCTOR_TEST_ENVS")
    path = os.path.join(folder, "tf220torch") if folder else ""
    return path if os.path.isdir(path) else None


@pytest.mark.full
@pytest.mark.skipif(heavy_environment() is None, reason="GPUDOCTOR_TEST_ENVS has no tf220torch")
def test_tensorflow_and_torch_as_pip_resolves_them():
    from gpudoctor.probes.target import probe as target

    host = RealHost()
    seen = packages.probe(host, target.probe(host, target.choose(host, heavy_environment())))
    pairs = {(overlap.first, overlap.second) for overlap in seen.overlaps}
    assert ("nvidia-cudnn-cu12", "nvidia-cudnn-cu13") in pairs
    assert seen.damaged == ()
    assert seen.unmet == ()


def test_an_emptied_init_of_a_package_is_found(tmp_path):
    """It is one of thousands of lines, and without it the package imports and has nothing."""
    site = tmp_path / "site"
    (site / "torch" / "many").mkdir(parents=True)
    lines = ["torch/__init__.py,sha256=x,90000"]
    for number in range(3000):
        (site / "torch" / "many" / f"m{number}.py").write_bytes(b"x" * 10)
        lines.append(f"torch/many/m{number}.py,sha256=x,10")
    (site / "torch" / "__init__.py").write_bytes(b"")
    for order in (lines, lines[::-1]):
        raw = "\n".join(order).encode() + b"\n"
        record = Record(
            package="torch", location=str(site), folder="torch-2.6.0.dist-info", raw=raw, libraries=(), sized=len(order)
        )
        damages, _ = find_damage(RealHost(), [record])
        assert [(one.path.rpartition("/")[2], one.found) for one in damages] == [("__init__.py", 0)]


@pytest.mark.parametrize(
    ("raw", "installer", "reason"),
    [
        (None, "pip", "it is missing"),
        (None, "uv", "it is missing"),
        (None, "conda", None),
        (None, None, None),
        (b"", "pip", "it is empty"),
        (b"numpy/__init__.py,sha256=abc,12\n\xff\x00\xfe,,,garb", "pip", "it is no text"),
    ],
)
def test_a_record_without_which_pip_cannot_uninstall(raw, installer, reason, tmp_path):
    info = install(tmp_path, "numpy", "2.4.6", {"numpy/__init__.py": "x"}, installer=installer)
    record = info / "RECORD"
    record.unlink()
    if raw is not None:
        record.write_bytes(raw)
    seen = look(tmp_path)
    assert [(one.path, one.reason) for one in seen.broken] == ([(str(record), reason)] if reason else [])
    assert not seen.damaged, "what cannot be read says nothing of the files"


def test_a_folder_of_a_package_that_is_gone(tmp_path):
    """Its files may all lie between those of the sample."""
    many = {f"torch/many/{number:04}.py": "x" for number in range(3000)}
    install(tmp_path, "torch", "2.6.0", many, requires=["h5py"])
    files = {f"h5py/tests/{number}.py": "x" for number in range(50)}
    files |= {"h5py/__init__.py": "x", "h5py/_hl/__init__.py": "x", "h5py/_hl/files.py": "x", "h5py/version.py": "x"}
    install(tmp_path, "h5py", "3.14.0", files)
    for path in (tmp_path / "h5py" / "_hl").iterdir():
        path.unlink()
    assert {one.path for one in look(tmp_path).damaged} == {
        str(tmp_path / "h5py" / "_hl" / name) for name in ("__init__.py", "files.py")
    }


@pytest.mark.parametrize("newer", ["1.24.4", "2.4.6"])
@pytest.mark.parametrize("other", [{}, {"numpy/core.py": "old"}])
def test_the_record_of_another_release_beside_that_of_the_files(newer, other, tmp_path):
    for version, files in (("1.24.4", other), ("2.4.6", {"numpy/__init__.py": "x", "numpy/core.py": "new, longer"})):
        info = install(tmp_path, "numpy", version, files)
        os.utime(info, (1, 2 if version == newer else 1))
    seen = look(tmp_path)
    assert seen.find("numpy").version == "2.4.6"
    (left,) = seen.broken
    assert left.path == str(tmp_path / "numpy-1.24.4.dist-info")


@pytest.mark.parametrize(
    ("modules", "tags", "changes", "python"),
    [
        (["numpy/_core/_umath.cpython-310-x86_64-linux-gnu.so"], ["cp310-cp310-manylinux"], {}, "3.10"),
        (["numpy/_umath.cpython-37m-x86_64-linux-gnu.so"], ["cp37-cp37m-manylinux1"], {}, "3.7"),
        (["numpy/_umath.cpython-312-x86_64-linux-gnu.so"], ["cp312-cp312-x"], {"free_threaded": True}, "3.12"),
        (["numpy/_umath.cpython-312t-x86_64-linux-gnu.so"], ["cp312-cp312t-x"], {}, "3.12t"),
        # For this Python, also beside another one's; for all of them.
        (["numpy/_umath.cpython-312-x86_64-linux-gnu.so"], ["cp312-cp312-manylinux"], {}, None),
        (["numpy/a.cpython-310-x-y.so", "numpy/a.cpython-312-x-y.so"], ["cp310-cp310-x"], {}, None),
        (["numpy/a.cpython-310-x-y.so", "numpy/b.abi3.so"], ["cp310-abi3-x"], {}, None),
        (["numpy/_umath.so"], ["cp310-cp310-manylinux"], {}, None),
        # What its parts for others are good for is not known; what its wheel does not say is not sure.
        (["numpy/a.cpython-39-x-y.so", "numpy/a.cpython-310-x-y.so"], ["py3-none-any"], {}, None),
        (["numpy/a.cpython-310-x-y.so"], ["py3-none-any"], {}, None),
        (["numpy/a.cpython-310-x-y.so"], None, {}, None),
        (["numpy/a.cpython-310-x-y.so"], ["cp310-cp310-x"], {"implementation": "pypy"}, None),
        (["numpy/a.cpython-310-x-y.so"], ["cp310-cp310-x"], {"version": None}, None),
    ],
)
def test_modules_for_another_python(modules, tags, changes, python, tmp_path):
    wheel = {"WHEEL": "Wheel-Version: 1.0\n" + "".join(f"Tag: {tag}\n" for tag in tags)} if tags else None
    install(tmp_path, "numpy", "2.2.0", {"numpy/__init__.py": "x", **dict.fromkeys(modules, "y")}, extra=wheel)
    seen = look(tmp_path, **changes).foreign
    assert [(one.package, one.path, one.python) for one in seen] == (
        [("numpy", str(tmp_path / modules[0]), python)] if python else []
    )


def test_a_module_for_another_python_on_windows():
    folder, module = r"C:\site\numpy-2.2.0.dist-info", r"C:\site\numpy/_umath.cp310-win_amd64.pyd"
    record = "numpy/_umath.cp310-win_amd64.pyd,sha256=x,1\n"
    files = {rf"{folder}\RECORD": record, rf"{folder}\WHEEL": "Tag: cp310-cp310-win_amd64\n", module: "y"}
    host = RecordedHost(files, platform="win32")
    found = read_record(host, "numpy", r"C:\site", "numpy-2.2.0.dist-info", "pip")
    assert isinstance(found, Record)
    target = Interpreter(executable="python", chosen_by="own", implementation="cpython", version="3.12.1")
    assert [one.python for one in find_foreign(host, [found], target)] == ["3.10"]
