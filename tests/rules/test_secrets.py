from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.secret_prefixes import SECRET_FORMATS
from memory_core.rules.secrets import redact_arguments, redact_text
from tests.rules.secret_corpus import INNOCENTS, SECRETS, WORD, encoded

LONG = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
KEY = f"-----BEGIN PRIVATE KEY-----\n{LONG}{LONG}\n{LONG}\n-----END PRIVATE KEY-----"

# Put together here, so that no scanner takes this file for a leak.
MARKED = {
    "AWS access key": "AKIA" + "QWERTYUIOPASDFGH",
    "GitHub token": "ghp" + "_" + LONG[:36],
    "GitLab token": "glpat" + "-" + LONG[:20],
    "Anthropic key": "sk-" + "ant-api03-" + LONG,
    "OpenAI key": "sk-" + "proj-" + LONG,
    "Google API key": "AIza" + LONG[:35],
    "Slack token": "xoxb" + "-12345678-87654321-" + LONG[:24],
    "Stripe key": "sk_" + "live_" + LONG[:24],
    "npm token": "npm" + "_" + LONG[:36],
    "PyPI token": "pypi" + "-" + LONG + LONG,
    "Hugging Face token": "hf" + "_" + LONG[:34],
    "SendGrid key": "SG" + "." + LONG[:22] + "." + LONG + "abc",
    "JSON web token": "eyJ" + LONG + ".eyJ" + LONG + "." + LONG,
    "private key": KEY,
    "OpenRouter key": "sk-" + "or-v1-" + "ab12" * 16,
    "Google access token": "ya29" + "." + LONG,
    "Google client secret": "GOCSPX" + "-" + LONG[:28],
    "Slack webhook": "hooks.slack" + ".com/services/T01234567/B01234567/" + LONG[:24],
    "Discord webhook": "discord" + ".com/api/webhooks/123456789012345678/" + LONG + LONG,
    "Discord bot token": "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".a1B2c3." + LONG[2:29],
    "Docker token": "dckr" + "_pat_" + LONG[:27],
    "Mailgun key": "key" + "-" + "ab12cd34" * 4,
    "Mailchimp key": "ab12cd34" * 4 + "-us12",
    "Twilio key": "SK" + "ab12" * 8,
    "DigitalOcean token": "dop" + "_v1_" + "ab12" * 16,
    "Groq key": "gsk" + "_" + LONG,
    "xAI key": "xai" + "-" + LONG + LONG,
    "Perplexity key": "pplx" + "-" + LONG,
    "Replicate token": "r8" + "_" + LONG[:37],
    "Tavily key": "tvly" + "-" + LONG[:32],
    "Pinecone key": "pcsk" + "_" + LONG,
    "Voyage key": "pa" + "-" + LONG + "x_-",
    "Telegram bot token": "123456789" + ":AA" + LONG[:33],
    "Shopify token": "shpat" + "_" + "ab12cd34" * 4,
    "Square key": "sq0csp" + "-" + LONG + "abc",
    "Databricks token": "dapi" + "ab12cd34" * 4,
    "Grafana token": "glsa" + "_" + LONG[:32] + "_ab12cd34",
    "Linear key": "lin" + "_api_" + LONG,
    "Notion token": "ntn" + "_" + LONG + "abcdef",
    "Vault token": "hvs" + "." + LONG + LONG,
    "Terraform token": LONG[:14] + ".atlasv1" + "." + LONG + LONG,
    "Supabase key": "sbp" + "_" + "ab12cd34" * 5,
    "PlanetScale key": "pscale" + "_tkn_" + LONG[:32],
    "Heroku key": "HRKU" + "-" + LONG[:36],
    "New Relic key": "NRAK" + "-" + "ABCDEFGHIJ1234567890ABCDEFG",
    "Doppler token": "dp" + ".pt." + LONG + "abc",
    "Atlassian token": "ATATT3" + LONG * 4,
    "Postman key": "PMAK" + "-" + "ab12cd34" * 3 + "-" + "ab12cd34" * 4 + "ab",
    "Fly token": "fm2" + "_" + LONG * 3,
    "Netlify token": "nfp" + "_" + LONG,
    "Sentry token": "sntrys" + "_" + LONG,
    "Figma token": "figd" + "_" + LONG,
    "Airtable token": "pat" + LONG[:14] + "." + "ab12cd34" * 8,
    "Azure secret": "abc8" + "Q~" + LONG[:34],
    "password hash": "$2y" + "$10$" + LONG[:40] + "abcdefghijklm",
    "age key": "AGE-SECRET-" + "KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2,
}

# Other forms of the same kinds.
FORMS = [
    "github" + "_pat_" + LONG[:22] + "_" + LONG + LONG[:19],
    "https://" + "ghp" + "_" + LONG[:36] + "@github.com/example/turbovec.git",
    "DEPLOY_" + "ghp" + "_" + LONG[:36],
    "ABIA" + "QWERTYUIOPASDFGH",
    "xapp" + "-1-A0123456789-1234567890123-" + LONG,
    "eyJ" + LONG + ".eyJ" + LONG + ".",
    "eyJ" + LONG + "." + ".".join([LONG] * 4),
    "eyJ" + LONG * 120 + ".eyJ" + LONG + "." + LONG,
    "sk-" + LONG,
    KEY.replace("-----", "---- "),
    KEY.replace("BEGIN PRIVATE KEY", "begin rsa private key").replace(
        "END PRIVATE", "END DSA PRIVATE"
    ),
    "Private-" + f"Lines: 2\n{LONG}{LONG}\n{LONG}\n",
    json.dumps({"kty": "OKP", "crv": "Ed25519", "d": LONG}),
    f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256,AB\n\n{LONG}\n",
    "\n".join(f"> {line}" for line in KEY.splitlines()[:-1]),
    "\n".join(f'"{line}\\n" +' for line in KEY.splitlines()[:-1]),
    # Without the line that says what it is: how the key begins says so as well.
    "MIIEow" + f"IBAAKCAQEA{LONG}\n{LONG}{LONG}\n{LONG}=",
    "MIIEvQ" + f"IBADANBgkqhkiG9w0BAQEFAASC{LONG}\n{LONG}{LONG}",
    "MHcCAQ" + f"EEI{LONG}\n{LONG}{LONG}",
    "b3BlbnNzaC1r" + f"ZXktdjEA{LONG}\n{LONG}{LONG}",
    "MC4CAQAw" + f"BQYDK2VwBCIEI{LONG}",
    # With invisible characters inside.
    "ghp" + "_" + "\u200b".join((LONG[:18], LONG[18:36])),
    "gh\u2060p" + "_" + "\u00ad".join((LONG[:6], LONG[6:36])),
    "me:$apr1" + "$" + LONG[:8] + "$" + LONG[:22],
    "root:$6" + "$rounds=5000$" + LONG[:16] + "$" + LONG + LONG + LONG[:6] + ":19000:0:99999:7:::",
    "$argon2id" + "$v=19$m=65536,t=3,p=4$" + LONG[:22] + "$" + LONG,
    "me:{SSHA}" + LONG[:32],
]


@pytest.mark.parametrize("kind", MARKED)
def test_issuer_formats_are_redacted(kind):
    text, kinds = redact_text(f"Deploy with {MARKED[kind]} until Friday.")

    assert (f"Deploy with [redacted: {kind}] until Friday.", (kind,)) == (text, kinds)


@pytest.mark.parametrize("text", [*MARKED.values(), *FORMS])
def test_a_lone_key_is_detected(text):
    clean, kinds = redact_text(f"Words before.\n\n{text}\n\nWords after.")

    assert kinds
    assert LONG[2:16] not in clean and "ab12cd34" not in clean
    assert clean.startswith("Words before.\n") and clean.endswith("Words after.")


def test_every_issuer_format_has_an_example():
    assert {mark.kind for mark in SECRET_FORMATS} <= MARKED.keys()


@pytest.mark.parametrize("text", MARKED.values())
@pytest.mark.parametrize("before", ["\n", "\t", '"', "\u00fc", "\x07"])
def test_keys_after_json_escapes_are_detected(before, text):
    stored = json.dumps({"note": f"see{before}{text}"})

    clean, kinds = redact_text(stored)

    assert kinds
    assert LONG[2:16] not in clean
    assert ["note"] == list(json.loads(clean))


@pytest.mark.parametrize("shape", [["BEGIN"], {"a": ["BEGIN"], "b": "END"}, {"a": {"BEGIN": 1}}])
def test_redacted_json_stays_valid(shape):
    text = json.dumps(shape).replace("BEGIN", KEY[:60].replace("\n", "\\n"))
    text = text.replace("END", KEY[-60:].replace("\n", "\\n") + MARKED["npm token"])

    clean, _ = redact_text(text)

    assert type(shape) is type(json.loads(clean))


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        (f"DB_PASSWORD={LONG}", "DB_PASSWORD="),
        (f'{{"client_secret": "{LONG}"}}', '{"client_secret": "'),
        (f"export SERVICE_API_KEY='{LONG}'", "export SERVICE_API_KEY='"),
        (f"curl -H 'Authorization: Bearer {LONG}'", "curl -H 'Authorization: Bearer "),
        ("postgres://app:hunter2@db:5432/main", "postgres://app:"),
        ("postgres://app:p@ss:w0rd@db:5432/main", "postgres://app:"),
        (f"https://{LONG}@sentry.example/1", "https://"),
        ("PGPASSWORD=Hunter2-9", "PGPASSWORD="),
        ("MYSQL_PWD=Hunter2-9", "MYSQL_PWD="),
        (f"githubToken = '{LONG}'", "githubToken = '"),
        (f"SECRET_KEY_BASE={LONG}", "SECRET_KEY_BASE="),
        (f"AccountKey={LONG}{LONG}==", "AccountKey="),
        (f"TOKEN={LONG * 20}", "TOKEN="),
        (f"<password>{LONG}</password>", "<password>"),
        (f"password: |\n  {LONG}", "password: |\n  "),
        (f"The api key is {LONG}", "The api key is "),
        (f"deploy --token {LONG}", "deploy --token "),
        ("curl -u admin:Hunter2-9 https://db", "curl -u admin:"),
        ("machine db login me password Hunter2-9", "machine db login me password "),
        (f"Bearer {LONG}", "Bearer "),
        ("mysql -u root -pHunter2-9 shop", "mysql -u root -p"),
        ("mysqldump -p'Hunter2-9' shop", "mysqldump -p'"),
        ("sshpass -p Hunter2-9 ssh me@db", "sshpass -p "),
        ("redis-cli -h db -a Hunter2-9", "redis-cli -h db -a "),
        ("docker login -u me -p Hunter2-9", "docker login -u me -p "),
        ("curl --user me:Hunter2-9 db", "curl --user me:"),
        ("openssl rsa -passin pass:Hunter2-9", "openssl rsa -passin pass:"),
        ("localhost:5432:shop:me:Hunter2-9", "localhost:5432:shop:me:"),
        ("Das Passwort: Hunter2-9", "Das Passwort: "),
        ("mot de passe = Hunter2-9", "mot de passe = "),
        ("\u5bc6\u7801\uff1aHunter2-9", "\u5bc6\u7801\uff1a"),
        (f"Cookie: sid={LONG}", "Cookie: sid="),
        ("**Password:** Hunter2-9", "**Password:** "),
        ("**Password**: Hunter2-9", "**Password**: "),
        ("Password: `Hunter2-9`", "Password: `"),
        (f"__Token__: {LONG}", "__Token__: "),
        ("| password | Hunter2-9 |", "| password | "),
        ("| **Kennwort** | `Hunter2-9` |", "| **Kennwort** | `"),
        (f"| api key | {LONG} |", "| api key | "),
        (f"next=/a%3Ftoken%3D{LONG}", "next=/a%3Ftoken%3D"),
        (f"https://maps.example/?key={LONG}", "https://maps.example/?key="),
    ],
)
def test_passwords_are_redacted_by_context(text, stays):
    clean, kinds = redact_text(text)

    assert clean.startswith(stays + "[redacted: ")
    assert 1 == len(kinds)


@pytest.mark.parametrize(
    "text",
    [
        "Fixed in commit 3f2a9d8c7b6e5f4a3d2c1b0a9f8e7d6c5b4a3f2e on main.",
        "sha256:53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "The request id was 0190163d-8694-739b-aea5-966c26f8ad91.",
        "Set OPENAI_API_KEY=${OPENAI_API_KEY} in .env",
        "api_key = os.environ['API_KEY']",
        "password: ************",
        "The token bucket refills 100 tokens a second; max_tokens=4096.",
        "tokenizer=all-MiniLM-L6-v2",
        "A file begins with -----BEGIN PRIVATE KEY----- and then the key.",
        "git clone https://github.com/example/turbovec.git",
        "sk-learn-is-a-nick-name-of-a-library",
        "Ask Anna for the password of the staging machine.",
        "xoxo-love from all of us",
        "The token is sha256-hashed and the api key is base64-encoded.",
        "It starts -----BEGIN PRIVATE KEY----- and stops -----END PRIVATE KEY-----.",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"',
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "token_url: https://login.example.com/oauth2/v2.0/token",
        "password = config.get2('password')",
        "see http://host:8080/users/anna@example.com",
        "session: 2024-01-15T12:00:00Z, cache key: user:1234:profile",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n",
        "mysql -p shop < dump2.sql; mysql --port=3306 -P3306 --protocol=tcp2",
        "ports: 127.0.0.1:5432:5432 and web1:8080:80:tcp:v2start",
        "The price is $1$2 or $5$6, and $2y is a variable of PHP.",
        "awk '{print $1$2}' and sed 's/a$1$b/x/' and ${2}y${10}",
        "Ein Passwort: bitte ein langes. \u5bc6\u7801\uff1a********",
        "soft\u00adhyphens and zero\u200bwidth spaces stay, commit 3f2a9d8\u200bc7b6e5f4a3d",
        "Cookie: theme=dark; consent=yes",
        "redis-cli -a $REDIS_PASSWORD and sshpass -p <password>",
        "pip login -p 8080:80 and docker run -p 127.0.0.1:8080:80 image2",
        "?next=%3Fa%3D1 and token%3Dnone",
        "| password | varchar(255) | the hash |\n| token | uuid | 36 characters |",
        "**Password:** ask Anna. **Token:** <your-token>. | key | `primary` |",
        "MTk4NjIyNDgzNDcxOTI1MjQ4 is base64, as is Mjk4.a1.b2",
    ],
)
def test_lookalikes_of_secrets_are_kept(text):
    assert (text, ()) == redact_text(text)


@pytest.mark.parametrize(("name", "text", "secret"), SECRETS)
def test_each_shape_of_a_secret_is_removed(name, text, secret):
    clean, kinds = redact_text(text)

    assert kinds and secret not in clean, name
    assert (clean, ()) == redact_text(clean)


@pytest.mark.parametrize("text", INNOCENTS)
def test_each_text_without_a_secret_is_unchanged(text):
    assert (text, ()) == redact_text(text)


def test_the_corpus_has_two_hundred_texts_of_each_sort():
    assert len({text for _, text, _ in SECRETS}) >= 200
    assert len({*INNOCENTS}) >= 200


def test_a_docker_config_is_redacted_by_its_keys():
    login = encoded("me:" + WORD[:6])

    clean, found = redact_arguments({"auths": {"a.example": {"auth": login}}})

    assert [("password or key", "auths.a.example.auth")] == list(found)
    assert login not in json.dumps(clean)


def test_keys_inside_json_strings_are_detected():
    text, kinds = redact_text(json.dumps({"note": f"key:\n{KEY}"}))

    assert ("private key",) == kinds
    assert {"note": "key:\n[redacted: private key]"} == json.loads(text)


def test_truncated_private_keys_are_redacted():
    text, kinds = redact_text(KEY[: -len("\n-----END PRIVATE KEY-----")] + "\nThanks!")

    assert ("[redacted: private key]Thanks!", ("private key",)) == (text, kinds)


def test_argument_redactions_report_their_place():
    given_to_tool = {
        "observations": [{"content": "fine"}, {"content": MARKED["npm token"]}],
        "properties": {"api_key": LONG, "port": 5432},
    }

    clean, found = redact_arguments(given_to_tool)

    assert 5432 == clean["properties"]["port"]
    assert [
        ("npm token", "observations[1].content"),
        ("password or key", "properties.api_key"),
    ] == list(found)
    assert LONG not in json.dumps(clean)


def test_redaction_places_contain_no_secret():
    clean, found = redact_arguments({"properties": {MARKED["npm token"]: MARKED["Groq key"]}})

    assert ["properties", "properties.[redacted: npm token]"] == [each.where for each in found]
    assert LONG[:30] not in json.dumps(clean)


@given(st.lists(st.sampled_from([*MARKED.values(), "password=", "://u:", "@", " ", "x1", "\n"])))
def test_redaction_is_idempotent(parts):
    text, _ = redact_text(" ".join(parts))

    assert (text, ()) == redact_text(text)


# Letters of any script, marks and spaces: no secret is written without digits or punctuation.
WORDS = st.text(st.characters(categories=("L", "M", "Zs")))


@given(WORDS)
def test_plain_words_are_never_redacted(text):
    assert (text, ()) == redact_text(text)


@given(WORDS, st.sampled_from(list(MARKED)), WORDS)
def test_redaction_keeps_the_surrounding_text(before, kind, after):
    text, kinds = redact_text(f"{before} {MARKED[kind]} {after}")

    assert (f"{before} [redacted: {kind}] {after}", (kind,)) == (text, kinds)


# Repeated, these are as long as a key, and every character of them is one of a key.
KEYS_WHEN_REPEATED = {
    **dict.fromkeys(["glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-"], "GitLab token"),
    **dict.fromkeys(["glimt-", "GR1348941"], "GitLab token"),
    "eyJaaaaaaaaaaaa.": "JSON web token",
    "github_pat_": "GitHub token",
    "sk-ant-": "Anthropic key",
    "AIza": "Google API key",
    "GOCSPX-": "Google client secret",
    "pypi-": "PyPI token",
    "pcsk_": "Pinecone key",
    "HRKU-": "Heroku key",
    "ATATT3": "Atlassian token",
    "figd_": "Figma token",
}


@pytest.mark.parametrize(
    "start",
    [
        *("eyJ", "sk-", "password=", "a://u", "a_", "xoxb-a-", "token:", "a:b@", "--a-token "),
        *("eyJaaaaaaaaaaaa.", "\\neyJ", "curl -u ", "token\t\t\t", "login a password ", "?key="),
        *("mysql ", "mysql -p", "me:$6$", "a:5432:", "cookie: ", "MIIEowIBAAK", "x\u200b"),
        *("---- ", "Private-Lines: 1\n", "PRIVATE KEY-----BEGIN ", "\\n\\n", '"kty""d":"'),
        *("ghp_a\n", "sk-a1\\\n", "YTph", "password: a", "| password | ", "<password ", "auth: a"),
        *('name="a" value=', "login\t", "curl -u a", "pwd=", "basic YTph ", "mot de passe: "),
        # Once each, and in the same order in every process that collects them.
        *dict.fromkeys(mark.sign for mark in SECRET_FORMATS),
    ],
)
def test_redaction_time_is_linear_for_hostile_text(start):
    text = start * (100_000 // len(start))
    kind = KEYS_WHEN_REPEATED.get(start)

    clean, kinds = redact_text(text)

    assert {kind} - {None} == set(kinds)
    if kind is None:
        assert text == clean
    else:
        # A token ends at a dot; the last one may be incomplete.
        rest = {part for part in clean.split(".") if not start.startswith(part)}
        assert {f"[redacted: {kind}]"} == rest


def test_many_private_key_headers_are_scanned():
    text = "-----BEGIN PRIVATE KEY-----" * 20_000

    assert (text, ()) == redact_text(text)
