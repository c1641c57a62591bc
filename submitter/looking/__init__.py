"""Looking at sites: fetch, walk, read, and what a look says."""
