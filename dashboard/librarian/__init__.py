"""The librarian's runs, what it noticed, and when it works."""
