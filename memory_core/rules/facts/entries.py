"""What an entry may say: one sentence, five tags, one of five categories."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from ...errors import ValidationError
from ...model.facts.entries import CATEGORIES, Category
from ..text.normalization import clean, clean_name, fold

SUMMARY = 200
TAGS = 5
TAG = 100
# A hundred years: longer is a mistake, and may be no date at all.
TTL_DAYS = 36_500


def summary(text: str) -> str:
    """Return the summary as stored; raise ValidationError unless it has 1 to 200 characters."""
    cleaned = clean(text).strip()
    if not 1 <= len(cleaned) <= SUMMARY:
        raise ValidationError(
            f"summary has {len(cleaned):,} characters and must have 1 to {SUMMARY}. Say it in one "
            "sentence, and put the rest into context_text; nothing was cut or stored."
        )
    return cleaned


def tags(given: Sequence[str]) -> list[str]:
    """
    Return the tags as stored; raise ValidationError unless they are five, distinct and not blank.
    """
    cleaned = [clean_name(tag) for tag in given]
    if len(cleaned) != TAGS:
        raise ValidationError(f"tags has {len(cleaned)} tags and must have exactly {TAGS}.")
    seen: dict[str, str] = {}
    for number, tag in enumerate(cleaned, start=1):
        if not tag:
            raise ValidationError(
                f"tags: tag {number} is blank. Give {TAGS} tags that say something."
            )
        if len(tag) > TAG:
            raise ValidationError(
                f"tags: {tag[:30]!r}... has {len(tag)} characters and may have {TAG}."
            )
        if fold(tag) in seen:
            raise ValidationError(
                f"tags: {tag!r} is there twice (letter case aside). Give {TAGS} different tags."
            )
        seen[fold(tag)] = tag
    return cleaned


def category(given: str) -> Category:
    """Return the category; raise ValidationError if there is none of that name."""
    if given not in CATEGORIES:
        raise ValidationError(
            f"There is no category {given!r}. The categories: {', '.join(CATEGORIES)}."
        )
    return given


def expiry(
    now: datetime, *, ttl_days: int, is_time_sensitive: bool, default: int
) -> datetime | None:
    """Return when an entry goes by itself: after ttl_days or, time-sensitive, the default."""
    if not 0 <= ttl_days <= TTL_DAYS:
        raise ValidationError(
            f"ttl_days must lie between 0 and {TTL_DAYS:,}, not {ttl_days}. 0 means {default} days "
            "for what is time-sensitive, and for ever for everything else."
        )
    days = ttl_days or (default if is_time_sensitive else 0)
    return now + timedelta(days=days) if days else None


def digest(summary: str, tags: Sequence[str]) -> str:
    """Return what two entries share if and only if their merged vectors are the same."""
    # The order of tags adds nothing to a sum.
    canonical = json.dumps([summary, *sorted(tags)], ensure_ascii=False)
    return hashlib.blake2b(canonical.encode(), digest_size=16).hexdigest()
