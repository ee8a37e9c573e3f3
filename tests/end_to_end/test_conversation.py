from __future__ import annotations

from benchmarks import conversation


def test_a_conversation_stored_over_stdio_answers_its_own_questions(capsys):
    assert 0 == conversation.main([]), capsys.readouterr().out
