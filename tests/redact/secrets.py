"""Planted secrets: kind -> (text as it is met, the part that must not leave). None of them was ever valid.

The shapes are put together at run time, so that no scanner takes this file for a leak.
"""

import base64
import string
from urllib.parse import quote

ALNUM = (string.ascii_letters + string.digits) * 8
HEX = "0123456789abcdef" * 8
UPPER = (string.ascii_uppercase + string.digits) * 4


def _a(count: int, start: int = 3) -> str:
    return ALNUM[start : start + count]


def _p(prefix: str, count: int = 36) -> tuple[str, str]:
    token = prefix + _a(count)
    return f"using {token} now", token


PASSWORD = "s3cr3t" + "Pa55w0rd" + "Zq"


def _w(before: str, after: str = "") -> tuple[str, str]:
    return f"{before}{PASSWORD}{after}", PASSWORD


PEM = "-----BEGIN {0}PRIVATE KEY-----\n" + _a(64) + "\n" + _a(60, 7) + "\n-----END {0}PRIVATE KEY-----"

PLANTED: dict[str, tuple[str, str]] = {
    "http user and password": _w("https://ada:", "@pypi.corp/simple"),
    "http user only": _w("https://", "@pypi.corp/simple"),
    "password with a slash": (f"https://ada:x/{PASSWORD}@pypi.corp/simple", PASSWORD),
    "git+https": _w("git+https://x-token:", "@github.com/a/b.git@main"),
    "git+ssh": _w("git+ssh://git:", "@host/x.git"),
    "ftp": _w("ftp://u:", "@host/x"),
    "postgres": _w("postgresql://u:", "@db/x"),
    "redis": _w("redis://:", "@cache:6379/0"),
    "mongodb": _w("mongodb+srv://u:", "@cluster0.mongodb.net/x"),
    "amqp": _w("amqp://u:", "@mq:5672/"),
    "socks proxy": _w("HTTPS_PROXY=socks5://u:", "@proxy:1080"),
    "pip index": _w("--extra-index-url https://u:", "@nexus.corp/simple torch"),
    "query token": _w("https://h/s?x=1&token=", "&y=2"),
    "query api_key": _w("https://h/s?api_key="),
    "SAS signature": _w("https://acc.blob.core.windows.net/c?sv=2021&sig=", "&se=1"),
    "AWS presigned": _w("https://b.s3.amazonaws.com/k?X-Amz-Expires=1&X-Amz-Signature="),
    "AWS presigned credential": _w("https://b.s3.amazonaws.com/k?X-Amz-Credential="),
    "conda token": _w("https://conda.anaconda.org/t/", "/channel"),
    "conda token of a server": _w("https://conda-server:8080/conda/t/", "/channel"),
    "conda token without a scheme": _w("channel conda.anaconda.org/t/", "/channel"),
    "Slack webhook": ("https://hooks.slack.com/services/T00/B00/" + _a(24), _a(24)),
    "Discord webhook": ("https://discord.com/api/webhooks/1234567890/" + _a(60), _a(60)),
    "GitHub classic": _p("gh" + "p_"),
    "GitHub OAuth": _p("gh" + "o_"),
    "GitHub app": _p("gh" + "s_"),
    "GitHub refresh": _p("gh" + "r_"),
    "GitHub fine-grained": _p("github" + "_pat_", 60),
    "GitLab": _p("gl" + "pat-", 20),
    "GitLab runner": _p("gl" + "rt-", 20),
    "Hugging Face": _p("h" + "f_", 34),
    "OpenAI": _p("s" + "k-", 48),
    "OpenAI project": _p("s" + "k-proj-", 48),
    "Anthropic": _p("s" + "k-ant-api03-", 48),
    "Stripe": _p("s" + "k_live_", 24),
    "AWS access key": ("id AK" + "IA" + UPPER[:16], UPPER[:16]),
    "AWS temporary key": ("id AS" + "IA" + UPPER[:16], UPPER[:16]),
    "AWS secret key": _w("AWS_SECRET_ACCESS_KEY=", "+/xyz"),
    "Google API": _p("AI" + "za", 35),
    "Google OAuth": _p("ya" + "29.", 40),
    "Google client secret": _p("GOC" + "SPX-", 28),
    "Slack bot": _p("xo" + "xb-", 30),
    "Slack user": _p("xo" + "xp-", 30),
    "npm": _p("np" + "m_"),
    "PyPI": _p("py" + "pi-AgEIcHlwaS5vcmc", 60),
    "Docker": _p("dc" + "kr_pat_", 27),
    "Databricks": ("d" + "api" + HEX[:32], HEX[:32]),
    "NVIDIA": _p("nv" + "api-", 60),
    "SendGrid": ("S" + "G." + _a(22) + "." + _a(43), _a(43)),
    "Twilio": ("S" + "K" + HEX[:32] + " x", HEX[:32]),
    "Mailgun": ("ke" + "y-" + HEX[:32], HEX[:32]),
    "Telegram": ("1234567890:A" + "A" + _a(33), _a(33)),
    "DigitalOcean": ("do" + "p_v1_" + HEX[:64], HEX[:64]),
    "Vault": _p("hv" + "s.", 40),
    "Terraform": (_a(14) + ".atl" + "asv1." + _a(60), _a(60)),
    "Replicate": _p("r" + "8_", 37),
    "Linear": _p("lin" + "_api_", 40),
    "Notion": _p("nt" + "n_", 43),
    "Shopify": ("shp" + "at_" + HEX[:32], HEX[:32]),
    "Grafana": _p("gl" + "sa_", 40),
    "New Relic": ("NR" + "AK-" + UPPER[:27], UPPER[:27]),
    "Sentry": _p("snt" + "rys_", 50),
    "Pulumi": ("pu" + "l-" + HEX[:40], HEX[:40]),
    "Doppler": _p("dp" + ".pt.", 43),
    "Postman": _p("PM" + "AK-", 40),
    "Groq": _p("gs" + "k_", 52),
    "wandb variable": (f"WANDB_API_KEY={HEX[:40]}", HEX[:40]),
    "wandb login": (f"wandb login {HEX[:40]}", HEX[:40]),
    "age key": ("AGE-SEC" + "RET-KEY-1" + UPPER[:58], UPPER[:58]),
    "RSA key": (PEM.format("RSA "), _a(60, 7)),
    "OpenSSH key": (PEM.format("OPENSSH "), _a(60, 7)),
    "EC key without its end": (PEM.format("EC ").partition("\n-----END")[0], _a(60, 7)),
    "JSON Web Token": ("ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0." + _a(43), _a(43)),
    "SLURM_JWT": ("SLURM_JWT=ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0." + _a(43), _a(43)),
    "bearer header": _w("Authorization: Bearer "),
    "basic header": ("Authorization: Basic " + base64.b64encode(b"u:" + PASSWORD.encode()).decode(),
                     base64.b64encode(b"u:" + PASSWORD.encode()).decode()),
    "api key header": _w("x-api-key: "),
    "cookie header": _w("Cookie: sessionid="),
    ".netrc": _w("machine h login u password "),
    ".pgpass": _w("db:5432:x:u:"),
    "curl -u": _w("curl -u ada:", " https://h/"),
    "sshpass": _w("sshpass -p ", " ssh h"),
    "docker login": _w("docker login -u ada -p ", " registry"),
    "--password": _w("mlflow --password ", " run"),
    "--token=": _w("kubectl --token="),
    "variable": _w("MLFLOW_TRACKING_PASSWORD="),
    "quoted variable": _w('export DB_PASSWD="', '"'),
    "JSON field": _w('{"client_secret": "', '"}'),
    "YAML field": _w("  api-key: "),
    "Python keyword": _w("login(token='", "')"),
    "escaped JSON": _w('{\\"password\\": \\"', '\\"}'),
    "Azure account key": _w("DefaultEndpointsProtocol=https;AccountKey=", "==;EndpointSuffix=x"),
    "HF variable": _w("HUGGING_FACE_HUB_TOKEN="),
    "Kaggle key": (f'{{"username":"ada","key":"{HEX[:32]}"}}', HEX[:32]),
}  # fmt: skip


def _json(text: str) -> str:
    return "".join(character if character.isalnum() else f"\\u{ord(character):04x}" for character in text)


#: How a text may have been encoded on its way.
ENCODINGS = {
    "plain": str,
    "percent": lambda text: quote(text, safe=""),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "escaped": _json,
    "hexadecimal": lambda text: text.encode().hex(),
}
