"""Full-text index, vectors of record and search documents."""
