from pathlib import Path

import pytest

from gpudoctor.facts.python import Framework, Frameworks, Package, Packages
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.host.real import RealHost
from gpudoctor.probes.frameworks.extensions import parse_cpp_lib, parse_cxx11_abi
from gpudoctor.probes.frameworks.probe import probe
from gpudoctor.probes.frameworks.site import parse_assignments
from gpudoctor.probes.frameworks.tensorflow import parse_build_info
from gpudoctor.sources.build_tags import cuda_in_name, parse_tag, parse_wheel_tag
from tests.probes.site_tree import interpreter_of, packages_of, write
from tests.probes.test_fatbin import CUBIN, PTX, container, elf, entry

TORCH_VERSION = """from typing import Optional
__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'xpu']
__version__ = '{version}'
debug = False
cuda: Optional[str] = {cuda}
git_version = 'd0f2af8b'
hip: Optional[str] = {hip}
xpu: Optional[str] = {xpu}
"""
BUILD_INFO = (
    '"""Auto-generated."""\nimport collections\n\n'
    "build_info = collections.OrderedDict([('cpu_compiler', 'clang'), ('cuda_compute_capabilities', ['sm_60', "
    "'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True), "
    "('is_rocm_build', False), ('is_tensorrt_build', False)])\n"
)
CPU_BUILD_INFO = "build_info = collections.OrderedDict([('is_cuda_build', False), ('is_rocm_build', False)])\n"
OLD_BUILD_INFO = (
    "is_rocm_build = False\nis_cuda_build = True\ncuda_version_number = '10.0'\ncudnn_version_number = '7'\n"
)
WITH_KERNELS = elf(".nv_fatbin", container(entry(CUBIN, 80), entry(CUBIN, 90), entry(PTX, 90)))


def torch_version(version: str, cuda: str = "None", hip: str = "None", xpu: str = "None") -> str:
    return TORCH_VERSION.format(version=version, cuda=cuda, hip=hip, xpu=xpu)


def look(
    site: Path, *packages: str, platform: str = "linux", arch: str | None = None, **fields: str
) -> Frameworks | None:
    host = RealHost(env={})
    host.platform = platform
    found = probe(host, interpreter_of(site, platform=arch), packages_of(site, *packages, **fields))
    assert found is None or isinstance(found, Frameworks)
    return found


def one(found: Frameworks | None, name: str) -> Framework:
    assert found is not None
    framework = found.get(name)
    assert framework is not None, found
    return framework


def test_no_framework_is_none(tmp_path: Path) -> None:
    assert look(tmp_path, "requests==2.31") is None


@pytest.mark.parametrize(
    ("text", "variant", "cuda"),
    [
        (torch_version("2.15.0+cu132", cuda="'13.2'"), "cuda", CudaVersion("13.2")),
        (torch_version("2.13.0+cpu"), "cpu", None),
        (torch_version("2.6.0+rocm6.2", hip="'6.2.41134'"), "rocm", None),
        (torch_version("2.6.0+xpu", xpu="'20250000'"), "xpu", None),
        (
            "__version__ = '1.13.1+cu117'\ndebug = False\ncuda = '11.7'\ngit_version = 'x'\nhip = None\n",
            "cuda",
            CudaVersion("11.7"),
        ),
        ("__version__ = '2.5.1.post303'\ndebug = False\ncuda = '12.6'\nhip = None\n", "cuda", CudaVersion("12.6")),
        ("__version__ = '1.0.0'\ndebug = False\ncuda = None\n", "cpu", None),
    ],
)
def test_torch_by_its_version_file(tmp_path: Path, text: str, variant: str, cuda: CudaVersion | None) -> None:
    write(tmp_path, {"torch/version.py": text})
    torch = one(look(tmp_path, "torch==9.9.9"), "torch")
    assert (torch.variant, torch.cuda, torch.metadata_version) == (variant, cuda, "9.9.9")
    assert torch.version is not None
    assert torch.version in text


def test_torch_on_a_mac_with_its_own_processor_can_use_its_gpu(tmp_path: Path) -> None:
    write(tmp_path, {"torch/version.py": torch_version("2.6.0")})
    assert one(look(tmp_path, "torch==2.6.0", platform="darwin", arch="macosx-14-arm64"), "torch").variant == "mps"
    assert one(look(tmp_path, "torch==2.2.2", platform="darwin", arch="macosx-13-x86_64"), "torch").variant == "cpu"


def test_torch_without_files_is_judged_by_its_tag_or_not_at_all(tmp_path: Path) -> None:
    assert one(look(tmp_path, "torch==2.6.0+cpu"), "torch").variant == "cpu"
    assert one(look(tmp_path, "torch==2.6.0"), "torch").variant is None
    conda = one(look(tmp_path, "pytorch==2.6.0", build="cuda126_mkl_py312h53db2f6_300"), "torch")
    assert (conda.variant, conda.cuda) == ("cuda", CudaVersion("12.6"))


def test_torch_without_metadata_is_found_by_its_folder(tmp_path: Path) -> None:
    write(tmp_path, {"torch/version.py": torch_version("2.7.0a0+git1", cuda="'12.8'")})
    torch = one(look(tmp_path), "torch")
    assert (torch.version, torch.dist, torch.metadata_version) == ("2.7.0a0+git1", None, None)


def test_torch_kernels_cudnn_and_abi(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "torch/version.py": torch_version("2.6.0+cu124", cuda="'12.4'"),
            "torch/share/cmake/Torch/TorchConfig.cmake": 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")\n',
            "torch-2.6.0.dist-info/METADATA": "Name: torch\nRequires-Dist: nvidia-cudnn-cu12==9.1.0.70; extra\n",
        },
    )
    (tmp_path / "torch/lib").mkdir()
    (tmp_path / "torch/lib/libtorch_cuda.so").write_bytes(WITH_KERNELS)
    torch = one(look(tmp_path, "torch==2.6.0"), "torch")
    assert torch.archs == ("sm_80", "sm_90", "compute_90")
    assert torch.archs_source is not None
    assert torch.archs_source.where.endswith("libtorch_cuda.so")
    assert (torch.cudnn, torch.cxx11_abi) == ("9.1.0.70", False)


def test_kernels_in_two_libraries(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"torch/version.py": torch_version("1.13.1+cu117", cuda="'11.7'"), "torch/lib/libtorch_cuda.so": "shell"},
    )
    (tmp_path / "torch/lib/libtorch_cuda_cu.so").write_bytes(WITH_KERNELS)
    assert one(look(tmp_path, "torch==1.13.1"), "torch").archs == ("sm_80", "sm_90", "compute_90")


def test_unreadable_kernels_are_unknown(tmp_path: Path) -> None:
    write(
        tmp_path, {"torch/version.py": torch_version("2.6.0+cu124", cuda="'12.4'"), "torch/lib/libtorch_cuda.so": "x"}
    )
    torch = one(look(tmp_path, "torch==2.6.0"), "torch")
    assert (torch.archs, torch.archs_source) == (None, None)


def test_companions(tmp_path: Path) -> None:
    write(tmp_path, {"torchvision/version.py": "__version__ = '0.21.0+cu124'\ngit_version = 'x'\n"})
    found = look(tmp_path, "torchvision==0.21.0", "torchaudio==2.6.0+cpu")
    assert one(found, "torchvision").cuda == CudaVersion("12.4")
    assert one(found, "torchaudio").variant == "cpu"


@pytest.mark.parametrize(
    ("packages", "text", "expected"),
    [
        (("tensorflow==2.21.0",), BUILD_INFO, ("tensorflow", "cuda", "12.5.1", "9", ("sm_60", "compute_90"))),
        (("tensorflow-cpu==2.21.0",), CPU_BUILD_INFO, ("tensorflow-cpu", "cpu", None, None, None)),
        (("tensorflow==2.20.0", "tensorflow-cpu==2.20.0"), CPU_BUILD_INFO, ("tensorflow-cpu", "cpu", None, None, None)),
        (
            ("tensorflow==2.20.0", "tensorflow-cpu==2.20.0"),
            BUILD_INFO,
            ("tensorflow", "cuda", "12.5.1", "9", ("sm_60", "compute_90")),
        ),
        (("tensorflow-gpu==1.15.5",), OLD_BUILD_INFO, ("tensorflow-gpu", "cuda", "10.0", "7", None)),
        (("tf-nightly==2.22.0.dev1",), BUILD_INFO, ("tf-nightly", "cuda", "12.5.1", "9", ("sm_60", "compute_90"))),
    ],
)
def test_tensorflow_by_its_build_info(
    tmp_path: Path, packages: tuple[str, ...], text: str, expected: tuple[object, ...]
) -> None:
    write(tmp_path, {"tensorflow/python/platform/build_info.py": text})
    tensorflow = one(look(tmp_path, *packages), "tensorflow")
    cuda = str(tensorflow.cuda) if tensorflow.cuda else None
    assert (tensorflow.dist, tensorflow.variant, cuda, tensorflow.cudnn, tensorflow.archs) == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ('nvidia-cudnn-cu12==9.3.0.75; extra == "and-cuda"', "9.3.0.75"),
        ('nvidia-cudnn-cu12<10.0,>=9.3.0.75; extra == "and-cuda"', "9.3.0.75"),
        ('nvidia-cudnn-cu12>=10.1; extra == "and-cuda"', "9"),
        ('nvidia-cudnn-cu12; extra == "9.9"', "9"),
        ("numpy>=1.26", "9"),
    ],
)
def test_tensorflow_cudnn_to_the_patch_where_its_extra_pins_it(tmp_path: Path, asked: str, expected: str) -> None:
    files = {
        "tensorflow/python/platform/build_info.py": BUILD_INFO,
        "tensorflow-2.21.0.dist-info/METADATA": f"Name: tensorflow\nRequires-Dist: {asked}\n",
    }
    write(tmp_path, files)
    assert one(look(tmp_path, "tensorflow==2.21.0"), "tensorflow").cudnn == expected


def test_tensorflow_core_is_where_one_point_fifteen_keeps_its_files(tmp_path: Path) -> None:
    write(tmp_path, {"tensorflow/__init__.py": "", "tensorflow_core/python/platform/build_info.py": OLD_BUILD_INFO})
    (tmp_path / "tensorflow_core/python/_pywrap_tensorflow_internal.so").write_bytes(WITH_KERNELS)
    tensorflow = one(look(tmp_path, "tensorflow-gpu==1.15.5"), "tensorflow")
    assert (tensorflow.cuda, tensorflow.archs) == (CudaVersion("10.0"), ("sm_80", "sm_90", "compute_90"))


def test_tensorflow_without_files_is_judged_by_its_name_alone(tmp_path: Path) -> None:
    assert one(look(tmp_path, "tensorflow==2.20.0"), "tensorflow").variant is None
    assert one(look(tmp_path, "tensorflow-intel==2.16.1"), "tensorflow").variant == "cpu"


@pytest.mark.parametrize(
    ("packages", "variant", "names"),
    [
        (("jax==0.10.2", "jaxlib==0.10.2"), "cpu", {"jax", "jaxlib"}),
        (("jax==0.10.2",), None, {"jax"}),
        (("jax==0.4.14", "jaxlib==0.4.14+cuda12.cudnn89"), "cuda", {"jax", "jaxlib"}),
        (
            ("jax==0.10.2", "jaxlib==0.10.2", "jax-cuda12-plugin==0.10.2", "jax-cuda12-pjrt==0.10.2"),
            "cuda",
            {"jax", "jaxlib", "jax-cuda-plugin", "jax-cuda-pjrt"},
        ),
        (("jax==0.4.30", "jaxlib==0.4.30", "jax-rocm60-plugin==0.4.30"), "rocm", {"jax", "jaxlib", "jax-rocm-plugin"}),
        (("jax==0.4.30", "jaxlib==0.4.30", "jax-metal==0.1.1"), "mps", {"jax", "jaxlib"}),
    ],
)
def test_jax(tmp_path: Path, packages: tuple[str, ...], variant: str | None, names: set[str]) -> None:
    found = look(tmp_path, *packages)
    assert one(found, "jax").variant == variant
    assert found is not None
    assert {framework.name for framework in found.found} == names


def test_kernels_of_jax(tmp_path: Path) -> None:
    write(tmp_path, {"jax_plugins/xla_cuda12/__init__.py": ""})
    (tmp_path / "jax_plugins/xla_cuda12/xla_cuda_plugin.so").write_bytes(WITH_KERNELS)
    plugin = one(look(tmp_path, "jax-cuda12-plugin==0.10.2"), "jax-cuda-plugin")
    assert (plugin.cuda, plugin.archs) == (CudaVersion("12"), ("sm_80", "sm_90", "compute_90"))


@pytest.mark.parametrize(
    ("package", "name", "variant", "cuda"),
    [
        ("cupy-cuda12x==13.4.1", "cupy", "cuda", "12"),
        ("cupy-cuda116==10.6.0", "cupy", "cuda", "11.6"),
        ("cupy==13.4.1", "cupy", None, None),
        ("onnxruntime==1.31.1", "onnxruntime", "cpu", None),
        ("onnxruntime-gpu==1.20.0", "onnxruntime", "cuda", None),
        ("triton==3.9.0", "triton", None, None),
        ("pytorch-triton-rocm==3.2.0", "triton", None, None),
        ("flash-attn==2.7.4+cu12torch2.6cxx11abifalse", "flash-attn", "cuda", "12"),
        ("xformers==0.0.30", "xformers", None, None),
        ("bitsandbytes==0.45.0", "bitsandbytes", None, None),
    ],
)
def test_extensions_by_name(tmp_path: Path, package: str, name: str, variant: str | None, cuda: str | None) -> None:
    framework = one(look(tmp_path, package), name)
    assert (framework.variant, str(framework.cuda) if framework.cuda else None) == (variant, cuda)


def test_onnxruntime_says_what_it_was_built_with(tmp_path: Path) -> None:
    stated = "package_name = 'onnxruntime-gpu'\n__version__ = '1.20.0'\ncuda_version = '12.6'\n"
    write(tmp_path, {"onnxruntime/capi/build_and_package_info.py": stated})
    assert one(look(tmp_path, "onnxruntime-gpu==1.20.0"), "onnxruntime").cuda == CudaVersion("12.6")


def test_xformers_says_what_it_was_built_with(tmp_path: Path) -> None:
    write(tmp_path, {"xformers/cpp_lib.json": '{"version": {"cuda": 1204, "torch": "2.6.0+cu124"}, "env": {}}'})
    xformers = one(look(tmp_path, "xformers==0.0.29"), "xformers")
    assert (xformers.built_for_torch, xformers.cuda) == ("2.6.0+cu124", CudaVersion("12.4"))


def test_compiled_part_of_an_extension(tmp_path: Path) -> None:
    write(tmp_path, {"flash_attn/__init__.py": ""})
    (tmp_path / "flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so").write_bytes(WITH_KERNELS)
    assert one(look(tmp_path, "flash-attn==2.7.4"), "flash-attn").archs == ("sm_80", "sm_90", "compute_90")


def test_every_field_unreadable_is_survived(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "torch/version.py": "\0\0 = ''' \n__version__ =",
            "tensorflow/python/platform/build_info.py": "build_info = (",
        },
    )
    found = look(tmp_path, "torch==2.6.0", "tensorflow==2.20.0")
    assert one(found, "torch").version == "2.6.0"
    assert one(found, "tensorflow").variant is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 'b'", {"a": "b"}),
        ('a: Optional[str] = "b"', {"a": "b"}),
        ("a: str | None = None", {"a": None}),
        ("a = True", {"a": "True"}),
        ("a = ''", {"a": ""}),
        ("a = f('b')", {}),
        ("if a == 'b': pass", {}),
        ("", {}),
    ],
)
def test_parse_assignments(text: str, expected: dict[str, str | None]) -> None:
    assert parse_assignments(text) == expected


@pytest.mark.parametrize(
    ("tag", "variant", "cuda"),
    [
        ("cu124", "cuda", "12.4"),
        ("cu92", "cuda", "9.2"),
        ("cu12", "cuda", "12"),
        ("cu118.with.pypi.cudnn", "cuda", "11.8"),
        ("cpu", "cpu", None),
        ("rocm6.2", "rocm", None),
        ("xpu", "xpu", None),
        ("cuda126_mkl_py312h1_300", "cuda", "12.6"),
        ("cpu_generic_py311h1_0", "cpu", None),
        ("py3.11_cuda11.8_cudnn8.7.0_0", "cuda", "11.8"),
        ("py3.11_cpu_0", "cpu", None),
        ("git1234567", None, None),
        ("", None, None),
    ],
)
def test_parse_tag(tag: str, variant: str | None, cuda: str | None) -> None:
    found, version = parse_tag(tag)
    assert (found, str(version) if version else None) == (variant, cuda)


def test_parse_build_info_with_double_quotes() -> None:
    text = 'build_info = collections.OrderedDict([("cuda_version", "11.0"), ("is_cuda_build", True)])'
    assert parse_build_info(text) == {"cuda_version": "11.0", "is_cuda_build": "True"}


URL = "https://example.org/flash_attn-2.7.4.post1%2Bcu12torch2.6cxx11abiTRUE-cp312-cp312-linux_x86_64.whl"


@pytest.mark.parametrize(
    ("version", "url", "torch", "cuda", "abi"),
    [
        ("2.7.4+cu12torch2.6cxx11abiFALSE", None, "2.6", "12", False),
        ("2.5.6+cu118torch2.0cxx11abiFALSE", None, "2.0", "11.8", False),
        ("2.7.4.post1", URL, "2.6", "12", True),
        ("2.7.4", None, None, None, None),
        ("0.0.23+cu118", None, None, "11.8", None),
    ],
)
def test_parse_wheel_tag(version: str, url: str | None, torch: str | None, cuda: str | None, abi: bool | None) -> None:
    tag = parse_wheel_tag(version, url)
    assert (tag.torch, str(tag.cuda) if tag.cuda else None, tag.cxx11_abi) == (torch, cuda, abi)


@pytest.mark.parametrize(
    ("names", "abi"),
    [
        (b"_ZN3c106detail14torchCheckFailEPKcS2_jRKSs", False),
        (b"_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", True),
        (b"_ZN3c105ErrorC2ENS_14SourceLocationESs", False),
        (b"_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", True),
        (b"_ZN3c106detail14torchCheckFailEPKcS2_jS2_\0_ZN3c106detail14torchCheckFailEPKcS2_jRKSs\0libc10.so", False),
        # These name no string, or are not torch's.
        (b"_ZN3c106detail14torchCheckFailEPKcS2_jS2_", None),
        (b"_ZN5other4CallERKSs", None),
        (b"", None),
    ],
)
def test_parse_cxx11_abi(names: bytes, abi: bool | None) -> None:
    assert parse_cxx11_abi(b"\0printf\0" + names + b"\0_ZNSs4swapERSs\0") is abi


@pytest.mark.parametrize(
    ("dist", "cuda"), [("cupy-cuda12x", "12"), ("cupy-cuda102", "10.2"), ("cupy", None), ("cupy-rocm-5-0", None)]
)
def test_cuda_in_name(dist: str, cuda: str | None) -> None:
    found = cuda_in_name(dist)
    assert (str(found) if found else None) == cuda


@pytest.mark.parametrize(
    ("raw", "torch", "cuda"),
    [
        ('{"version": {"cuda": 1204, "torch": "2.6.0+cu124"}}', "2.6.0+cu124", "12.4"),
        ('{"version": {"cuda": "12.8", "torch": null}}', None, "12.8"),
        ('{"version": {"cuda": null}}', None, None),
        ("[]", None, None),
        ("", None, None),
    ],
)
def test_parse_cpp_lib(raw: str, torch: str | None, cuda: str | None) -> None:
    found, version = parse_cpp_lib(raw)
    assert (found, str(version) if version else None) == (torch, cuda)


def test_the_first_of_two_distributions_of_one_name_counts(tmp_path: Path) -> None:
    both = (Package(name="keras", version="3.15.1"), Package(name="keras", version="2.15.0"))
    found = probe(RealHost(env={}), interpreter_of(tmp_path), Packages(installed=both))
    assert isinstance(found, Frameworks)
    assert one(found, "keras").version == "3.15.1"
