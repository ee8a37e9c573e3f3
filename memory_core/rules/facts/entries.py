"""Validation of entries: summary, tags, category and expiry."""

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
# A hundred years; more would overflow the date range.
MAX_TTL_DAYS = 36_500


def validate_summary(text: str) -> str:
    """Return the summary normalized; raise ValidationError unless it has 1 to 200 characters."""
    cleaned = clean_text(text).strip()
    if not 1 <= len(cleaned) <= MAX_SUMMARY:
        raise ValidationError(
            f"summary has {len(cleaned):,} characters; it must have 1 to {MAX_SUMMARY}. Shorten it "
            "to one sentence and put the rest into context_text. Nothing was stored."
        )
    return cleaned


def validate_tags(given: Sequence[str]) -> list[str]:
    """
    Return the tags normalized; raise ValidationError unless they are five, distinct and not blank.
    """
    cleaned = [clean_name(tag) for tag in given]
    if len(cleaned) != TAG_COUNT:
        raise ValidationError(f"{len(cleaned)} tags were given; exactly {TAG_COUNT} are required.")
    seen: dict[str, str] = {}
    for number, tag in enumerate(cleaned, start=1):
        if not tag:
            raise ValidationError(f"tags: tag {number} is blank. Give {TAG_COUNT} non-blank tags.")
        if len(tag) > MAX_TAG:
            raise ValidationError(
                f"tags: {tag[:30]!r}... has {len(tag)} characters; the maximum is {MAX_TAG}."
            )
        if fold_name(tag) in seen:
            raise ValidationError(
                f"tags: {tag!r} occurs twice (case-insensitive). Give {TAG_COUNT} different tags."
            )
        seen[fold_name(tag)] = tag
    return cleaned


def validate_category(given: str) -> Category:
    """Return the category; raise ValidationError if it is unknown."""
    if given not in CATEGORIES:
        raise ValidationError(
            f"Unknown category {given!r}. Valid categories: {', '.join(CATEGORIES)}."
        )
    return given


def compute_expiry(
    now: datetime, *, ttl_days: int, is_time_sensitive: bool, default: int
) -> datetime | None:
    """Return the expiry time: after ttl_days or, if time-sensitive, the default; else None."""
    if not 0 <= ttl_days <= MAX_TTL_DAYS:
        raise ValidationError(
            f"ttl_days must be between 0 and {MAX_TTL_DAYS:,}, not {ttl_days}. 0 means {default} "
            "days for time-sensitive entries and no expiry for all others."
        )
    days = ttl_days or (default if is_time_sensitive else 0)
    return now + timedelta(days=days) if days else None


def entry_digest(summary: str, tags: Sequence[str]) -> str:
    """Return a digest that is equal if and only if the merged vectors are equal."""
    # The merged vector does not depend on the order of tags.
    canonical = json.dumps([summary, *sorted(tags)], ensure_ascii=False)
    return hashlib.blake2b(canonical.encode(), digest_size=16).hexdigest()
