"""Files of requirements, for each form of line that pip documents (reference/requirements-file-format).

{usual} is the index that the installer is set up for, {own} another, {wheels} a folder, {work} the current one.
"""

#: A project that is built without any other package.
PROJECT = {
    "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
    "backend.py": """\
import os
import zipfile

META = "Metadata-Version: 2.1\\nName: local\\nVersion: 3.0\\nRequires-Dist: part\\nProvides-Extra: x\\n"
META += "Requires-Dist: aa; extra == 'x'\\n"


def write(folder):
    name = "local-3.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        archive.writestr("local/__init__.py", "")
        archive.writestr("local-3.0.dist-info/METADATA", META)
        wheel = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        archive.writestr("local-3.0.dist-info/WHEEL", wheel)
        archive.writestr("local-3.0.dist-info/RECORD", "")
    return name


def build_wheel(folder, config_settings=None, metadata_directory=None):
    return write(folder)


build_editable = build_wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_wheel
""",
}
#: name: (NAME, VERSION, what it requires) on the usual index; `aa` is on the other one, too, in a newer version.
USUAL = (
    ("aa", "1.0", ()),
    ("aa", "1.5", ("part",)),
    ("aa", "2.0b1", ("part",)),
    ("part", "1.0", ()),
    ("part", "1.4", ()),
    ("more", "1.0", ("part<1.4",)),
    ("jax", "0.6.2", ("part",)),
    ("jax", "0.4.38", ("part",)),
)
OWN = (("aa", "9.0", ()), ("mine", "0.1", ("part",)), ("part", "1.2", ()))

FILES = {
    "name": "aa\n",
    "specifier": "aa >= 1, < 1.5  # older\nmore ~= 1.0",
    "jax and others": "jax==0.6.2\naa\n",
    "compatible jax": "jax<0.5\npart\n",
    "extras": "local[x] @ file://{work}/lib\n",
    "marker": "aa==1.0; python_version >= '3.6'\nmore; python_version < '3.6'\n",
    "address": "local @ file://{work}/lib\n",
    "wheel at an address": "aa @ {usual}/../files/aa-1.0-py3-none-any.whl\n",
    "bare address": "{usual}/../files/aa-1.0-py3-none-any.whl\n",
    "wheel": "./wheels/aa-1.0-py3-none-any.whl\n",
    "folder": "./lib\naa",
    "folder with extras": "./lib[x]\n",
    "editable": "-e ./lib\n",
    "editable, long": "--editable=./lib[x]\nmore\n",
    "editable, here": "aa\n-e lib\n",
    "git": "git+file://{work}/repository#egg=local\n",
    "git, named": "local @ git+file://{work}/repository@main\n",
    "included": "-r sub/more.txt\njax==0.6.2",
    "constraint": "aa\n-c sub/bounds.txt",
    "another index": "--index-url {own}\naa\n",
    "another index, short, later": "aa\nmine\n-i {own}\n",
    "framework, another index": "jax==0.6.2\n--index-url {own}\n",
    "one more index": "--extra-index-url {own}\naa\nmine\n",
    "no index": "--no-index\naa\n",
    "links": "--no-index\n--find-links {wheels}\naa\n",
    "links beside": "-f {wheels}\naa==1.0\n",
    "trusted": "--trusted-host x.example\naa\n",
    "pre-releases": "--pre\naa\n",
    "prefer binary": "--prefer-binary\naa\n",
    "hash": "aa==1.0 --hash=sha256:{aa}\n",
    "wrong hash": "aa==1.0 --hash=sha256:{zero}\n",
    "wrong hash of a framework": "jax==0.6.2 \\\n  --hash=sha256:{zero}\n",
    "hash of one only": "aa==1.5 --hash=sha256:{aa15}\n",
    "required hashes": "--require-hashes\naa==1.0\n",
    "config settings": "./lib --config-settings=a=b\n",
    "no binary": "--no-binary aa\naa\n",
    "only binary": "--only-binary :all:\naa\n",
    "continued": "a\\\na==\\\n1.0\n# more \\\npart\n",
    "comments": "# more\naa  # mine\n   # jax\npart # more\\\n\n",
    "variable": "aa==${{WANTED}}\n--extra-index-url ${{OTHER_INDEX}}\n",
    "variable, unset": "aa==${{NOT_SET}}\n",
    "byte order mark": "\ufeffaa\n",
    "no such package": "aa\nnobody\n",
    "no requirement": "aa bb\n",
    "contradiction": "aa==1.5\nmore\npart>=1.4\n",
    "unknown option": "--unheard-of\naa\n",
    "nothing": "# nobody\n",
}
BESIDE = {"sub/more.txt": "-r deeper.txt\nmore\n", "sub/deeper.txt": "part\n", "sub/bounds.txt": "aa<1.5\njax==0.1\n"}
