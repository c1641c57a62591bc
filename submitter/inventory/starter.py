"""The inventory that `submitter init` writes: commented, and sound as it stands."""

from __future__ import annotations

from submitter.inventory.fields import check_name

_STARTER = """\
# An inventory for submitter. `submitter check` says what is wrong with it, with line and column;
# `submitter plan` shows what would be sent, and sends nothing.
# For help while editing: submitter schema > inventory.schema.json
# and make this the first line: # yaml-language-server: $schema=inventory.schema.json

version: 1
name: "{name}"   # a ledger belongs to one named inventory
ledger: sqlite:///var/submitter.db   # beside this file; or env:DATABASE_URL for PostgreSQL

accounts:                            # secrets are references, never the secret itself
  gsc:
    engine: google
    credentials: file:secrets/gsc.json   # the service account's key, chmod 600; or env:NAME, or adc
  # baidu:
  #   engine: baidu
  #   token: env:BAIDU_TOKEN

defaults:                            # any key of a site may stand here
  sitemaps: robots                   # those that robots.txt names; or ["https://{{host}}/sitemap.xml"]
  accounts: [gsc]

fetch:
  timeout_s: 30                      # total, per document
  # contact: https://www.example.com/about-our-bot   # put into the user agent

sites:
  - domain: example.com
    # google_property: domain        # sc-domain:example.com; without it, the account's list decides
    subdomains:
      - "@"                          # example.com itself
      - www
      # - host: shop
      #   sitemaps: ["https://shop.example.com/sitemap-index.xml"]
      #   accounts: [gsc, baidu]
      #   tags: [shop]
    # subdomains_file: subdomains.csv   # column host; if wanted sitemaps, accounts, tags
    # sections:                      # first match wins; a higher priority is told first
    #   - {{name: new, match: "/new/*", priority: 10}}
"""


def starter_inventory(name: str) -> str:
    """The text of a first inventory. Raises ValueError if `name` cannot be an inventory's."""
    return _STARTER.format(name=check_name(name))
