"""Validation of entries: one sentence, five tags, one of five categories."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from ...errors import ValidationError
from ...model.facts.entries import CATEGORIES, Category
from ..text.normalization import clean_name, clean_text, fold_name

MAX_SUMMARY = 200
TAG_COUNT = 5
MAX_TAG = 100
# A hundred years: longer is a mistake, and may be no date at all.
MAX_TTL_DAYS = 36_500


def validate_summary(text: str) -> str:
    """Return the summary as stored; raise ValidationError unless it has 1 to 200 characters."""
    cleaned = clean_text(text).strip()
    if not 1 <= len(cleaned) <= MAX_SUMMARY:
        raise ValidationError(
            f"summary has {len(cleaned):,} characters; it must have 1 to {MAX_SUMMARY}. Shorten it "
            "to one sentence and put the rest into context_text. Nothing was stored."
        )
    return cleaned


def validate_tags(given: Sequence[str]) -> list[str]:
    """
    Return the tags as stored; raise ValidationError unless they are five, distinct and not blank.
    """
    cleaned = [clean_name(tag) for tag in given]
    if len(cleaned) != TAG_COUNT:
        raise ValidationError(f"tags has {len(cleaned)} tags and must have exactly {TAG_COUNT}.")
    seen: dict[str, str] = {}
    for number, tag in enumerate(cleaned, start=1):
        if not tag:
            raise ValidationError(
                f"tags: tag {number} is blank. Give {TAG_COUNT} tags that say something."
            )
        if len(tag) > MAX_TAG:
            raise ValidationError(
                f"tags: {tag[:30]!r}... has {len(tag)} characters and may have {MAX_TAG}."
            )
        if fold_name(tag) in seen:
            raise ValidationError(
                f"tags: {tag!r} occurs twice (case-insensitive). Give {TAG_COUNT} different tags."
            )
        seen[fold_name(tag)] = tag
    return cleaned


def validate_category(given: str) -> Category:
    """Return the category; raise ValidationError if there is none of that name."""
    if given not in CATEGORIES:
        raise ValidationError(
            f"There is no category {given!r}. The categories: {', '.join(CATEGORIES)}."
        )
    return given


def compute_expiry(
    now: datetime, *, ttl_days: int, is_time_sensitive: bool, default: int
) -> datetime | None:
    """Return when an entry goes by itself: after ttl_days or, time-sensitive, the default."""
    if not 0 <= ttl_days <= MAX_TTL_DAYS:
        raise ValidationError(
            f"ttl_days must be between 0 and {MAX_TTL_DAYS:,}, not {ttl_days}. 0 means {default} "
            "days for time-sensitive entries and no expiry for all others."
        )
    days = ttl_days or (default if is_time_sensitive else 0)
    return now + timedelta(days=days) if days else None


def entry_digest(summary: str, tags: Sequence[str]) -> str:
    """Return what two entries share if and only if their merged vectors are the same."""
    # The order of tags adds nothing to a sum.
    canonical = json.dumps([summary, *sorted(tags)], ensure_ascii=False)
    return hashlib.blake2b(canonical.encode(), digest_size=16).hexdigest()
