"""What names of people, hosts and things look like, and the places where they are said to be such."""

import re

HOME = re.compile(
    r"(?P<root>(?:/home|/Users|/export/home|/var/home|/users|/people|/scratch/users|/data/users|(?:[A-Za-z]:)?[\\/]+Users|"
    r"/mnt/[a-z]/Users|/media|/run/user)[\\/]+)"
    r"(?P<user>[^\s\\/:;\"'<>|,)\]}]+(?: [^\s\\/:;\"'<>|]+(?: [^\s\\/:;\"'<>|]+)?(?=\\))?)"
)
MAIL = re.compile(r"(?<![\w.+%-])[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}(?![\w.-]*[:/])")
PROMPT = re.compile(
    r"(?<![\w/.-])(?P<user>[A-Za-z_][\w.-]*)@(?P<host>[A-Za-z0-9][\w.-]*)(?=:[^\s:]*\s?[$#%>]|[: ][~/]|\s*[$#%]\s)"
)
USER_WORD = re.compile(
    r"(?P<word>\b(?:user(?:name)?|login|owner|logname)\s*[=:]\s*[\"']?)(?P<user>[A-Za-z_][\w.-]*)", re.IGNORECASE
)
HOST_WORD = re.compile(
    r"(?P<word>\b(?:host ?name|node ?name|nodelist|node|host|computer name)\s*[=:]\s*[\"']?)"
    r"(?P<host>(?!n/a|none\b|unknown\b)[A-Za-z][\w-]*(?:\.[\w-]+)*)(?![\w:(])",
    re.IGNORECASE,
)
UNAME = re.compile(r"(?P<word>\bLinux )(?P<host>[A-Za-z][\w.-]*)(?= \d+\.\d+\.\d+\S* #)")
INTERNAL = re.compile(
    r"(?<![\w.@-])(?P<host>"
    r"(?:[A-Za-z0-9][\w-]*\.)+(?:internal|intranet|intra|corp|lan|localdomain|home\.arpa|cluster\.local)|"
    r"(?:[A-Za-z]+-?[\w-]*\d[\w-]*\.)+local)(?![\w-])"
)
URL_HOST = re.compile(
    r"(?<=://)(?P<credentials>[^\s/@]*@)?(?P<host>\[?[A-Za-z0-9][\w.:-]*?\]?)(?=[:/?#\s\"'<>)\],;]|$)"
)
ACCOUNT = re.compile(
    r"(?P<word>\b(?:slurm_job_account|slurm_account|sbatch_account|account)\s*[=:]\s*[\"']?)(?P<name>[A-Za-z_][\w.-]*)",
    re.IGNORECASE,
)
UUID = re.compile(
    r"(?P<kind>(?<![A-Za-z0-9])(?:MIG-GPU-|MIG-|GPU-)?)"
    r"(?P<uuid>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})(?![0-9a-fA-F-])"
)
SHORT_UUID = re.compile(
    r"(?<![A-Za-z0-9-])(?P<kind>MIG-GPU-|MIG-|GPU-)(?P<uuid>[0-9a-f]{4,8}(?:-[0-9a-f]{1,12}){0,4})(?![0-9A-Za-z-])"
)
MAC = re.compile(r"(?<![0-9A-Fa-f:.-])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:.-])")
#: Versions look the same (cuDNN 9.1.0.70): an address is one only with a port, in a range kept for private networks
#: that no version starts with, or after a word that says so.
IPV4 = re.compile(
    r"(?<![\w.-])(?:"
    r"(?P<word>(?:addr(?:ess)?|ip|inet|host|server|from|peer|remote|bind|listen|connect(?:ing)?(?: to)?|@|://)"
    r"[ :=@/\[\"'(]*)(?P<said>(?:\d{1,3}\.){3}\d{1,3})|"
    r"(?P<port>(?:\d{1,3}\.){3}\d{1,3})(?=:\d{2,5}\b)|"
    r"(?P<private>(?:192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d{1,3}){2})"
    r")(?![\w.])",
    re.IGNORECASE,
)
IPV6 = re.compile(
    r"(?<![\w:.])(?:fe80|f[cd][0-9a-f]{2}|[23][0-9a-f]{3})(?::[0-9a-f]{1,4}){0,7}"
    r"::?(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?(?:%\w+)?(?![\w:.])",
    re.IGNORECASE,
)
SERIAL = re.compile(
    r"(?P<word>\b(?:serial(?: number| no\.?)?|machine[-_ ]?id|(?:board|chassis|product)[-_ ]?serial|asset tag)"
    r"\s*[:=]\s*[\"']?)"
    r"(?P<serial>(?!n/?a\b|none\b|unknown\b|0\b|\[?not )[A-Za-z0-9][\w/-]{3,})",
    re.IGNORECASE,
)
#: Addresses that are the same everywhere: loopback, wildcard, masks, documentation, and the clouds' metadata server.
EVERYWHERE = re.compile(r"127\.|0\.0\.0\.0|255\.|192\.0\.2\.|169\.254\.169\.254")
