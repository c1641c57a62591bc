"""Documents for tests that read files."""

URLSET = (
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>https://shop.example/1</loc></url><url><loc>https://shop.example/2</loc></url>"
    b"</urlset>"
)
