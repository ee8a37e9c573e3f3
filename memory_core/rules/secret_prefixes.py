"""
Token formats by issuer, such as ``ghp_`` for GitHub.

Each format has a sign: a substring that every such token contains. Searching for it is cheap; the
pattern runs only if it is found.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_CHAR = "[A-Za-z0-9_-]"
_HEX = "[0-9a-f]"
# A token may follow the n of an escaped newline in JSON.
_ESCAPED = r"(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4})"
_START = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})"
# For prefixes that are also common, or that match long non-tokens.
_WORD_START = rf"(?:(?<![A-Za-z0-9_-])|{_ESCAPED})"
_END = "(?![A-Za-z0-9])"
_MIXED = rf"(?={_CHAR}{{0,60}}?[A-Z])(?={_CHAR}{{0,60}}?\d)"


class SecretFormat(NamedTuple):
    """Format of one issuer's tokens."""

    kind: str
    sign: str
    expression: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled at first use."""
        return _compiled(self.expression)


_compiled = lru_cache(maxsize=None)(re.compile)


def _secret_format(kind: str, sign: str, pattern: str, *, start: str = _START) -> SecretFormat:
    return SecretFormat(kind, sign, start + pattern)


def _prefix_pattern(prefix: str, least: int, of: str = "[A-Za-z0-9]") -> str:
    return rf"{prefix}{of}{{{least},}}+"


# The secret key of a pair often follows the access key, without a name.
_AWS_PAIR = r"(?:[\"'`]?[,;:|\s]{1,9}[\"'`]?[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=]))?"
_AWS = rf"[A-Z0-9]{{16}}{_END}{_AWS_PAIR}"

# Password hashes in htpasswd, shadow and application tables.
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

SECRET_FORMATS: tuple[SecretFormat, ...] = (
    *(
        _secret_format("AWS access key", sign, sign + _AWS)
        for sign in ("AKIA", "ASIA", "ABIA", "ACCA")
    ),
    *(
        _secret_format("GitHub token", sign, _prefix_pattern(sign, 36))
        for sign in ("gho_", "ghp_", "ghs_", "ghu_", "ghr_")
    ),
    _secret_format("GitHub token", "github_pat_", _prefix_pattern("github_pat_", 22, _CHAR)),
    *(
        _secret_format("GitLab token", sign, _prefix_pattern(sign, 20, _CHAR))
        for sign in ("glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glimt-")
    ),
    _secret_format("GitLab token", "GR1348941", _prefix_pattern("GR1348941", 20, _CHAR)),
    _secret_format("Anthropic key", "sk-ant-", _prefix_pattern("sk-ant-", 20, _CHAR)),
    _secret_format(
        "OpenAI key", "sk-", _prefix_pattern("sk-(?:proj|svcacct|admin|None)-", 20, _CHAR)
    ),
    _secret_format(
        "OpenAI key", "sk-", r"sk-(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,}+", start=_WORD_START
    ),
    _secret_format("OpenRouter key", "sk-or-", _prefix_pattern("sk-or-v1-", 40, _HEX)),
    _secret_format("Google API key", "AIza", _prefix_pattern("AIza", 35, _CHAR)),
    _secret_format("Google access token", "ya29.", _prefix_pattern(r"ya29\.", 20, _CHAR)),
    _secret_format("Google client secret", "GOCSPX-", _prefix_pattern("GOCSPX-", 24, _CHAR)),
    _secret_format(
        "Slack token", "xox", rf"xox[a-z](?:\.xox[a-z])?-(?={_CHAR}{{0,30}}\d){_CHAR}{{20,}}+"
    ),
    _secret_format("Slack token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}+"),
    _secret_format(
        "Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/[a-z]{1,20}/[A-Za-z0-9/]{20,}+"
    ),
    _secret_format(
        "Discord webhook",
        "/api/webhooks/",
        rf"discord(?:app)?\.com/api/webhooks/\d{{10,25}}/{_CHAR}{{40,}}+",
    ),
    # A user id in base64, the time and a signature.
    *(
        _secret_format(
            "Discord bot token",
            sign,
            rf"{sign}(?=[A-Za-z]{{0,24}}\d)[A-Za-z0-9]{{22,26}}\.{_CHAR}{{6}}\.{_CHAR}{{27,45}}",
        )
        for sign in ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT")
    ),
    *(
        _secret_format("Stripe key", sign, _prefix_pattern(f"[rs]{sign}", 16))
        for sign in ("k_live_", "k_test_")
    ),
    _secret_format("Stripe key", "whsec_", _prefix_pattern("whsec_", 16, "[A-Za-z0-9+/=]")),
    _secret_format("npm token", "npm_", _prefix_pattern("npm_", 36)),
    _secret_format("PyPI token", "pypi-", _prefix_pattern("pypi-", 50, _CHAR)),
    _secret_format("Docker token", "dckr_", _prefix_pattern("dckr_(?:pat|oat)_", 20, _CHAR)),
    _secret_format("Hugging Face token", "hf_", _prefix_pattern("hf_", 30)),
    _secret_format("SendGrid key", "SG.", rf"SG\.{_CHAR}{{16,64}}\.{_CHAR}{{16,128}}"),
    _secret_format("Mailgun key", "key-", rf"key-{_HEX}{{32}}{_END}"),
    _secret_format("Mailchimp key", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}{_END}"),
    _secret_format("Twilio key", "SK", rf"SK{_HEX}{{32}}{_END}"),
    _secret_format("DigitalOcean token", "_v1_", rf"do[opr]_v1_{_HEX}{{64}}"),
    _secret_format("Groq key", "gsk_", _prefix_pattern("gsk_", 40)),
    _secret_format("xAI key", "xai-", _prefix_pattern("xai-", 60)),
    _secret_format("Perplexity key", "pplx-", _prefix_pattern("pplx-", 40)),
    _secret_format("Replicate token", "r8_", _prefix_pattern("r8_", 37)),
    _secret_format("Tavily key", "tvly-", rf"tvly-{_MIXED}{_CHAR}{{28,}}+"),
    _secret_format("Pinecone key", "pcsk_", _prefix_pattern("pcsk_", 20, _CHAR)),
    _secret_format("Voyage key", "pa-", rf"pa-{_MIXED}{_CHAR}{{40,}}+", start=_WORD_START),
    _secret_format("Telegram bot token", ":AA", rf"\d{{8,10}}:AA{_CHAR}{{33}}"),
    _secret_format("Shopify token", "shp", rf"shp(?:at|ca|pa|ss)_{_HEX}{{32}}{_END}"),
    _secret_format("Square key", "sq0", _prefix_pattern("sq0(?:atp|csp|idp)-", 22, _CHAR)),
    _secret_format("Databricks token", "dapi", rf"dapi{_HEX}{{32}}(?:-\d)?{_END}"),
    _secret_format("Grafana token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    _secret_format("Linear key", "lin_", _prefix_pattern("lin_(?:api|oauth)_", 32)),
    _secret_format("Notion token", "ntn_", _prefix_pattern("ntn_", 40)),
    _secret_format("Notion token", "secret_", rf"secret_{_MIXED}[A-Za-z0-9]{{43}}{_END}"),
    _secret_format("Vault token", "hv", _prefix_pattern(r"hv[sbr]\.", 24, _CHAR)),
    _secret_format("Terraform token", ".atlasv1.", rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_CHAR}{{60,}}+"),
    _secret_format("Supabase key", "sb", rf"(?:sbp_{_HEX}{{40}}|sb_secret_{_CHAR}{{20,}}+)"),
    _secret_format(
        "PlanetScale key", "pscale_", _prefix_pattern("pscale_(?:tkn|pw|oauth)_", 32, r"[\w.=-]")
    ),
    _secret_format("Heroku key", "HRKU-", _prefix_pattern("HRKU-", 36, _CHAR)),
    _secret_format("New Relic key", "NRAK-", _prefix_pattern("NRAK-", 27)),
    _secret_format("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}+"),
    _secret_format("Atlassian token", "ATATT3", _prefix_pattern("ATATT3", 100, r"[\w=-]")),
    _secret_format("Postman key", "PMAK-", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    _secret_format("Fly token", "fm", r"fm[12][ar]?_[A-Za-z0-9+/=_,-]{60,}+"),
    _secret_format("Netlify token", "nfp_", _prefix_pattern("nfp_", 36)),
    _secret_format("Sentry token", "sntry", _prefix_pattern("sntry[su]_", 40, "[A-Za-z0-9+/=_-]")),
    _secret_format("Figma token", "figd_", _prefix_pattern("figd_", 36, _CHAR)),
    _secret_format("Airtable token", "pat", rf"pat[A-Za-z0-9]{{14}}\.{_HEX}{{64}}"),
    _secret_format("Azure secret", "Q~", r"[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}"),
    _secret_format(
        "age key", "AGE-SECRET-KEY-1", _prefix_pattern("AGE-SECRET-KEY-1", 50, "[A-Z0-9]")
    ),
    _secret_format(
        "private key",
        "kty",
        rf"(?P<before>\\?\"(?:d|p|q|dp|dq|qi|k)\\?\"\s{{0,3}}:\s{{0,3}}\\?\")"
        rf"(?P<secret>{_CHAR}{{20,}}+)",
    ),
    *(_secret_format("password hash", sign, pattern) for sign, pattern in _HASHES),
    _secret_format(
        "JSON web token",
        "eyJ",
        rf"eyJ{_CHAR}{{10,}}+\.(?:eyJ{_CHAR}{{10,}}+\.{_CHAR}*+|(?:{_CHAR}*+\.){{3}}{_CHAR}{{10,}}+)",
        start=_WORD_START,
    ),
)
