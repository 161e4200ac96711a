"""Documents of parishes, and questions with similar answers, from which a ranker of sentences can learn."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from factories import make_component, make_document, make_node, positions

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

DOCUMENTS = 10
PARAGRAPHS = 20
TOPICS = ("harbour", "orchard", "quarry", "railway", "theatre", "vineyard")
FILLER = (
    "Earlier surveys of the {topic} by {name} described the sites without any figures at all.",
    "The {topic} was visited twice by {name} because the weather had turned bad.",
    "Nobody before {name} had asked how the {topic} compares with other sites.",
    "Methods for the {topic} were the same as those that {name} used in the parish.",
    "Some said to {name} that the {topic} of the parish should be left alone.",
    "The {topic} is described at length by {name} and by authors of that time.",
)
ANSWERS = {
    "What became of the {topic}?": "The committee concluded that its output fell by {number} tons after {name} left.",
    "Who owned the {topic}?": "By the deed of {number} the abbey held all of its land in fee, as {name} has shown.",
    "How large was the {topic}?": "It measured {number} acres from wall to wall when {name} walked around it.",
}
"""Questions, with answers that share no word with them and are similar in all documents."""


def judged(seed: int = 0, *, learnable: bool = True) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Return the paragraphs of documents, and questions answered by one sentence of each, or by any sentence."""
    draw = random.Random(seed)

    def sentence(text: str, topic: str) -> str:
        name = "".join(draw.choices("bdfgklmnprstvz", k=3)).capitalize() + draw.choice("aeiou") + draw.choice("lmnrst")
        return text.format(topic=topic, name=name, number=draw.randint(1000, 9999))

    documents, questions = [], []
    for number in range(DOCUMENTS):
        topic = TOPICS[number % len(TOPICS)]
        paragraphs = [[sentence(text, topic) for text in FILLER] for _ in range(PARAGRAPHS)]
        for asked, text in ANSWERS.items():
            answer = sentence(text, topic)
            paragraph = draw.choice(paragraphs)
            paragraph.insert(draw.randrange(len(paragraph)), answer)
            passage = answer if learnable else draw.choice(draw.choice(paragraphs))
            questions.append({"question": asked.format(topic=topic), "document": f"dl_{number}", "passages": [passage]})
        documents.append([" ".join(paragraph) for paragraph in paragraphs])
    return documents, questions


def write(connection: Connection, documents: list[list[str]], **values: Any) -> None:
    for number, paragraphs in enumerate(documents):
        document = make_document(connection, f"dl_{number}", **values)
        paged = "pages" in values  # a paragraph on each
        collection = values.get("collection", "default")
        last = len(paragraphs) - 1
        make_component(
            connection,
            document,
            "cmp_end",
            component_type="CONCLUSION",
            first_sequence=last,
            last_sequence=last,
            collection=collection,
        )
        start = 0
        for place, text in enumerate(paragraphs):
            make_node(
                connection,
                document,
                f"cn_{place}",
                place,
                content=text,
                token_count=len(text) // 4,
                char_start=start,
                char_end=start + len(text),
                ts_config="english",
                collection=collection,
                parent_component_id="cmp_end" if place == last else None,
                positional_data=positions(place + 1) if paged else [],
            )
            start += len(text) + 2
