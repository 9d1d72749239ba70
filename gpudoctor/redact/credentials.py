"""Takes credentials out of text. One search tells whether there can be any; only then the patterns are read."""

import re

#: What stands where a credential was.
REMOVED = "***"

#: Something of this is in every text that holds a credential which `gpudoctor.redact.patterns` knows.
_HINT = re.compile(
    r"[^\s/]@|:\S*[?&;#]\S*=|"
    r"(?:token|secret|pass(?:w|phrase)|pwd|_pass|_pw|key|auth|cookie|session|credential|creds?|jwt|psk|dsn|string|sas|pat|sig)"
    r"[\w-]*\\?[\"']?\s*[=:]|"
    r"--(?:[a-z-]*-)?(?:password|passwd|token|secret|api-?key|access-?key|auth|pass|pwd|key)[ =]|private key|"
    r"bearer |basic |password |login |-u |-p |"
    r"gh[opsru]_|github_pat|gl[a-z]{1,5}[_-]|hf_|api_org|sk[-_]|[rp]k_|whsec|A[KSBC][IC]A|AIza|eyJ|ya29|GOCSPX|1//0|SG\.|sq0|"
    r"\d:AA|dapi|nvapi|IQoJb3|FwoGZX|EAAA|"
    r"xox|xapp-|npm_|pypi-|dckr_|wandb|_v\d_|hv[sbr]\.|atlasv1|r8_|lin_|ntn_|shp[a-z]{2}_|NR[AI][KI]-|sntry|pul-|fo1_|"
    r"FlyV1|dp[.-]|PMAK|gsk_|xai-|pplx-|fw_|csk-|AKCp|cmVmd|rubygems_|clojars_|7Q~|JQQJ99|hooks\.slack|api/webhooks|"
    r"[A-Za-z0-9]{24}|%[0-9A-Fa-f]{2}|\\[xu][0-9a-f]{2}|&(?:#|amp;|quot;|colon;|commat;|sol;)|:(?:\d{2,5}|\*):|/t/|-us\d|AGE-",
    re.IGNORECASE,
)


def without_credentials(text: str) -> str:
    """`text` with every credential of a known shape, or in a telling place, replaced."""
    return credentials_removed(text)[0]


def credentials_removed(text: str) -> tuple[str, dict[str, int]]:
    """The text without credentials, and how many of each kind were taken out."""
    if not _HINT.search(text):
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
