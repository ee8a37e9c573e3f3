"""Each provider's wire form, against a real server on this machine that speaks it."""

from __future__ import annotations

import json

import pytest
from local_provider import Answer, provider
from pydantic import SecretStr

from memory_core.errors import ConfigurationError, ExtractionError, LanguageModelUnavailableError
from memory_core.extract.factory import choose_extractor
from memory_core.extract.http_model import http_model
from memory_core.model.facts.extraction import Message
from memory_core.rules.facts.extraction import extraction_prompt, merge_prompt
from memory_core.settings import Settings
from memory_core.settings.language_models import LanguageModelSettingsFields

FACTS = '{"facts": [{"content": "Ann likes tea.", "category": "preference", "occurred_at": ""}]}'
SAID = [Message(name="Ann", content="I like tea.")]
KEY = SecretStr("sk-very-secret")


def chat(text, **message):
    return {"choices": [{"message": {"role": "assistant", "content": text, **message}}]}


def tool_call(text):
    return {"content": [{"type": "tool_use", "name": "answer", "input": json.loads(text)}]}


def candidate(*texts):
    return {"candidates": [{"content": {"parts": [{"text": text} for text in texts]}}]}


PROVIDERS = {
    "openai_compatible": ("/chat/completions", "authorization", chat(FACTS)),
    "openai": ("/chat/completions", "authorization", chat(FACTS)),
    "anthropic": ("/messages", "x-api-key", tool_call(FACTS)),
    "google": ("/models/m:generateContent", "x-goog-api-key", candidate(FACTS[:9], FACTS[9:])),
}


def extractor(name, server):
    return choose_extractor(
        LanguageModelSettingsFields(
            llm_provider=name, llm_model="m", llm_base_url=server.address, llm_api_key=KEY
        )
    )


@pytest.mark.parametrize("name", PROVIDERS)
def test_facts_come_from_every_provider(name):
    path, header, answer = PROVIDERS[name]
    with provider(Answer(answer)) as server:
        found = extractor(name, server)
        parsed = found.facts(SAID)
    (asked,) = server.asked
    sent = json.dumps(asked.body)

    assert [("Ann likes tea.", "preference")] == [(f.content, f.category) for f in parsed.facts]
    assert (path, f"{name}/m") == (asked.path, found.name)
    assert asked.headers[header].endswith("sk-very-secret") and "secret" not in sent
    assert "I like tea." in sent and "quotation-1" in sent


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        (
            "openai_compatible",
            chat([{"type": "thinking", "thinking": []}, {"type": "text", "text": FACTS}]),
        ),
        (
            "google",
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [
                                {"text": '["Ann likes rum."]', "thought": True},
                                {"text": FACTS},
                            ]
                        }
                    }
                ]
            },
        ),
    ],
)
def test_multipart_answers_are_joined_without_reasoning(name, answer):
    with provider(Answer(answer)) as server:
        parsed = extractor(name, server).facts(SAID)

    assert ["Ann likes tea."] == [fact.content for fact in parsed.facts]


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("form", ["facts", "statement"])
def test_every_provider_receives_the_response_schema(name, form):
    prompt = (
        extraction_prompt(SAID) if form == "facts" else merge_prompt("Ann likes tea.", ["Tea."])
    )
    with provider(Answer(PROVIDERS[name][2])) as server:
        extractor(name, server).model.complete(prompt)
    body = server.asked[0].body
    if name == "anthropic":
        shape = body["tools"][0]["input_schema"]
    elif name == "google":
        shape = body["generationConfig"]["responseSchema"]
    else:
        shape = body["response_format"]["json_schema"]["schema"]

    assert {"facts": ["facts"], "statement": ["content", "same_matter"]}[form] == shape["required"]


def test_servers_without_schema_support_get_a_plain_request():
    with provider(Answer(status=400), Answer(chat(FACTS))) as server:
        parsed = extractor("openai_compatible", server).facts(SAID)

    assert (1, False) == (len(parsed.facts), "response_format" in server.asked[1].body)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("openai", chat(None, refusal="I cannot help with that.")),
        ("openai", {"choices": []}),
        ("openai_compatible", {"choices": "none"}),
        ("openai_compatible", chat({"text": 1})),
        ("anthropic", {"content": [], "stop_reason": "refusal"}),
        (
            "anthropic",
            {"content": [{"type": "tool_use", "input": {}}], "stop_reason": "max_tokens"},
        ),
        ("anthropic", {"content": "text"}),
        ("google", {"promptFeedback": {"blockReason": "SAFETY"}}),
        ("google", {"candidates": [{"finishReason": "SAFETY"}]}),
        ("google", {"candidates": [{"content": {"parts": [{"text": 4}]}}]}),
    ],
)
def test_model_refusals_raise_an_error(name, answer):
    unavailable = pytest.raises(LanguageModelUnavailableError, match=f"{name}/m returned no text")
    with provider(Answer(answer)) as server, unavailable:
        extractor(name, server).facts(SAID)


@pytest.mark.parametrize("text", ["I am sorry, I have no list.", "null", '{"facts": "none"}'])
def test_answers_without_facts_raise_an_error(text):
    failed = pytest.raises(ExtractionError, match="no list of facts")
    with provider(Answer(chat(text))) as server, failed:
        extractor("openai", server).facts(SAID)


def test_truncated_answers_keep_their_complete_facts():
    cut = '{"facts": [{"content": "Ann likes tea."}, {"content": "Ann li'
    with provider(Answer(chat(cut))) as server:
        parsed = extractor("openai", server).facts(SAID)

    assert (1, 1) == (len(parsed.facts), len(parsed.refused))


@pytest.mark.parametrize("name", PROVIDERS)
def test_busy_providers_are_retried(name):
    busy = Answer(status=429, headers={"retry-after": "0"})
    with provider(busy, Answer(PROVIDERS[name][2])) as server:
        assert 1 == len(extractor(name, server).facts(SAID).facts)


def test_local_servers_receive_long_conversations_in_parts():
    said = [Message(name="Ann", content=f"{number} " + "tea " * 5_000) for number in range(2)]
    more = FACTS.replace("tea", "cake")
    with provider(Answer(chat(FACTS)), Answer(chat(more)), Answer(chat(FACTS))) as server:
        parsed = extractor("openai_compatible", server).facts(said)
    sent = [asked.body["messages"][1]["content"] for asked in server.asked]

    assert ["Ann likes tea.", "Ann likes cake."] == [fact.content for fact in parsed.facts]
    assert 10_000 == sum(text.count("tea") for text in sent)
    assert all(len(text) < 20_000 and '"name": "Ann"' in text for text in sent)


def test_no_extractor_is_configured_by_default_or_for_sampling():
    assert choose_extractor(Settings()) is None
    assert choose_extractor(Settings(llm_provider="sampling")) is None


@pytest.mark.parametrize("name", ["openai", "anthropic", "google"])
def test_missing_key_error_names_the_provider(name):
    lacking = choose_extractor(LanguageModelSettingsFields(llm_provider=name))

    with pytest.raises(LanguageModelUnavailableError, match=f"No API key for {name}"):
        lacking.facts(SAID)


def test_local_servers_require_a_model_name():
    with pytest.raises(ConfigurationError, match="LLM_MODEL is not set"):
        http_model(LanguageModelSettingsFields(llm_provider="openai_compatible"))


def test_keys_are_not_sent_unencrypted():
    settings = LanguageModelSettingsFields(
        llm_provider="openai",
        llm_base_url="http://192.0.2.7/v1",
        llm_allow_remote=True,
        llm_api_key=KEY,
    )

    with pytest.raises(ConfigurationError, match="in the clear"):
        http_model(settings)


@pytest.mark.parametrize("name", PROVIDERS)
def test_remote_hosts_require_permission(name):
    settings = LanguageModelSettingsFields(
        llm_provider=name, llm_model="m", llm_base_url="https://192.0.2.7/v1", llm_api_key=KEY
    )

    with pytest.raises(LanguageModelUnavailableError, match="LLM_ALLOW_REMOTE=true"):
        choose_extractor(settings).facts(SAID)
