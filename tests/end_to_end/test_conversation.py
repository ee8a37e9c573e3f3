from __future__ import annotations

from benchmarks import conversation


def test_a_conversation_stored_over_stdio_answers_its_own_questions(capsys):
    """
    A real server process stores every turn, and ten questions find their evidence at once.
    """
    assert 0 == conversation.main([]), capsys.readouterr().out
