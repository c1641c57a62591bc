"""What can be wrong before an engine is asked, at the site itself, and after an engine took it."""

from __future__ import annotations

from typing import Final

from submitter.core.cause_rows.row import Cause

SETUP_ROWS: Final = (
    Cause(
        "configuration",
        "The inventory says something about the account that cannot be",
        "Correct the account in the inventory, then run `submitter check` again.",
    ),
    Cause(
        "secret-missing",
        "The account's secret is not where the inventory says",
        "Put the secret there (set the variable, write the file, grant the access), or correct the"
        " reference.",
    ),
    Cause(
        "secret-unusable",
        "The account's secret is where the inventory says, and cannot be used",
        "Correct what stands there, or who may read it.",
    ),
    Cause(
        "secret-out-of-reach",
        "The store that keeps the account's secret did not answer",
        "Try again; if it lasts, see whether this machine reaches the store.",
    ),
)

SITE_ROWS: Final = (
    Cause(
        "host-unknown",
        "The site's name leads nowhere",
        "Correct the host in the inventory, or its entry in the DNS.",
    ),
    Cause(
        "host-private",
        "The site's name leads to an address that is not public",
        "Correct the DNS, or name the network in the site's `allow_private`; engines cannot reach"
        " such a site.",
    ),
    Cause(
        "host-unreachable",
        "Nobody answers at the site",
        "See whether its server runs and whether a firewall turns this machine away.",
    ),
    Cause(
        "host-certificate",
        "The site's certificate is not good, and no crawler goes past that",
        "Renew or correct the certificate; for an authority of your own, see `fetch.ca_file`.",
    ),
    Cause(
        "host-slow",
        "The site did not answer in the time it is given",
        "See to the server; engines do not wait longer. `fetch.timeout_s` is how long we wait.",
    ),
    Cause(
        "redirect-leads-nowhere",
        "A redirect leads to another host, from which nothing can be read",
        "Correct the redirect, or name the address that serves the document itself; engines follow"
        " it no further than we do.",
    ),
    Cause(
        "foreign-sitemap",
        "A redirect leads to a host that is not ours, so what it serves is not used",
        "Add that host to the inventory, let its robots.txt name the document, or serve it without"
        " a redirect.",
    ),
    Cause(
        "host-redirects",
        "The site sends whoever asks in circles",
        "Correct the redirects.",
    ),
    Cause(
        "robots-unreachable",
        "robots.txt cannot be read, and while it fails a crawler takes the site for closed",
        "Have the site answer robots.txt with 200, or with 404 where there is none.",
    ),
    Cause(
        "robots-closed",
        "robots.txt closes the whole site to the engine's crawler",
        "Open it in robots.txt once the site may be seen.",
    ),
    Cause(
        "sitemap-disallowed",
        "robots.txt closes the sitemap's own address to the engine's crawler",
        "Allow the sitemap's address in robots.txt.",
    ),
    Cause(
        "no-sitemap-line",
        "robots.txt names no sitemap, and the inventory leaves it to robots.txt",
        "Add a `Sitemap:` line to robots.txt, or name the address in the site's `sitemaps`.",
    ),
    Cause(
        "sitemap-missing",
        "There is no sitemap at this address",
        "Correct the address in the inventory or in robots.txt, or publish the sitemap.",
    ),
    Cause(
        "sitemap-forbidden",
        "The site does not let us read the sitemap",
        "Take login and bot shield off the sitemap's address.",
    ),
    Cause(
        "sitemap-failing",
        "The site answers the sitemap's address with an error of its own",
        "See the server's log.",
    ),
    Cause(
        "sitemap-is-html",
        "In place of the sitemap the site serves a web page",
        "See whether the address is right and whether a login or a bot shield stands before it.",
    ),
    Cause(
        "sitemap-broken",
        "What stands at the sitemap's address cannot be used as one",
        "Read what is wrong with it with `submitter flatten ADDRESS`.",
    ),
    Cause(
        "sitemap-empty",
        "The sitemap lists nothing",
        "See what writes it: an empty one is an error for engines, too.",
    ),
    Cause(
        "sitemap-too-large",
        "The sitemap is larger than it may be",
        "Split it: 50,000 addresses and 52,428,800 bytes are the protocol's limits.",
    ),
    Cause(
        "children-unreachable",
        "The index lists sitemaps that cannot be read",
        "Publish them, or take them out of the index.",
    ),
    Cause(
        "ourselves-blocked",
        "The site turns us away from the sitemap and not the engine's crawler",
        "Let this program in (its user agent begins with Submitter): what it cannot read, it does"
        " not tell.",
    ),
    Cause(
        "crawler-blocked",
        "We can read the sitemap, and the site turns the engine's crawler away",
        "Let the crawler past the bot shield or firewall, at least for the sitemap's address.",
    ),
    Cause(
        "children-blocked",
        "We can read the sitemaps in the index, and the site turns the engine's crawler away from"
        " some of them",
        "Let the crawler past the bot shield or firewall for all of them.",
    ),
    Cause(
        "pages-blocked",
        "We can read a page of the sitemap, and the site turns the engine's crawler away",
        "Let the crawler past the bot shield or firewall.",
    ),
)

LATER_ROWS: Final = (
    Cause(
        "stuck",
        "The engine has not fetched the sitemap",
        "Run `submitter verify`, which looks at it with our eyes and in the crawler's name.",
    ),
    Cause(
        "stuck-blocked",
        "The engine has not fetched the sitemap; the site turns its crawler away and not us",
        "Let the crawler past the bot shield or firewall, then submit the sitemap again.",
    ),
    Cause(
        "stuck-unreadable",
        "The engine has not fetched the sitemap, and we cannot read it either",
        "Mend the sitemap first; it is told again once it can be read.",
    ),
    Cause(
        "stuck-unexplained",
        "The engine has not fetched the sitemap, although the site shows it to whoever bears its"
        " crawler's name",
        "Serve it under a further address and name that in the site's `aliases`: an address that"
        " failed once is often left alone for long, and a new one is fetched.",
    ),
    Cause(
        "alias-unreadable",
        "A sitemap is stuck, and its alias cannot be read",
        "Publish the same sitemap under the address in `aliases`.",
    ),
    Cause(
        "prelaunch-noindex",
        "Most of the pages looked at ask not to be indexed",
        "Take `noindex` off the pages; --site HOST --force REASON tells them all the same.",
    ),
    Cause(
        "prelaunch-elsewhere",
        "Most of the pages looked at send visitors on to another host",
        "List the pages of the host they really are at; --site HOST --force REASON tells them all"
        " the same.",
    ),
    Cause(
        "prelaunch-missing",
        "Most of the pages looked at do not exist",
        "See what writes the sitemap; --site HOST --force REASON tells them all the same.",
    ),
)
