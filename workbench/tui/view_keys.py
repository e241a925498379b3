"""The keys of a result or a message that has the focus, for the help screen and the documentation."""

VIEW_KEYS = (
    ("enter space", "Fold or unfold the object, list, text or section under the cursor; so does a click"),
    ("-", "Unfold everything, or fold everything but the outermost level"),
    ("t", "Switch between a table and JSON, between rendered Markdown and its source, or hide a picture"),
    ("/ n N", "Search; go to the next or the previous match; esc closes the search"),
    ("y", "Copy the value under the cursor, its JSON, its path, or everything"),
    ("s o", "Save the content of a result to a file, or open an image, audio or PDF with the viewer of the system"),
    ("enter", "Show the row of a table as JSON; read the resource of a link, or open a web page; esc goes back"),
    ("drag ^c", "Select text with the mouse, and copy it"),
)
