from __future__ import annotations

import json

import pytest
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, JSONRPCRequest

from memory_core.server.transports.messages import (
    InvalidMessageError,
    parse_message,
    repair_message,
)

PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
DEEP = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5001


@pytest.mark.parametrize(
    ("message", "code", "id"),
    [
        (b"{not json}", PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"pi', PARSE_ERROR, None),
        (b"\xff\xfe{\x00}\x00", PARSE_ERROR, None),
        (DEEP, PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"n":%s}}' % (b"9" * 5000),
         PARSE_ERROR, None),
        (b"[]", INVALID_REQUEST, None),
        (json.dumps([PING, PING]).encode(), INVALID_REQUEST, None),
        *((each, INVALID_REQUEST, None) for each in (b"null", b"5", b'"ping"', b"true", b"{}")),
    ],
)  # fmt: skip
def test_bytes_that_are_no_message_get_an_error(message, code, id):
    with pytest.raises(InvalidMessageError) as refused:
        parse_message(repair_message(message))

    assert (code, id) == (refused.value.answer.error.code, refused.value.answer.id)


@pytest.mark.parametrize(
    ("fields", "code", "id"),
    [
        *(({"id": id}, INVALID_REQUEST, None) for id in (1.5, None, True, [], {}, [1], {"a": 1})),
        *(({"jsonrpc": it}, INVALID_REQUEST, 7) for it in (2.0, "1.0", None, [], {}, True)),
        *(({"method": it}, INVALID_REQUEST, 7) for it in (5, None, [], {}, True, 1.5)),
        *(({"params": it}, INVALID_PARAMS, 7) for it in (5, [], "x", True, [1], 1.5)),
        ({"params": [], "id": None}, INVALID_REQUEST, None),
        ({"method": None, "result": {}}, INVALID_REQUEST, 7),
    ],
)
def test_a_field_of_the_wrong_type_gets_an_error_with_the_request_id(fields, code, id):
    with pytest.raises(InvalidMessageError) as refused:
        parse_message(json.dumps(PING | fields).encode())

    assert (code, id) == (refused.value.answer.error.code, refused.value.answer.id)


@pytest.mark.parametrize(
    "fields", [{"result": 5}, {"error": "no"}, {"error": {"code": "x", "message": 1}}]
)
def test_an_invalid_response_gets_an_error_without_an_id(fields):
    with pytest.raises(InvalidMessageError) as refused:
        parse_message(json.dumps({"jsonrpc": "2.0", "id": 1} | fields).encode())

    assert refused.value.answer.id is None


@pytest.mark.parametrize("id", [0, -1, 2**70, "", "a", "1.5"])
def test_every_string_or_integer_id_is_valid(id):
    message = parse_message(json.dumps(PING | {"id": id}).encode())

    assert isinstance(message, JSONRPCRequest)
    assert id == message.id


@pytest.mark.parametrize(
    "message", [b"\xef\xbb\xbf%s", b"%s\r\n", b"  %s  ", b"\xef\xbb\xbf \t%s\n"]
)
def test_byte_order_mark_and_blanks_around_a_message_are_ignored(message):
    text = repair_message(message % json.dumps(PING).encode())

    assert 7 == parse_message(text).id


def test_invalid_utf8_becomes_replacement_characters():
    raw = json.dumps(PING | {"params": {"text": "?"}}).encode().replace(b"?", b"caf\xe9 \xff")

    assert {"text": "caf\ufffd \ufffd"} == parse_message(repair_message(raw)).params
