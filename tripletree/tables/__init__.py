"""Tables in memory: what columns are called and what cells mean. It knows no files."""
