"""
The marks that issuers give their keys, so that a key is known wherever it stands.

Each mark has a sign, a piece of text without which there is no such key: looking for it costs
next to nothing, and only where it is found the pattern is tried.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_CHAR = "[A-Za-z0-9_-]"
_HEX = "[0-9a-f]"
# A key may follow the n of a line end that JSON wrote as a backslash and an n.
_ESCAPED = r"(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4})"
_START = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})"
# For what begins like a common word, or may be long before it turns out to be none.
_WORD_START = rf"(?:(?<![A-Za-z0-9_-])|{_ESCAPED})"
_END = "(?![A-Za-z0-9])"
_MIXED = rf"(?={_CHAR}{{0,60}}?[A-Z])(?={_CHAR}{{0,60}}?\d)"


class Mark(NamedTuple):
    """What one issuer's keys look like."""

    kind: str
    sign: str
    expression: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled at first use."""
        return _compiled(self.expression)


_compiled = lru_cache(maxsize=None)(re.compile)


def _mark(kind: str, sign: str, pattern: str, *, start: str = _START) -> Mark:
    return Mark(kind, sign, start + pattern)


def _long(prefix: str, least: int, of: str = "[A-Za-z0-9]") -> str:
    return rf"{prefix}{of}{{{least},}}+"


# The secret half of a pair often stands beside the public one, without a name.
_AWS_PAIR = r"(?:[\"'`]?[,;:|\s]{1,9}[\"'`]?[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=]))?"
_AWS = rf"[A-Z0-9]{{16}}{_END}{_AWS_PAIR}"

# What stands for a password in htpasswd, shadow and the tables of programs.
_CRYPT = "[./A-Za-z0-9]"
_HASHES = (
    ("$2", rf"\$2[abxy]\$\d\d\${_CRYPT}{{53}}"),
    ("$apr1$", rf"\$apr1\${_CRYPT}{{1,8}}\${_CRYPT}{{22}}"),
    ("$1$", rf"\$1\${_CRYPT}{{1,8}}\${_CRYPT}{{22}}"),
    ("$5$", rf"\$5\$(?:rounds=\d{{1,9}}\$)?{_CRYPT}{{1,16}}\${_CRYPT}{{43}}"),
    ("$6$", rf"\$6\$(?:rounds=\d{{1,9}}\$)?{_CRYPT}{{1,16}}\${_CRYPT}{{86}}"),
    ("$y$", rf"\$y\${_CRYPT}{{1,9}}\${_CRYPT}{{1,86}}\${_CRYPT}{{43}}"),
    ("$argon2", r"\$argon2id?\$(?:v=\d{1,3}\$)?[a-z0-9=,]{5,60}\$[\w+/]{8,90}\$[\w+/]{16,}+"),
    ("SHA}", r"\{S?SHA\}[A-Za-z0-9+/]{27,}+={0,2}"),
)

MARKS: tuple[Mark, ...] = (
    *(_mark("AWS access key", sign, sign + _AWS) for sign in ("AKIA", "ASIA", "ABIA", "ACCA")),
    *(
        _mark("GitHub token", sign, _long(sign, 36))
        for sign in ("gho_", "ghp_", "ghs_", "ghu_", "ghr_")
    ),
    _mark("GitHub token", "github_pat_", _long("github_pat_", 22, _CHAR)),
    *(
        _mark("GitLab token", sign, _long(sign, 20, _CHAR))
        for sign in ("glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glimt-")
    ),
    _mark("GitLab token", "GR1348941", _long("GR1348941", 20, _CHAR)),
    _mark("Anthropic key", "sk-ant-", _long("sk-ant-", 20, _CHAR)),
    _mark("OpenAI key", "sk-", _long("sk-(?:proj|svcacct|admin|None)-", 20, _CHAR)),
    _mark("OpenAI key", "sk-", r"sk-(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,}+", start=_WORD_START),
    _mark("OpenRouter key", "sk-or-", _long("sk-or-v1-", 40, _HEX)),
    _mark("Google API key", "AIza", _long("AIza", 35, _CHAR)),
    _mark("Google access token", "ya29.", _long(r"ya29\.", 20, _CHAR)),
    _mark("Google client secret", "GOCSPX-", _long("GOCSPX-", 24, _CHAR)),
    _mark("Slack token", "xox", rf"xox[a-z](?:\.xox[a-z])?-(?={_CHAR}{{0,30}}\d){_CHAR}{{20,}}+"),
    _mark("Slack token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}+"),
    _mark("Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/[a-z]{1,20}/[A-Za-z0-9/]{20,}+"),
    _mark(
        "Discord webhook",
        "/api/webhooks/",
        rf"discord(?:app)?\.com/api/webhooks/\d{{10,25}}/{_CHAR}{{40,}}+",
    ),
    *(_mark("Stripe key", sign, _long(f"[rs]{sign}", 16)) for sign in ("k_live_", "k_test_")),
    _mark("Stripe key", "whsec_", _long("whsec_", 16, "[A-Za-z0-9+/=]")),
    _mark("npm token", "npm_", _long("npm_", 36)),
    _mark("PyPI token", "pypi-", _long("pypi-", 50, _CHAR)),
    _mark("Docker token", "dckr_", _long("dckr_(?:pat|oat)_", 20, _CHAR)),
    _mark("Hugging Face token", "hf_", _long("hf_", 30)),
    _mark("SendGrid key", "SG.", rf"SG\.{_CHAR}{{16,64}}\.{_CHAR}{{16,128}}"),
    _mark("Mailgun key", "key-", rf"key-{_HEX}{{32}}{_END}"),
    _mark("Mailchimp key", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}{_END}"),
    _mark("Twilio key", "SK", rf"SK{_HEX}{{32}}{_END}"),
    _mark("DigitalOcean token", "_v1_", rf"do[opr]_v1_{_HEX}{{64}}"),
    _mark("Groq key", "gsk_", _long("gsk_", 40)),
    _mark("xAI key", "xai-", _long("xai-", 60)),
    _mark("Perplexity key", "pplx-", _long("pplx-", 40)),
    _mark("Replicate token", "r8_", _long("r8_", 37)),
    _mark("Tavily key", "tvly-", rf"tvly-{_MIXED}{_CHAR}{{28,}}+"),
    _mark("Pinecone key", "pcsk_", _long("pcsk_", 20, _CHAR)),
    _mark("Voyage key", "pa-", rf"pa-{_MIXED}{_CHAR}{{40,}}+", start=_WORD_START),
    _mark("Telegram bot token", ":AA", rf"\d{{8,10}}:AA{_CHAR}{{33}}"),
    _mark("Shopify token", "shp", rf"shp(?:at|ca|pa|ss)_{_HEX}{{32}}{_END}"),
    _mark("Square key", "sq0", _long("sq0(?:atp|csp|idp)-", 22, _CHAR)),
    _mark("Databricks token", "dapi", rf"dapi{_HEX}{{32}}(?:-\d)?{_END}"),
    _mark("Grafana token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    _mark("Linear key", "lin_", _long("lin_(?:api|oauth)_", 32)),
    _mark("Notion token", "ntn_", _long("ntn_", 40)),
    _mark("Notion token", "secret_", rf"secret_{_MIXED}[A-Za-z0-9]{{43}}{_END}"),
    _mark("Vault token", "hv", _long(r"hv[sbr]\.", 24, _CHAR)),
    _mark("Terraform token", ".atlasv1.", rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_CHAR}{{60,}}+"),
    _mark("Supabase key", "sb", rf"(?:sbp_{_HEX}{{40}}|sb_secret_{_CHAR}{{20,}}+)"),
    _mark("PlanetScale key", "pscale_", _long("pscale_(?:tkn|pw|oauth)_", 32, r"[\w.=-]")),
    _mark("Heroku key", "HRKU-", _long("HRKU-", 36, _CHAR)),
    _mark("New Relic key", "NRAK-", _long("NRAK-", 27)),
    _mark("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}+"),
    _mark("Atlassian token", "ATATT3", _long("ATATT3", 100, r"[\w=-]")),
    _mark("Postman key", "PMAK-", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    _mark("Fly token", "fm", r"fm[12][ar]?_[A-Za-z0-9+/=_,-]{60,}+"),
    _mark("Netlify token", "nfp_", _long("nfp_", 36)),
    _mark("Sentry token", "sntry", _long("sntry[su]_", 40, "[A-Za-z0-9+/=_-]")),
    _mark("Figma token", "figd_", _long("figd_", 36, _CHAR)),
    _mark("Airtable token", "pat", rf"pat[A-Za-z0-9]{{14}}\.{_HEX}{{64}}"),
    _mark("Azure secret", "Q~", r"[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}"),
    _mark("age key", "AGE-SECRET-KEY-1", _long("AGE-SECRET-KEY-1", 50, "[A-Z0-9]")),
    _mark(
        "private key",
        "kty",
        rf"(?P<before>\\?\"(?:d|p|q|dp|dq|qi|k)\\?\"\s{{0,3}}:\s{{0,3}}\\?\")"
        rf"(?P<secret>{_CHAR}{{20,}}+)",
    ),
    *(_mark("password hash", sign, pattern) for sign, pattern in _HASHES),
    _mark(
        "JSON web token",
        "eyJ",
        rf"eyJ{_CHAR}{{10,}}+\.(?:eyJ{_CHAR}{{10,}}+\.{_CHAR}*+|(?:{_CHAR}*+\.){{3}}{_CHAR}{{10,}}+)",
        start=_WORD_START,
    ),
)
