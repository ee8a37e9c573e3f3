"""What every page is made of: parts, words, colours, lists and folds."""
