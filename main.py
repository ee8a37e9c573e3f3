"""The MCP server from a checkout: stdio or HTTP. With ``cli`` first: the command line."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if sys.argv[1:2] == ["cli"]:
        from memory_core.__main__ import main

        del sys.argv[1]
    else:
        from memory_core.server.__main__ import main
    sys.exit(main())
