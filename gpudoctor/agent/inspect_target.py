"""Prints what this Python interpreter is (version, paths, platform) as one JSON object.

Run as `python -I -S -B - COOKIE` with this file on standard input, so that no line of the environment's own code runs:
no `.pth` file, no sitecustomize, no module of the working directory. Standard library only, and little of it (each
import costs a millisecond and more). Reads on Python 2.7 too, where it ends with exit code 69 and says the version.
"""

import sys

TOO_OLD = 69  # EX_UNAVAILABLE of sysexits.h: none of the codes that Python itself ends with


def refuse(cookie):
    """Say the version of a Python that is too old, and end."""
    sys.stdout.write('\n%s{"too_old": "%s"}%s\n' % (cookie, sys.version.split()[0], cookie))
    sys.stdout.flush()
    sys.exit(TOO_OLD)


def main(cookie):
    """Print the facts."""
    import _imp

    suffixes = _imp.extension_suffixes()
    facts = identity(suffixes[0] if suffixes else "")
    facts.update(places())
    facts.update(features())
    sys.stdout.write("\n%s%s%s\n" % (cookie, as_json(facts), cookie))
    sys.stdout.flush()


def identity(suffix):
    """Version and ABI; `suffix` is that of extension modules, as in .cpython-311-x86_64-linux-gnu.so."""
    major, minor = sys.version_info[:2]
    name = sys.implementation.name
    tag = suffix.split(".")[1] if suffix.count(".") > 1 else ""
    free_threaded = "t" in tag.replace("cpython-", "cp").split("-")[0][len("cp") :] if name == "cpython" else False
    return {
        "executable": sys.executable or "",
        "version": "%d.%d.%d" % sys.version_info[:3] + prerelease(),
        "implementation": name,
        "bits": 64 if sys.maxsize > 2**32 else 32,
        "abi": abi_tag(name, major, minor, tag, free_threaded),
        "free_threaded": free_threaded,
        "os_name": os.name,
        "platform": platform_tag(),
        "winver": getattr(sys, "winver", None),
        "framework": getattr(sys, "_framework", "") or None,
    }


def prerelease():
    """The end of a version before its release, as in 3.14.0rc1."""
    level, serial = sys.version_info[3:5]
    short = {"alpha": "a", "beta": "b", "candidate": "rc"}.get(level)
    return "%s%d" % (short, serial) if short else ""


def abi_tag(name, major, minor, tag, free_threaded):
    """The ABI part of wheel tags (PEP 425): cp36m, cp311, cp313t, pypy39_pp73."""
    if name != "cpython":
        return "_".join(tag.split("-")[:2]) or None
    flags = getattr(sys, "abiflags", None)
    if flags is None:  # Windows
        flags = "m" if (major, minor) < (3, 8) else "t" if free_threaded else ""
    return "cp%d%d%s" % (major, minor, flags)


def platform_tag():
    """What sysconfig.get_platform() says; it is worked out here where that is cheaper than importing it."""
    if os.name == "nt":
        version = sys.version.lower()
        return "win-amd64" if "amd64" in version else "win-arm64" if "(arm64)" in version else "win32"
    if sys.platform == "darwin":
        import sysconfig

        return sysconfig.get_platform()
    return "%s-%s" % (sys.platform, os.uname()[4])


def places():
    """The folders that Python knows before site.py has run."""
    library = os.path.dirname(os.__file__) if getattr(os, "__file__", None) else None
    return {
        "prefix": sys.prefix,
        "base_prefix": getattr(sys, "base_prefix", sys.prefix),
        "exec_prefix": sys.exec_prefix,
        "platlibdir": getattr(sys, "platlibdir", None) or split_library(),
        "stdlib": library,
        "home": os.path.expanduser("~"),
        "site_patch": site_patch(library),
        "path": [entry for entry in sys.path if entry],
    }


def split_library():
    """Before 3.9 there was no sys.platlibdir, and the distributions that use lib64 patched it in."""
    return "lib64" if any("lib64/python" in entry for entry in sys.path) else "lib"


def site_patch(library):
    """Which distribution changed site.py. Debian looks in dist-packages, Fedora in /usr/local before /usr."""
    try:
        with open(os.path.join(library, "site.py"), "rb") as file:
            text = file.read(262144)
    except (OSError, TypeError):
        return None
    return "debian" if b"dist-packages" in text else "fedora" if b"RPM_BUILD_ROOT" in text else None


def features():
    """What was built in or installed beside it."""
    return {
        "has_ssl": has_module("_ssl"),
        "python_h": python_h(),
        "same_user": os.name != "posix" or (os.getuid() == os.geteuid() and os.getgid() == os.getegid()),
    }


def has_module(name):
    """Whether the standard library has the module; it is looked for, not imported."""
    try:
        return any(finder.find_spec(name, None) is not None for finder in sys.meta_path)
    except Exception:  # finders that packages brought along raise what they like
        return None


def python_h():
    """The C header for building extensions, where this build of Python puts it."""
    base = getattr(sys, "base_prefix", sys.prefix)
    if os.name == "nt":
        return os.path.isfile(os.path.join(base, "Include", "Python.h"))
    name = "%s%d.%d%s" % (
        sys.implementation.name.replace("cpython", "python"),
        sys.version_info[0],
        sys.version_info[1],
        getattr(sys, "abiflags", ""),
    )
    return os.path.isfile(os.path.join(base, "include", name, "Python.h"))


def as_json(value):
    """JSON without the json module, whose import takes as long as all the rest."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (quote(key), as_json(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return "[%s]" % ", ".join(as_json(item) for item in value)
    return quote(value)


def quote(text):
    """A JSON string in ASCII. A byte that is no UTF-8 comes as a lone surrogate, which no JSON may hold: now U+FFFD."""
    plain = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return encode_basestring_ascii(plain)


if sys.version_info < (3, 6):
    refuse(sys.argv[1])
else:
    import os

    main(sys.argv[1])
