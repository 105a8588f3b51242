"""The experiments of a lesson that are too long for its file: each returns numbers, and knows no text of its page."""
