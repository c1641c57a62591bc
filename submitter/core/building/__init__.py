"""From a publish list to sitemaps: who may be listed, in which file, and with which date. Pure."""
