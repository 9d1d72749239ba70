"""Installed MATLABs, from their folders."""

import pytest

from gpudoctor.facts.matlab import Matlab
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.matlab import find_matlabs

XML = "<MathWorks_version_info><version>23.2.0</version><release>{}</release></MathWorks_version_info>"


def matlab(root, release="R2023b", toolbox="parallel/gpu/gpuDevice.m", sep="/"):
    """The files of a MATLAB: its own toolbox, what else is under `toolbox`, and the file that states the release."""
    names = ("toolbox/matlab/general/ver.m", f"toolbox/{toolbox}", "bin/matlab", "bin/matlab.exe")
    files = {f"{root}/{name}".replace("/", sep): "" for name in names}
    return files | ({f"{root}{sep}VersionInfo.xml": XML.format(release)} if release else {})


LOCAL = "/usr/local/MATLAB/R2023b"
WINDOWS = "C:\\Program Files\\MATLAB\\R2024a"
MAC = "/Applications/MATLAB_R2023b.app"
HOME = {"HOME": "/home/ada"}
CUDA_H = f"{LOCAL}/sys/cuda/glnxa64/cuda/include/cuda.h"


@pytest.mark.parametrize(
    ("host", "found"),
    [
        pytest.param(RecordedHost(), (), id="none"),
        pytest.param(RecordedHost(matlab(LOCAL)), ((LOCAL, "R2023b", True),), id="usual place"),
        pytest.param(
            RecordedHost(matlab("/home/ada/MATLAB/R2022b", None) | matlab("/opt/MATLAB/R2025a", "R2025a"), env=HOME),
            (("/opt/MATLAB/R2025a", "R2025a", True), ("/home/ada/MATLAB/R2022b", "R2022b", True)),
            id="two, the newest first, one by its folder's name",
        ),
        pytest.param(RecordedHost(matlab("/opt/matlab", "R2024b")), (("/opt/matlab", "R2024b", True),), id="container"),
        pytest.param(
            RecordedHost(matlab("/usr/local/MATLAB/old-R2020a", "R2021a")),
            (("/usr/local/MATLAB/old-R2020a", "R2021a", True),),
            id="the file counts, not the name",
        ),
        pytest.param(
            RecordedHost(
                matlab(WINDOWS, "R2024a", sep="\\"), platform="win32", env={"ProgramFiles": "C:\\Program Files"}
            ),
            ((WINDOWS, "R2024a", True),),
            id="Windows",
        ),
        pytest.param(RecordedHost(matlab(MAC), platform="darwin"), ((MAC, "R2023b", True),), id="macOS"),
        pytest.param(
            RecordedHost({"/usr/local/MATLAB/MATLAB_Runtime/R2023b/bin/glnxa64/libmwmclmcr.so": ""}),
            (),
            id="the Runtime",
        ),
        pytest.param(RecordedHost(matlab(LOCAL, toolbox="stats/x.m")), ((LOCAL, "R2023b", False),), id="no toolbox"),
        pytest.param(RecordedHost(matlab(LOCAL, toolbox="distcomp/gpu/x.m")), ((LOCAL, "R2023b", True),), id="before"),
        pytest.param(RecordedHost(matlab(LOCAL, toolbox="parallel/x.m")), ((LOCAL, "R2023b", None),), id="part of it"),
        pytest.param(
            RecordedHost(matlab(LOCAL, toolbox="x.m"), gaps={f"{LOCAL}/toolbox": "permission denied"}),
            ((LOCAL, "R2023b", None),),
            id="not seen",
        ),
        pytest.param(RecordedHost(matlab("/srv/m", None)), (), id="elsewhere"),
    ],
)
def test_found(host, found) -> None:
    assert tuple((one.root, one.release, one.has_toolbox) for one in find_matlabs(host).found) == found


def test_on_path_wherever_it_is_and_once() -> None:
    links = {"/usr/local/bin/matlab": "/srv/sci/R2022a/bin/matlab", "/opt/MATLAB": "/srv/sci"}
    host = RecordedHost(matlab("/srv/sci/R2022a", "R2022a"), links=links, env={"PATH": "/usr/local/bin"})
    assert find_matlabs(host).found == (
        Matlab(root="/srv/sci/R2022a", release="R2022a", has_toolbox=True, on_path=True),
    )


def test_the_cuda_that_lies_in_it() -> None:
    (one,) = find_matlabs(RecordedHost(matlab(LOCAL) | {CUDA_H: "#define CUDA_VERSION 11080\n"})).found
    assert one.cuda == CudaVersion("11.8")


def test_where_it_was_looked_for() -> None:
    assert "/home/ada/MATLAB" in find_matlabs(RecordedHost(env=HOME)).places
