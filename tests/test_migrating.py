"""The moves of docs/how-to/migrating.md, from tables as the other stores make them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.utils import node_to_metadata_dict

if TYPE_CHECKING:
    from ragraph import Store

PAGE = (Path(__file__).parent.parent / "docs" / "how-to" / "migrating.md").read_text()


def moved(title: str, url: str) -> None:
    """Run the code of a section with the addresses of the test."""
    section = PAGE.partition(f"## {title}")[2]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert code
    text = code[1].replace('"postgresql://old"', repr(url)).replace("ragraph.open()", f"ragraph.open({url!r})")
    exec(compile(text, title, "exec"), {})


def test_texts_of_langchain_are_moved(store: Store) -> None:
    url = store.database.url
    with psycopg.connect(url) as old:
        old.execute("CREATE TABLE langchain_pg_collection (uuid uuid PRIMARY KEY, name text, cmetadata json)")
        old.execute("CREATE TABLE langchain_pg_embedding (id text, collection_id uuid, document text, cmetadata jsonb)")
        for number, name in enumerate(("notes", "other")):
            uuid = f"00000000-0000-0000-0000-00000000000{number}"
            old.execute("INSERT INTO langchain_pg_collection VALUES (%s, %s, NULL)", [uuid, name])
            row = [f"snow-{name}", uuid, f"Snow is dear in {name}.", json.dumps({"year": 2024})]
            old.execute("INSERT INTO langchain_pg_embedding VALUES (%s, %s, %s, %s)", row)
    for _ in range(2):
        moved("LangChain", url)
        (document,) = store.documents(collection="notes")
        assert (document.id, document.collection) == ("snow-notes", "notes")
    assert store.text("snow-notes") == "Snow is dear in notes."
    assert store.search("snow", document="snow-notes", mode="vector")


def test_nodes_of_llamaindex_are_moved(store: Store) -> None:
    url = store.database.url
    node = TextNode(id_="snow", text="Snow is dear.", metadata={"year": 2024})
    with psycopg.connect(url) as old:
        old.execute("CREATE TABLE data_notes (id bigserial, text varchar, metadata_ json, node_id varchar)")
        metadata = json.dumps(node_to_metadata_dict(node, remove_text=True))
        row = [node.text, metadata, node.node_id]
        old.execute("INSERT INTO data_notes (text, metadata_, node_id) VALUES (%s, %s, %s)", row)
    moved("LlamaIndex", url)
    (document,) = store.documents(collection="notes")
    assert document.id == "snow"
    assert store.text("snow") == "Snow is dear."
    assert store.document("snow").metadata["year"] == 2024
