"""Takes credentials out of text. One search tells whether there can be any; only then the patterns are read."""

import re

#: What stands where a credential was.
REMOVED = "***"

#: One of these (in lower case) is in every text that holds a credential which `gpudoctor.redact.patterns` knows by its
#: shape or its place. Plain searches: compiling an expression for them would take longer than a whole check allows.
_HINTS = (
    "@", "-----begin", "age-sec", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "glrt", "gldt",
    "glcbt", "glptt", "glft", "glimt", "glagent", "gloas", "glsoat", "glffct", "glsa_", "glc_", "hf_", "api_org",
    "sk-", "sk_", "rk_", "pk_", "whsec", "akia", "asia", "abia", "acca", "aiza", "eyj", "ya29", "gocspx", "1//0",
    "sg.", "sq0", "eaaa", ":aa", "dapi", "nvapi", "iqojb3", "fwogzx", "xox", "xapp-", "npm_", "pypi-", "dckr_",
    "wandb", "_v1_", "hvs.", "hvb.", "hvr.", "atlasv1", "r8_", "lin_", "ntn_", "shpat_", "shpca_", "shppa_",
    "shpss_", "nrak", "nrii", "sntry", "pul-", "fo1_", "flyv1", "dp.pt", "dp.st", "dp.ct", "dp.sa", "dp.scim",
    "dp.audit", "dp-", "dp_", "pmak", "gsk_", "xai-", "pplx-", "tgp_", "fw_", "csk-", "akcp", "cmvmd", "rubygems_",
    "clojars_", "7q~", "jqqj99", "hooks.slack", "api/webhooks", "secret_", "/t/", "key-", "--password", "--passwd",
    "--token", "--secret", "--api", "--access", "--auth", "--pass", "--pwd", "--key", "bearer ", "basic ",
    " password ", " login ", " -u ", " -p ", " -p", "--user ", "--user=", "authorization", "private key",
)  # fmt: skip
#: Words before "=" or ":" that make a value a secret.
_TELLING = (
    "token", "secret", "password", "passwd", "passphrase", "pwd", "key", "credential", "credentials", "cookie",
    "id", "dsn", "string", "url", "sig", "jwt", "psk", "pat", "pass", "pw", "auth", "cred", "creds", "sas",
    "session", "code", "authorization",
)  # fmt: skip
_ASSIGNED = tuple(word + sign for word in _TELLING for sign in "=:")
_BETWEEN = str.maketrans("", "", " \t\"'\\>")
_RUN = re.compile(r"[A-Za-z0-9]{24}|%[0-9A-Fa-f][0-9A-Fa-f]|\\[xu]|&#|&[a-z]+;|:\d+:|:\*:|[?&;][\w.-]+=")


def _may_hold(text: str) -> bool:
    lower = text.lower()
    squeezed = lower.translate(_BETWEEN)
    return (
        any(hint in lower for hint in _HINTS)
        or any(word in squeezed for word in _ASSIGNED)
        or _RUN.search(text) is not None
    )


def without_credentials(text: str) -> str:
    """`text` with every credential of a known shape, or in a telling place, replaced."""
    return credentials_removed(text)[0]


def credentials_removed(text: str) -> tuple[str, dict[str, int]]:
    """The text without credentials, and how many of each kind were taken out."""
    if not _may_hold(text):
        return text, {}
    # Imported here: most texts hold nothing of the kind, and a static check should not pay for the table.
    from gpudoctor.redact.encoded import decoded_credentials
    from gpudoctor.redact.patterns import PATTERNS

    counts: dict[str, int] = {}
    for pattern in PATTERNS:
        text, found = pattern.remove(text, REMOVED)
        if found:
            counts[pattern.kind] = counts.get(pattern.kind, 0) + found
    text, found = decoded_credentials(text, PATTERNS, REMOVED)
    if found:
        counts["encoded"] = found
    return text, counts
