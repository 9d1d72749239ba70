"""What runs before click is loaded: prepares the process and starts examining the target interpreter.

Loading click and the command takes as long as half the look, and the look is in a process of its own.
"""

import gc
import os
import signal
import sys

#: Commands that look at the target, and the words with which they do not.
_LOOKING = frozenset({"check", "devices", "fix", "install", "node", "smoke", "snapshot"})
_NOT_LOOKING = ("-h", "--help", "--from", "--schema")


def start(arguments: list[str]) -> None:
    """Make this process ready for the command that these arguments name."""
    # A look is short and makes no circles worth collecting; and its threads, which mostly wait for files and children,
    # should not wait 5 ms for their turn each time (docs.python.org, sys.setswitchinterval).
    gc.disable()
    sys.setswitchinterval(0.001)
    _open_standard_streams()
    _end_as_by_ctrl_c()
    arguments = _in_the_language(arguments)
    if sys.platform == "linux" and arguments[:1] and arguments[0] in _LOOKING:
        if not any(word.startswith(_NOT_LOOKING) for word in arguments):
            _begin_to_look(arguments)


def _in_the_language(arguments: list[str]) -> list[str]:
    """The arguments without `--lang`, after which we speak that language; else that of the locale.

    A language that there is not is left to the command line, which says so.
    """
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    asked = any(word == "--lang" or word.startswith("--lang=") for word in ours)
    if not asked and not any(os.environ.get(name, "").startswith("zh") for name in ("LC_ALL", "LC_MESSAGES", "LANG")):
        return arguments
    # Imported here: English has no use for it.
    from gpudoctor.language.chosen import LANGUAGES, language_named, language_of

    language: str | None = language_of(os.environ)
    if asked:
        name = _value(ours, "--lang") or ""
        language = language_named(name)
        arguments = _without(ours, "--lang") + arguments[len(ours) :]
        if language is None:
            sys.argv[1:] = ["--lang", name] if name else ["--lang"]
            return arguments
        sys.argv[1:] = arguments
    if language is not None and language != LANGUAGES[0]:
        from gpudoctor.cli.translated import speak_to_user

        why = speak_to_user(language)
        if why and asked:
            sys.stderr.write(f"{why}\n")
    return arguments


def _without(arguments: list[str], option: str) -> list[str]:
    """The arguments without this option and its value."""
    return [
        word
        for before, word in zip(["", *arguments], arguments, strict=False)
        if option not in (word, before) and not word.startswith(f"{option}=")
    ]


def _begin_to_look(arguments: list[str]) -> None:
    """Begin with the interpreter that is probably meant. Where click reads another name, that one is looked at."""
    load_msgspec()
    from gpudoctor.host.real import RealHost

    host = RealHost()
    if arguments[0] == "node":
        from gpudoctor.fleet.budget import HurriedHost, budget_of, parse_seconds

        seconds = parse_seconds(_value(arguments, "--budget") or "30s")
        if seconds is None:
            return
        host = HurriedHost(budget_of(seconds))
    from gpudoctor.probes.early_look import begin_early

    begin_early(host, _value(arguments, "--python"))


def load_msgspec() -> None:
    """Without typing_extensions, which it takes where that is installed (torch brings it): typing has all that we use.

    Loading that takes longer than msgspec's own code does, and the look at the target waits for it.
    """
    if "msgspec" in sys.modules:
        return
    is_absent = sys.modules.setdefault("typing_extensions", None) is None  # type: ignore[arg-type]
    import msgspec  # noqa: F401

    if is_absent:
        del sys.modules["typing_extensions"]


def _value(arguments: list[str], option: str) -> str | None:
    """The value that an option was given last, as far as that can be told without knowing the others."""
    value = None
    for word, following in zip(arguments, [*arguments[1:], None], strict=True):
        if word == option:
            value = following
        elif word.startswith(f"{option}="):
            value = word.partition("=")[2]
    return value


def _open_standard_streams() -> None:
    """Give a process that was started with a standard stream closed (`>&-`) the null device in its place.

    Python has None there, and the next file that is opened would get the number of the stream.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open for as long as we are


def _end_as_by_ctrl_c() -> None:
    """Stop our children also when we are told to end (`timeout`, a closed terminal, a scheduler); nohup stays nohup."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
