"""The MCP server beside the dashboard, its clients and their calls."""
