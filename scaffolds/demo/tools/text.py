"""A tool with a structured result: the return type becomes the output schema that clients see."""

import re
from collections import Counter
from typing import Annotated

from pydantic import BaseModel, Field

from server_core import tool


class WordCount(BaseModel):
    """How long a text is, and the words that it uses most."""

    words: int
    different: int
    most_common: dict[str, int]


@tool(annotations={"readOnlyHint": True})
def count_words(
    text: Annotated[str, "The text to count"],
    top: Annotated[int, Field(description="How many of the most common words to return", ge=1, le=20)] = 3,
) -> WordCount:
    """Count the words of a text and name the most common ones."""
    words = re.findall(r"[\w’']+", text.lower())
    counter = Counter(words)
    return WordCount(words=len(words), different=len(counter), most_common=dict(counter.most_common(top)))
