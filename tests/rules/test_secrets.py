"""What is a secret, what is none, and that taking one out costs little."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.secrets import redacted, redacted_arguments

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
}


@pytest.mark.parametrize("kind", MARKED)
def test_a_key_with_the_mark_of_its_issuer_is_taken_out(kind):
    """
    What stands around it stays word for word.
    """
    text, kinds = redacted(f"Deploy with {MARKED[kind]} until Friday.")

    assert (f"Deploy with [redacted: {kind}] until Friday.", (kind,)) == (text, kinds)


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        (f"DB_PASSWORD={LONG}", "DB_PASSWORD="),
        (f'{{"client_secret": "{LONG}"}}', '{"client_secret": "'),
        (f"export SERVICE_API_KEY='{LONG}'", "export SERVICE_API_KEY='"),
        (f"curl -H 'Authorization: Bearer {LONG}'", "curl -H 'Authorization: Bearer "),
        ("postgres://app:hunter2@db:5432/main", "postgres://app:"),
    ],
)
def test_what_stands_where_a_password_stands_is_taken_out(text, stays):
    """
    The words before it stay: it is worth knowing that there is a password.
    """
    clean, kinds = redacted(text)

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
    ],
)
def test_what_only_looks_like_a_secret_stays(text):
    """
    A memory that eats hashes of commits and ids is of no use to a developer.
    """
    assert (text, ()) == redacted(text)


def test_a_key_is_found_inside_json_text_too():
    """
    Properties are stored as JSON, where the lines of a private key end in a backslash and an n.
    """
    text, kinds = redacted(json.dumps({"note": f"key:\n{KEY}"}))

    assert ("private key",) == kinds
    assert {"note": "key:\n[redacted: private key]"} == json.loads(text)


def test_half_a_private_key_is_taken_out_as_well():
    """
    Somebody who pasted the first lines only has leaked enough.
    """
    text, kinds = redacted(KEY[: -len("\n-----END PRIVATE KEY-----")] + "\nThanks!")

    assert ("[redacted: private key]Thanks!", ("private key",)) == (text, kinds)


def test_arguments_name_the_place_of_each_secret():
    """
    The answer of a tool says which of a hundred observations held the key.
    """
    given_to_tool = {
        "observations": [{"content": "fine"}, {"content": MARKED["npm token"]}],
        "properties": {"api_key": LONG, "port": 5432},
    }

    clean, found = redacted_arguments(given_to_tool)

    assert [
        ("npm token", "observations[1].content"),
        ("password or key", "properties.api_key"),
    ] == list(found)
    assert LONG not in json.dumps(clean)
    assert 5432 == clean["properties"]["port"]


@given(st.lists(st.sampled_from([*MARKED.values(), "password=", "://u:", "@", " ", "x1", "\n"])))
def test_what_was_taken_out_once_is_found_no_more(parts):
    """
    Storing a text that came out of memory changes nothing.
    """
    text, _ = redacted(" ".join(parts))

    assert (text, ()) == redacted(text)


@given(st.text())
def test_any_text_without_a_secret_stays_as_it_is(text):
    """
    Nothing but a secret is touched.
    """
    clean, kinds = redacted(text)

    assert kinds or text == clean


@pytest.mark.parametrize("start", ["eyJ", "sk-", "password=", "a://u", "a_", "xoxb-a-", "token:"])
def test_a_hostile_text_is_gone_through(start):
    """
    No pattern starts within a word or looks further than a key is long, so that work grows with
    the text; otherwise this would not end within hours.
    """
    text = start * (300_000 // len(start))

    clean, kinds = redacted(text)

    assert kinds or text == clean


def test_many_beginnings_of_a_private_key_are_gone_through():
    """
    Each beginning looks no further than the next.
    """
    text = "-----BEGIN PRIVATE KEY-----" * 20_000

    assert (text, ()) == redacted(text)
