"""MCP server started by the dashboard, client configuration and recent calls."""
