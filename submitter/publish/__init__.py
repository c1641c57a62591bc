"""Files for the public, written so that a reader, or a crash, meets the old ones or the new ones.

`SitemapDirectory` implements `ports.SitemapFolder`. What lives where is read back from the files
themselves: there is no second memory that could be lost, or disagree with what engines see.
"""

from submitter.publish.directory import SitemapDirectory

__all__ = ["SitemapDirectory"]
