"""Patterns of names of people and hosts, and of the places where such names stand."""

from gpudoctor.facts import lazy_re as re

HOME = re.compile(
    r"(?P<root>(?:/home|/homes|/Users|/users|/people|(?:[A-Za-z]:)?[\\/]{1,4}Users|/media|/run/user|"
    r"/(?:scratch\d{0,2}|gscratch|lustre\w{0,8}|gpfs\w{0,8}|beegfs|cephfs)"
    r"(?:/(?:home|homes|users?|people|scratch|work|workspace|ws|projects?|groups?|fs\w{0,4}|p\d?|data|store|storage|"
    r"portfolios)){0,6})[\\/]{1,4})"
    r"(?P<user>[^\s\\/:;\"'<>|,)\]}]{1,100}(?: [^\s\\/:;\"'<>|]{1,60}(?: [^\s\\/:;\"'<>|]{1,60})?(?=\\))?)"
)
#: ~ada/venv; a folder ~umpy is what pip leaves behind.
TILDE = re.compile(r"(?<![\w/.~\\-])~(?P<user>[a-z_][a-z0-9_]{1,31})(?=/(?!__init__|\S{0,80}dist-info))")
#: A person's name, of two words and more; what a team or a company is called is none.
NAME_WORD = re.compile(
    r"(?P<word>\b(?i:full ?name|real ?name|display ?name|author|maintainer|committer|gecos|signed-off-by|"
    r"co-authored-by|reviewed-by)[ \t]{0,4}[=:][ \t]{0,4}[\"']?)"
    r"(?![^\n]{0,60}\b(?i:team|inc|corp|corporation|developers?|contributors?|authors|foundation|project|nvidia|google|"
    r"microsoft|meta|intel|amd|facebook|community|group|labs?|llc|ltd|gmbh|n/a|none)\b)"
    r"(?P<user>[A-Z\u00c0-\u00de][\w'.-]{1,30}(?: [A-Z\u00c0-\u00de][\w'.-]{0,30}){1,3})(?!\w)"
)
MAIL = re.compile(
    r"(?<![\w.+%-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}(?![\w.-]{0,80}[:/])"
)
PROMPT = re.compile(
    r"(?<![\w/.-])(?P<user>[A-Za-z_][\w.-]{0,63})@(?P<host>[A-Za-z0-9][\w.-]{0,200})"
    r"(?=:[^\s:]{0,300}\s?[$#%>]|[: ][~/]|\s{0,4}[$#%]\s)"
)
USER_WORD = re.compile(
    r"(?P<word>\b(?:user(?:name)?|login|owner|logname)\s{0,9}[=:]\s{0,9}[\"']?)(?P<user>[A-Za-z_][\w.-]{0,63})",
    re.IGNORECASE,
)
HOST_WORD = re.compile(
    r"(?P<word>\b(?:\w{0,20}_)?(?:host ?name|node ?name|nodelist|node ?list|node|host|computer ?name|master_addr)"
    r"\s{0,4}[=:]\s{0,4}[\"']?)(?P<host>(?!n/a|none\b|unknown\b)[A-Za-z][\w-]{0,63}(?:\.[\w-]{1,63}){0,8}"
    r"(?:,[A-Za-z][\w-]{0,63}){0,40})(?![\w:(-]|\[\d)",
    re.IGNORECASE,
)
UNAME = re.compile(r"(?P<word>\bLinux )(?P<host>[A-Za-z][\w.-]{0,200})(?= \d{1,3}\.\d{1,3}\.\d{1,5}\S{0,100} #)")
#: What stands after the name of a Python module, google.protobuf.internal, where an import of it failed.
_AFTER_MODULE = r"(?! import\b|['\"]? has no attribute|['\"] \([^()\n]{0,300}(?:\.pyi?|\.so|unknown location)\))"
INTERNAL = re.compile(
    r"(?<![\w.@-])(?P<host>"
    r"(?:[A-Za-z0-9][\w-]{0,63}\.){1,8}(?:internal|intranet|intra|corp|lan|localdomain|home\.arpa|cluster\.local)|"
    r"[A-Za-z](?=[\w-]{0,63}\d)[\w-]{0,63}\.local)(?![\w-])" + _AFTER_MODULE
)
#: \\\\host\\share, as it is or escaped; a drive, \\\\?\\ and \\\\.\\ are none.
UNC = re.compile(
    r"(?P<word>(?:(?<=[\s\"'=(,;])|^)\\\\{1,3})(?P<host>[A-Za-z][\w.-]{1,63})(?=\\{1,2}[\w$])", re.MULTILINE
)
#: A host before its port, where the text says that it is one.
PORT = re.compile(
    r"(?P<word>\b(?:connect(?:ed|ing|ion)?(?: to| from)?|listening on|bound to|rendezvous(?: at| on)?|endpoint|master|"
    r"server|peer)[ \t]{0,4}[=:]?[ \t]{0,4}[\"'(\[]?)"
    r"(?P<host>[A-Za-z][\w-]{1,63}(?:\.[\w-]{1,63}){0,8})(?=:\d{4,5}\b)",
    re.IGNORECASE,
)
#: nd[01-04,07]: a list of nodes, as Slurm writes it.
NODES = re.compile(r"(?<![\w.\[-])(?P<host>[A-Za-z][\w-]{0,40}?)(?P<numbers>\[\d{1,6}(?:[-,]\d{1,6}){1,60}\])(?![\w(])")
URL_HOST = re.compile(
    r"(?<=://)(?P<credentials>[^\s/@]{0,300}@)?(?P<host>\[?[A-Za-z0-9][\w.:-]{0,300}?\]?)(?=[:/?#\s\"'<>)\],;]|$)"
)
ACCOUNT = re.compile(
    r"(?P<word>\b(?:slurm_job_account|slurm_account|sbatch_account|account)\s{0,9}[=:]\s{0,9}[\"']?)(?P<name>[A-Za-z_][\w.-]{0,63})",
    re.IGNORECASE,
)
UUID = re.compile(
    r"(?P<kind>(?<![A-Za-z0-9])(?:MIG-GPU-|MIG-|GPU-)?)"
    r"(?P<uuid>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})(?![0-9a-fA-F-])"
)
PLAIN_UUID = re.compile(
    r"(?P<kind>(?<![A-Za-z0-9])(?:MIG-GPU-|MIG-|GPU-)|\bu?uid\s{0,4}[=:]\s{0,4}[\"']?)(?P<uuid>[0-9a-fA-F]{32})(?![0-9a-zA-Z-])",
    re.IGNORECASE,
)
CONTAINER = re.compile(
    r"(?P<word>\b(?:docker|containers?|containerd|cri-containerd|crio|libpod|kubepods\S{0,200}?|container[ _-]?id)"
    r"(?:[-/]|\s{0,4}[=:]\s{0,4}[\"']?))(?P<serial>[0-9a-f]{64}|[0-9a-f]{12})(?![0-9a-zA-Z])",
    re.IGNORECASE,
)
SHORT_UUID = re.compile(
    r"(?<![A-Za-z0-9-])(?P<kind>MIG-GPU-|MIG-|GPU-)(?P<uuid>[0-9a-f]{4,8}(?:-[0-9a-f]{1,12}){0,4})(?![0-9A-Za-z-])"
)
#: Cisco's form; one of letters only, or digits only, is something else.
DOTTED_MAC = re.compile(
    r"(?<![\w.])(?=[0-9a-f.]{0,13}[a-f])(?=[0-9a-f.]{0,13}\d)[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![\w.])",
    re.IGNORECASE,
)
MAC = re.compile(r"(?<![0-9A-Fa-f:.-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:.-])")
#: Versions look the same (cuDNN 9.1.0.70): gpudoctor.redact.addresses tells them apart by what stands around.
IPV4 = re.compile(r"(?<![\w.])(?<![\w.]-)\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\w|-\w|\+)")
IPV6 = re.compile(
    r"(?<![\w:.])(?:fe80|f[cd][0-9a-f]{2}|[23][0-9a-f]{3})(?::[0-9a-f]{1,4}){0,7}"
    r"::?(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?(?:%\w+)?(?![\w:.])",
    re.IGNORECASE,
)
SERIAL = re.compile(
    r"(?P<word>\b(?:(?:id_)?serial(?:_short|[ _-]?number| no\.?)?|machine[-_ ]?id|"
    r"(?:board|chassis|product|disk|drive)[-_ ]?serial|asset tag|(?:node|port|system)[ _]?guid|wwn)"
    r"\s{0,9}[:=]\s{0,9}[\"']?)"
    r"(?P<serial>(?!n/?a\b|none\b|unknown\b|0\b|\[?not )[A-Za-z0-9][\w/-]{3,100})",
    re.IGNORECASE,
)
#: Disks are named by their maker's number there.
DISK = re.compile(r"(?P<word>/dev/disk/by-id/)(?P<serial>[\w.:-]{4,120}?)(?=-part\d|[^\w.:-]|$)")
#: Addresses that are the same everywhere: loopback, wildcard, masks, documentation, and the clouds' metadata server.
EVERYWHERE = re.compile(r"127\.|0\.0\.0\.0|255\.|192\.0\.2\.|169\.254\.169\.254")
