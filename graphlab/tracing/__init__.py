"""Runs as plain data (`trace`, `recording`, `reading`), and the sentences about them (`explaining`, `catalogue`)."""
