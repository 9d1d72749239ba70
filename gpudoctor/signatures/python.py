"""Messages of Python itself, of imports and of NumPy's binary interface."""

from gpudoctor.signatures.catalogue import signature

_NUMPY2 = "https://numpy.org/doc/stable/numpy_2_0_migration_guide.html"
_NUMPY = "https://numpy.org/devdocs/user/troubleshooting-importerror.html"
_SITE = "https://docs.python.org/3/library/site.html"

SIGNATURES = (
    signature(
        "numpy1-module-in-numpy2",
        r"compiled using numpy 1\.x cannot be run in|_array_api not found"
        r"|module compiled against abi version 0x\w+ but this version of "
        r"numpy is 0x2",
        needles=("compiled using numpy", "_array_api", "compiled against abi"),
        meaning="A compiled package was built for NumPy 1, and NumPy 2 is installed.",
        causes={"numpy2-abi": 0.85, "py-user-site-shadow": 0.3, "dependency-conflict": 0.2},
        ask="pip list | grep -i numpy; python -c 'import numpy; print(numpy.__version__, numpy.__file__)'",
        source=_NUMPY2,
    ),
    signature(
        "numpy-api-newer",
        r"module compiled against api version 0x\w+ but this version of numpy is 0x",
        needles=("compiled against api version",),
        meaning="A compiled package was built for a newer NumPy than the installed one.",
        causes={"numpy-older-than-built": 0.85, "py-user-site-shadow": 0.25, "numpy2-abi": 0.15},
        ask="pip list | grep -i numpy",
        source=_NUMPY,
    ),
    signature(
        "numpy-dtype-size",
        r"numpy\.dtype size changed|numpy\.ndarray size changed|binary incompatibility\. expected \d+ from c header",
        needles=("size changed", "binary incompatibility"),
        meaning="A compiled package was built for another NumPy than the installed one.",
        causes={"numpy2-abi": 0.65, "numpy-older-than-built": 0.5, "py-user-site-shadow": 0.15},
        ask="pip list | grep -i numpy",
        source=_NUMPY,
    ),
    signature(
        "numpy-attribute-removed",
        r"module 'numpy[\w.]*' has no attribute '(?:bool|object|int|float|typedict|product|string_|unicode_|cumproduct|"
        r"float_|complex_|nan|inf|sctypes|obj2sctype|core|_no_nep50_warning|long)'"
        r"|`np\.\w+` was removed in the numpy 2\.0|no module named 'numpy\._core",
        needles=("module 'numpy", "numpy 2.0", "numpy._core"),
        meaning="The program was written for an older (or newer) NumPy than the installed one.",
        causes={"numpy2-abi": 0.5, "api-changed": 0.45, "numpy-older-than-built": 0.25},
        ask="pip list | grep -i numpy",
        source=_NUMPY2,
    ),
    signature(
        "numpy-import-failed",
        r"importing the numpy c-extensions failed|importerror: numpy\.core\.multiarray failed to import"
        r"|numpy source directory"
        r"|error importing numpy: you should not try to import numpy from",
        needles=(
            "numpy c-extensions",
            "multiarray failed to import",
            "numpy source directory",
            "error importing numpy",
        ),
        meaning="NumPy's compiled part could not be loaded.",
        causes={"numpy2-abi": 0.45, "package-half-installed": 0.35, "py-user-site-shadow": 0.3, "files-damaged": 0.25},
        ask="python -c 'import numpy; print(numpy.__file__)'; pip list | grep -i numpy",
        source=_NUMPY,
    ),
    signature(
        "circular-import",
        r"partially initialized module '\w+'|most likely due to a circular import"
        r"|consider renaming '[^'\n]+' since it has the same name",
        needles=("partially initialized module", "circular import", "consider renaming"),
        meaning="A file of your own has the name of a package, and Python imports it in place of the package.",
        causes={"py-name-shadow": 0.85, "package-half-installed": 0.2, "api-changed": 0.1},
        ask="ls torch.py tensorflow.py jax.py keras.py random.py numpy.py 2>/dev/null",
        source="https://docs.python.org/3/tutorial/modules.html#the-module-search-path",
    ),
    signature(
        "stdlib-name-hidden",
        r"cannot import name '\w+' from (?:partially initialized module )?'(?:random|types|typing|enum|copy|queue"
        r"|logging|string|token"
        r"|socket|select|operator|statistics|json|ast|math|inspect)'",
        needles=("cannot import name",),
        meaning="A file of your own, or of the folder you are in, has the name of a module of Python.",
        causes={"py-name-shadow": 0.92},
        ask="pwd; python -c 'import random; print(random.__file__)'",
        source="https://docs.python.org/3/tutorial/modules.html#the-module-search-path",
    ),
    signature(
        "module-not-found",
        r"no module named '?(?:torch|tensorflow|keras|jax|jaxlib|numpy|torchvision|torchaudio|tensorboard"
        r"|transformers|absl|wrapt|"
        r"h5py|typing_extensions|packaging|sympy|filelock|ml_dtypes|opt_einsum|scipy|google|six|termcolor"
        r"|flatbuffers|astunparse"
        r"|gast|grpc|optree|namex|rich|networkx|jinja2|fsspec|mpmath)\b",
        needles=("no module named",),
        meaning="A package that the program needs is not installed in this Python.",
        causes={
            "import-missing": 0.5,
            "wrong-environment": 0.4,
            "py-pip-mismatch": 0.35,
            "py-pip-mismatch @ pip-said": 0.15,
            "package-half-installed": 0.2,
            "py-kernelspec-mismatch @ notebook": 0.23,
            "py-kernelspec-mismatch @ imports-elsewhere": 0.4,
            "ext-build-isolation @ building": 0.7,
        },
        ask="python -m pip list; which -a python pip",
        source="https://docs.python.org/3/library/exceptions.html#ModuleNotFoundError",
    ),
    signature(
        "version-conflict-at-import",
        r"is required for a normal functioning of this module, but found|pkg_resources\.(?:versionconflict"
        r"|distributionnotfound|"
        r"contextualversionconflict)|packagenotfounderror: no package metadata",
        needles=("normal functioning of this module", "pkg_resources.", "no package metadata"),
        meaning="An installed package is missing, or of a version that another package does not accept.",
        causes={
            "dependency-conflict": 0.6,
            "import-missing": 0.4,
            "package-half-installed": 0.4,
            "packages-unreadable": 0.2,
        },
        ask="python -m pip check",
        source="https://packaging.python.org/en/latest/specifications/dependency-specifiers/",
    ),
    signature(
        "kernel-needs-ipykernel",
        r"requires the ipykernel package",
        needles=("ipykernel package",),
        meaning="The editor wants to run a notebook with a Python that cannot run notebooks.",
        causes={"py-kernelspec-mismatch": 0.85, "wrong-environment": 0.35},
        ask="jupyter kernelspec list; which python",
        source="https://ipython.readthedocs.io/en/stable/install/kernel_install.html",
    ),
    signature(
        "ssl-module-missing",
        r"ssl module in python is not available|no module named '?_ssl"
        r"|can.?t connect to https url because the ssl module",
        needles=("ssl module", "_ssl"),
        meaning="This Python has no ssl module, so it cannot download anything.",
        causes={"py-no-ssl": 0.95},
        ask="python -c 'import ssl'",
        source="https://docs.python.org/3/library/ssl.html",
    ),
    signature(
        "win-too-long-path",
        r"filename or extension is too long|enable long path",
        needles=("extension is too long", "long path"),
        meaning="A path is longer than Windows allows.",
        causes={"package-half-installed": 0.5},
        ask="reg query HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem /v LongPathsEnabled",
        source="https://pip.pypa.io/warnings/enable-long-paths",
    ),
    signature(
        "mkl-symbol",
        r"undefined symbol: (?:ijit_notifyevent|__?kmpc_\w+|mkl_\w+)",
        needles=("undefined symbol",),
        meaning="Conda's math library (MKL) is not of the release that this PyTorch was linked to.",
        causes={"dependency-conflict": 0.9},
        ask="conda list | grep -i -E 'mkl|intel-openmp|pytorch'",
        source="https://github.com/pytorch/pytorch/issues/123097",
    ),
    signature(
        "openmp-twice",
        r"omp: error #15|libiomp5\w*\.\w+ already initialized",
        needles=("omp: error", "already initialized"),
        meaning="Two packages brought the same OpenMP library along, and the second does not start.",
        causes={"openmp-twice": 0.93},
        ask="conda list | grep -i openmp; find . -name 'libiomp5*'",
        source="https://github.com/llvm/llvm-project/blob/main/openmp/runtime/src/i18n/en_US.txt",
    ),
    signature(
        "kernel-died",
        r"kernel (?:for \S+ )?appears to have died|the kernel \S* ?(?:has )?(?:died|crashed)|kernel restarting",
        needles=("appears to have died", "kernel restarting", "has died", "crashed"),
        meaning="The notebook's Python ended without a word; run the same in a terminal to see its last message.",
        causes={
            "host-memory-full": 0.3,
            "openmp-twice": 0.25,
            "cudnn-two-copies": 0.2,
            "ld-path-shadows-nvidia-wheels": 0.15,
            "cpu-no-avx": 0.1,
        },
        ask="the same lines in a terminal: python -X faulthandler your_program.py",
        source="https://docs.python.org/3/library/faulthandler.html",
        fallback=True,
    ),
)
