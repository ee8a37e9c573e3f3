"""Close looks, copies, and memories as files."""
