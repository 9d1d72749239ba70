"""What credentials look like: by the place they stand in, and by the shapes that services publish for scanners.

The shapes are those of GitHub's secret scanning (docs.github.com/code-security/reference/secret-security) and of
gitleaks' public rules; a place is a word such as `password=` before the value.
"""

import re
from functools import cache
from typing import NamedTuple

#: Compiled when a text first asks for it: all of them would take longer than a whole check.
_compiled = cache(re.compile)


class Pattern(NamedTuple):
    """One shape. The group `secret` is what is taken out; without such a group the whole match is."""

    kind: str
    shape: str
    flags: int = 0
    #: A cheap test: without this text (in lower case) there can be no match.
    needs: tuple[str, ...] = ()

    def remove(self, text: str, removed: str) -> tuple[str, int]:
        """The text with `removed` in the place of every secret, and how many there were."""
        if not self._may_match(text):
            return text, 0
        count = 0
        regex = _compiled(self.shape, self.flags)

        def replace(match: re.Match[str]) -> str:
            nonlocal count
            if "secret" not in regex.groupindex:
                count += 1
                return removed
            if match.group("secret") == removed:
                return match.group()
            count += 1
            start, end = match.span("secret")
            whole = match.group()
            return whole[: start - match.start()] + removed + whole[end - match.start() :]

        return regex.sub(replace, text), count

    def _may_match(self, text: str) -> bool:
        lower = text.lower()
        return not self.needs or any(word in lower for word in self.needs)


def _shape(kind: str, pattern: str, *needs: str, flags: int = 0) -> Pattern:
    return Pattern(kind, rf"(?<![A-Za-z0-9])(?:{pattern})", flags, needs)


#: Words that make the value after them a secret.
_TELLING = (
    r"(?:[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|passwd|pwd|api_?-?key|access_?-?key|account_?-?key|private_?-?key|"
    r"client_?-?key|encryption_?-?key|signing_?-?key|shared_?-?access_?-?key|credentials?|auth_?-?key|session_?-?(?:id|key)|cookie|"
    r"subscription_?-?key|webhook_?-?url|dsn|connection_?-?string|license_?-?key)|"
    r"[A-Z][A-Z0-9_]*_(?:KEY|PASS|PW|AUTH|CREDS?|PAT|SAS)|sig|jwt|psk|pat)"
)
#: A value: quoted, or up to the next blank or separator.
_VALUE = r"""(?:"(?P<{0}>[^"\n]+)"|'(?P<{1}>[^'\n]+)'|(?P<{2}>[^\s"'&;,<>(){{}}\[\]|`\\]+))"""


class _Assigned(Pattern):
    """`name = value` and `name: value`, where the name tells that the value is a secret."""

    def remove(self, text: str, removed: str) -> tuple[str, int]:
        if not self._may_match(text):
            return text, 0
        count = 0

        def replace(match: re.Match[str]) -> str:
            nonlocal count
            value = match.group("value")
            if _is_no_secret(value, removed, match.group("name")):
                return match.group()
            count += 1
            start = match.start("value") - match.start()
            return match.group()[:start] + removed + match.group()[start + len(value) :]

        return _compiled(self.shape, self.flags).sub(replace, text), count


#: Values that are plainly not secrets: settings, and what people and programs write in their place.
_PLAIN = re.compile(
    r"(?:true|false|none|null|yes|no|on|off|auto|0|1|\d{1,3}|unset|not set|n/a|\*+|x+|<[^>]*>|\$\{?\w+\}?|required|"
    r"missing|invalid|expired|error|bytes?|str|string|int|file|env|default|disabled|enabled)",
    re.IGNORECASE,
)


def _is_no_secret(value: str, removed: str, name: str) -> bool:
    if removed in value or _PLAIN.fullmatch(value):
        return True
    # The name of a file that holds a secret is none, and helps.
    is_path = name.lower().endswith(("file", "path", "dir")) or value.startswith(("/", "~", "./", "C:\\"))
    return is_path and len(value) < 200 and "=" not in value and not value.startswith("//")


_WEB = r"https?://"

PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "private key",
        (r"-----BEGIN[ A-Z0-9]*PRIVATE KEY(?: BLOCK)?-----(?P<secret>.*?)"
            r"(?:-----END[ A-Z0-9]*PRIVATE KEY(?: BLOCK)?-----|\Z)"), re.DOTALL,
        ("private key",),
    ),
    Pattern("private key", r"AGE-SECRET-KEY-1[A-Z0-9]{20,}", re.IGNORECASE, ("age-secret-key",)),
    # An address: the part before "@", whatever it holds up to the next slash; and a password with a slash in it. A port
    # before the slash (host:8080/path@v1) is none.
    Pattern("address with a password", r"(?<=://)(?P<secret>[^\s/@\"'<>]*(?:@[^\s/@\"'<>]*)*)(?=@)", 0, ("://",)),
    Pattern(
        "address with a password",
        r"(?<=://)(?P<secret>(?!\*\*\*@)[^\s/@:\"'<>]*:(?!\d+(?:/|$))[^\s\"'<>]*)(?=@)", 0,
        ("://",),
    ),
    # Behind a host; a folder may be called t, too.
    Pattern(
        "conda token",
        (r"(?:(?<=//)[^/\s\"']+|[\w-]+\.[\w.-]+(?::\d+)?)/(?:[^\s\"']{1,80}/)?t/"
            r"(?P<secret>(?!\*)[^/\s\"']{4,})(?=/)"), 0,
        ("/t/",),
    ),
    Pattern(
        "webhook",
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord\.com/api/webhooks)/(?P<secret>[\w/-]{8,})", 0,
        ("hooks.slack.com", "discord.com/api/webhooks"),
    ),
    Pattern(
        "query parameter",
        (r"[?&;#][^=&;\s\"'<>]*(?:token|sig|key|secret|auth|pass|credential|session|sas|code|jwt)[^=&;\s\"'<>]*="
            r"(?P<secret>[^&;\s\"'<>]+)"), re.IGNORECASE,
        ("=",),
    ),
    Pattern(
        "authorisation header",
        (r"(?:authorization|proxy-authorization|x-api-key|x-auth-token|private-token|job-token|x-amz-security-token|"
            r"set-cookie|cookie|x-csrf-token|ocp-apim-subscription-key)\\?[\"']?\s*[:=]\s*\\?[\"']?(?:(?:bearer|basic|token|digest|negotiate)\s+)?"
            r"(?P<secret>[^\s\"'\\,]+(?:;\s*[\w.-]+=[^\s\"'\\;,]+)*)"), re.IGNORECASE,
        ("author", "x-", "token", "cookie", "ocp-"),
    ),
    Pattern("bearer", r"\bbearer\s+(?P<secret>[A-Za-z0-9._~+/=-]{12,})", re.IGNORECASE, ("bearer",)),
    Pattern("basic", r"\bbasic\s+(?P<secret>[A-Za-z0-9+/]{12,}={0,2})", re.IGNORECASE, ("basic",)),
    Pattern(
        ".netrc",
        r"\bmachine\s+\S+\s+login\s+\S+\s+password\s+(?P<secret>\S+)", re.IGNORECASE,
        ("password",),
    ),
    Pattern(
        ".pgpass",
        r"(?<!\S)[\w.*-]+:(?:\d{2,5}|\*):[A-Za-z*][\w*-]*:[A-Za-z*][\w*-]*:(?P<secret>[^\s:]+)(?!\S)", 0,
        (":",),
    ),
    Pattern(
        "option",
        r"(?<!\S)(?:-u|--user|--proxy-user)[ =][\"']?[^\s:\"']+:(?P<secret>[^\s\"']+)", 0,
        ("-u", "--user", "--proxy-user"),
    ),
    Pattern(
        "option",
        r"(?:sshpass\s+-p\s*|docker\s+login\b[^\n]*?\s-p\s+|mysql\b[^\n]*?\s-p(?=\S)|"
        r"wandb\s+login\s+(?:--relogin\s+)?(?=[0-9a-f]{16}))[\"']?(?P<secret>[^\s\"']+)", 0,
        ("sshpass", "docker", "mysql", "wandb"),
    ),
    Pattern(
        "option",
        (r"(?<!\S)--(?:[a-z-]*-)?(?:password|passwd|token|secret|api-?key|access-?key|auth|pass|pwd|key)[ =](?!-)"
            r"[\"']?(?P<secret>[^\s\"']{3,})"), re.IGNORECASE,
        ("--",),
    ),
    Pattern("key", r"\"key\\?\"\s*:\s*\\?\"(?P<secret>[0-9a-f]{24,}|[A-Za-z0-9+/]{32,}={0,2})", 0, ("key",)),
    _Assigned(
        "assignment",
        (rf"(?<![\w.-])(?P<name>{_TELLING})(?:\\?[\"'])?\s*(?:=>|:=|=(?!=)|:(?!:))\s*(?:b|r|u|f)?(?:\\?[\"'])?"
            r"(?P<value>[^\s\"'&;,<>(){}\[\]|`\\]{4,})"), re.IGNORECASE,
        ("token", "secret", "pass", "pwd", "key", "credential", "cookie", "session", "dsn", "connection", "sig", "jwt",
         "psk", "pat", "auth", "cred", "_pw", "sas", "webhook"),
    ),
    _shape("JSON Web Token", r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*", "eyj"),
    _shape("GitHub token", r"gh[pousr]_[A-Za-z0-9_]{12,}|github_pat_[A-Za-z0-9_]{12,}", "gh", "github_pat"),
    _shape("GitLab token", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{12,}", "gl"),
    _shape("Hugging Face token", r"(?:hf|api_org)_[A-Za-z0-9]{12,}", "hf_", "api_org_"),
    _shape("OpenAI or Anthropic key", r"sk-(?:proj-|svcacct-|admin-|ant-|or-v1-)?[A-Za-z0-9_-]{16,}", "sk-"),
    _shape("Stripe key", r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{16,}", "k_", "whsec_"),
    _shape("AWS key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])", "akia", "asia", "abia", "acca"),
    _shape("AWS session", r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9+/=%]{20,}", "iqojb3", "fwogzx"),
    _shape("Google key", r"AIza[\w-]{30,}|ya29\.[\w-]{16,}|GOCSPX-[\w-]{16,}|1//0[\w-]{20,}",
           "aiza", "ya29", "gocspx", "1//0"),
    _shape("Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}", "xox", "xapp"),
    _shape("npm token", r"npm_[A-Za-z0-9]{12,}", "npm_"),
    _shape("PyPI token", r"pypi-[A-Za-z0-9_-]{16,}", "pypi-"),
    _shape("Docker token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{12,}", "dckr_"),
    _shape("Databricks token", r"dapi[0-9a-f]{32}(?:-\d)?", "dapi"),
    _shape("NVIDIA key", r"nvapi-[A-Za-z0-9_-]{12,}", "nvapi"),
    _shape("SendGrid key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}", "sg."),
    _shape("Twilio key", r"(?:SK|AC)[0-9a-f]{32}(?![0-9a-f])", "sk", "ac"),
    _shape("Mailgun key", r"key-[0-9a-f]{32}(?![0-9a-f])", "key-"),
    _shape("Mailchimp key", r"[0-9a-f]{32}-us\d{1,2}(?!\d)", "-us"),
    _shape("Telegram token", r"\d{8,10}:AA[A-Za-z0-9_-]{30,}", ":aa"),
    _shape("Discord token", r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}", "."),
    _shape("DigitalOcean token", r"do[opr]_v1_[0-9a-f]{32,}", "_v1_"),
    _shape("Vault token", r"hv[sbr]\.[A-Za-z0-9_-]{20,}", "hv"),
    _shape("Terraform token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}", "atlasv1"),
    _shape("Replicate token", r"r8_[A-Za-z0-9]{20,}", "r8_"),
    _shape("Linear or Notion key", r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}|ntn_[A-Za-z0-9]{20,}|secret_[A-Za-z0-9]{30,}",
           "lin_", "ntn_", "secret_"),
    _shape("Shopify token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}", "shp"),
    _shape("Square token", r"sq0[a-z]{3}-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{56,}", "sq0", "eaaa"),
    _shape("Grafana token", r"gl(?:sa|c)_[A-Za-z0-9_+/=]{20,}", "glsa_", "glc_"),
    _shape("New Relic key", r"NRAK-[A-Z0-9]{20,}|NRII-[A-Za-z0-9-]{20,}", "nrak", "nrii"),
    _shape("Sentry token", r"sntry[su]_[A-Za-z0-9_+/=-]{20,}", "sntry"),
    _shape("Pulumi token", r"pul-[0-9a-f]{40}", "pul-"),
    _shape("Fly.io token", r"fo1_[A-Za-z0-9_-]{20,}|FlyV1 fm\d[a-z]?_[A-Za-z0-9+/=,_-]{20,}", "fo1_", "flyv1"),
    _shape("Doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{20,}", "dp."),
    _shape("Postman key", r"PMAK-[A-Za-z0-9-]{20,}", "pmak"),
    _shape("Weights and Biases key", r"wandb_v\d_[A-Za-z0-9_-]{16,}", "wandb_v"),
    _shape("Groq, xAI or Perplexity key", r"(?:gsk_|xai-|pplx-|tgp_v1_|fw_|csk-)[A-Za-z0-9_-]{20,}",
           "gsk_", "xai-", "pplx-", "tgp_v1_", "fw_", "csk-"),
    _shape("Airtable token", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}", "pat"),
    _shape("Artifactory token", r"AKCp[A-Za-z0-9]{20,}|cmVmd[A-Za-z0-9]{20,}", "akcp", "cmvmd"),
    _shape("RubyGems or Clojars token", r"rubygems_[0-9a-f]{32,}|CLOJARS_[0-9a-z]{40,}", "rubygems_", "clojars_"),
    _shape("Azure key", r"[A-Za-z0-9]{3}7Q~[\w.~-]{31,34}|[A-Za-z0-9+/]{76}JQQJ99[A-Za-z0-9]{10,}", "7q~", "jqqj99"),
    _shape("older token", r"(?:dp|glpat|xox[abprs]|sk|pypi|npm|hf)[-_][A-Za-z0-9_-]{16,}", "dp", "sk", "xox"),
)  # fmt: skip
