"""Graph canvas, filters, path search and node card."""
