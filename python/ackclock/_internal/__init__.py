"""What several packages use and no user does: files, checksums, escaping, garbage collection."""
