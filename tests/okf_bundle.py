"""A small Open Knowledge Format bundle, and a reader for exported ones."""

from __future__ import annotations

from pathlib import Path

from memory_core.readers.front_matter import parse_front_matter, split_front_matter

ORDERS = """\
---
type: BigQuery Table
title: Orders
description: One row for each order.
resource: https://example.com/tables/orders
tags: [sales, daily]
timestamp: 2026-03-14T09:30:00Z
owner: finance
---

# Orders

Each order belongs to a [customer](/tables/customers.md "who bought").
Read by the [shop](../services/shop.md#api).

- DEPENDS_ON: [loader](/services/loader.md)

```md
[not a link](/nowhere.md)
```
"""

BUNDLE = {
    "index.md": "# Shop\n\n- [Orders](tables/orders.md)\n",
    "log.md": "# Log\n\n## 2026-03-14: begun\n",
    "tables/orders.md": ORDERS,
    "tables/customers.md": "---\ntype: dataset\ntitle: Customers\n---\nOne row for each buyer.\n",
    "services/shop.md": (
        "---\ntype: service\ntitle: Shop\n---\nSee [orders](/tables/orders.md) and `[no](/x.md)`.\n"
    ),
    "services/loader.md": "---\ntype: service\n---\nLoads what `orders` holds, every night.\n",
    "team/on-call.md": "---\ntype: team\ntitle: On call\n---\nNobody links here.\n",
}


def laid(folder, files=BUNDLE):
    """Write *files* into a folder and return its path as text."""
    for path, text in files.items():
        place = Path(folder, *path.split("/"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder)


def documents(folder):
    """Return front matter and body of each document of a bundle."""
    found = {}
    for place in sorted(Path(folder).rglob("*.md")):
        if place.name not in ("index.md", "log.md"):
            front, body = split_front_matter(place.read_text(encoding="utf-8"))
            found[place.relative_to(folder).as_posix()] = (parse_front_matter(front), body)
    return found
