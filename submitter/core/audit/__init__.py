"""Rules by which a sitemap is held against reality: pure, no page is fetched here."""
