"""CUDA toolkits by paths and file names in a text: /usr/local/cuda-11.4/lib64, cudart64_102.dll."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import Toolkit, Toolkits
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.tickets.fragment import WORDS, Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

FORM = "paths in the text"

#: A folder with something below it: XLA names folders that it was built to look into.
_BELOW = re.compile(
    r"(?P<root>/usr/local/cuda-(\d{1,2}\.\d))/(?:bin|lib64|lib|include|targets|extras|nvvm)\b"
    r"|(?P<windows>[A-Za-z]:[\\/]{1,2}(?:Program Files|PROGRA~1)[\\/]{1,2}NVIDIA GPU Computing Toolkit[\\/]{1,2}CUDA"
    r"[\\/]{1,2}v(\d{1,2}\.\d))(?![\d.])"
)
#: `ls /usr/local`, in one line or several.
_LISTED = re.compile(r"(?:^|\s)cuda-(\d{1,2}\.\d)(?=/?(?:\s|$))")
_LISTING = re.compile(r"\bls\b[^\n|]{0,20}\s/usr/local/?\s*$")
#: Before CUDA 11 the name of a DLL holds the whole version.
_DLL = re.compile(
    r"\b(?:have|has|contains?|there(?: i|')s|found|only|see)\s+(?:the |a |only |newer |file )*[`'\"]?"
    r"cudart64_(9[0-2]|10[0-2])\.dll"
    r"|\bcudart64_(9[0-2]|10[0-2])\.dll[`'\"]? (?:is (?:there|present|in)|exists|lies)\b",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"\bno such file|not (?:found|exist\w*)|n.t (?:exist\w*|find)|cannot|could not|can ?not|fehlt|missing|searched"
    r"|default|expected|should|instead|不存在|找不到",
    re.IGNORECASE,
)
_MOST = 8


def parse_cuda_folders(text: Pasted) -> tuple[Fragment, ...]:
    """Every toolkit whose files a text shows; nothing of lines that say that something is not there."""
    found: dict[str, tuple[str, int]] = {}
    listing = 0
    for number, line in text.filled:
        listing = number if _LISTING.search(line) else listing
        if "cud" not in line.lower() or len(line) > 2000 or _ABSENT.search(line):
            continue
        for match in _BELOW.finditer(line):
            root = match["root"] or match["windows"].replace("\\\\", "\\")
            found.setdefault(root, (match[2] or match[4], number))
        if listing and number - listing <= _MOST:
            for match in _LISTED.finditer(line):
                found.setdefault(f"/usr/local/cuda-{match[1]}", (match[1], number))
        for match in _DLL.finditer(line):
            digits = match[1] or match[2]
            found.setdefault(f"the folder of cudart64_{digits}.dll", (f"{digits[:-1]}.{digits[-1]}", number))
    toolkits = tuple(
        Toolkit(root=root, version=CudaVersion.parse(version), source=source(FORM, line))
        for root, (version, line) in found.items()
    )
    return fragment(FORM, (line for _, line in found.values()), WORDS, toolkits=Toolkits(found=toolkits))
