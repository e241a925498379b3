"""The colours of texts that are assembled in code, as Textual content styles; each follows the theme."""

STRONG = "bold"
MUTED = "$foreground-muted"
GOOD = "$text-success"
WARN = "$text-warning"
BAD = "bold $text-error"
KEY = "bold $text-accent"
# The share of the primary colour is that of `ACTIVE_SHARE` in `readable_colours`.
ACTIVE = "bold $active-foreground on $primary 40%"
BADGE = "bold $badge"
MARKDOWN = {"": "", "strong": "bold", "emphasis": "italic", "code": "$text-secondary"}
"""The styles of the parts of a Markdown text."""
