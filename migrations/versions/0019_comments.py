"""Comments of tables and columns in plain English; no table changes."""

from __future__ import annotations

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_COMMENTS: dict[str, dict[str, tuple[str, str]]] = {
    "collection_grant": {
        "": (
            "Which role sees which collection, where tenants are on; policies are made of it",
            "Which role sees which collection if tenants are on; read by the row-level security policies",
        ),
        "role_name": ("Role of PostgreSQL; its members see the same", "PostgreSQL role; its members see the same"),
        "collection": (
            "Collection that it sees; * for all, now and later",
            "Collection that it sees; * for all, present and future",
        ),
        "may_write": ("Whether it also changes what is in there", "Whether it may also change its content"),
    },
    "content_node": {
        "id": (
            "cn_..., derived from document, type, content and the how-manyth such node it is",
            "cn_..., derived from document, type, content and a count of equal nodes",
        ),
        "parent_component_id": (
            "Component that contains it; null after stage one",
            "Component that contains it; null until the tree is assembled",
        ),
        "content_node_type": ("What the node is", "Type of the node"),
        "content": (
            "Its text; of a table the flattened cells; empty for a figure without text",
            "Its text; for a table the flattened cells; empty for a figure without text",
        ),
        "storage_url": ("Where binary content (an image) is kept", "Where binary content (an image) is stored"),
        "sequence_in_parent_major": (
            "Order among its siblings; of a footnote that of the node that refers to it",
            "Order among its siblings; for a footnote that of the node that refers to it",
        ),
        "sequence_in_parent_minor": (
            "Null but for footnotes and the like: their order after that node",
            "Order of footnotes and the like after that node; else null",
        ),
        "data": (
            "What the type needs beyond text: cells, level of a heading, language of code, anchors, marker",
            "Fields of the type besides text: cells, level of a heading, language of code, anchors, marker",
        ),
    },
    "document": {
        "": (
            "A file of a publication; its nodes, components, relations and embeddings hang on it",
            "A file of a publication, with nodes, components, relations and embeddings",
        ),
        "publication_id": ("Publication that holds the document", "Publication of the document"),
        "type": ("Part it plays in the publication", "Role in the publication"),
        "storage_url": (
            "Where the source file is kept (file://, s3://)",
            "Where the source file is stored (file://, s3://)",
        ),
        "version": (
            "Version of the document, as its publisher counts",
            "Version of the document, as its publisher names it",
        ),
        "source_uri": (
            "Where the file was read last; null when another took its place",
            "Where the file was last read; null if another file has this place now",
        ),
        "page_count": (
            "Number of pages; null for formats that have none",
            "Number of pages; null for formats without pages",
        ),
        "structure": (
            "Containers that the format itself states; stage two reads them",
            "Containers stated by the format; read when the tree is assembled",
        ),
        "ingested_with": (
            "Reader, its version and settings that made the nodes",
            "Reader that made the nodes, with its version and settings",
        ),
        "processing_status": ("How far the document has come", "Progress of the document"),
        "set_by_hand": (
            "Columns that somebody has updated; ingesting again leaves them",
            "Columns that a user has updated; later ingests keep their values",
        ),
        "ingested_into": (
            "Collections whose ingestion takes its file for this document, wherever it was moved since",
            "Collections in which its file is recognised as this document, although it may have moved since",
        ),
        "works_owed": (
            "Its works are to be worked out, with those that these keys and identities name; null once they are",
            "Its works must be matched again, with those of these keys and identities; null once done",
        ),
        "processed_at": ("When a file was last read into the graph", "When a file was last ingested"),
    },
    "document_component": {
        "component_type": ("What the component is", "Type of the component"),
        "sequence_in_parent_minor": (
            "Null but for headers and footers: their order at that place",
            "Order of headers and footers at that place; else null",
        ),
        "page_range": (
            "Pages it lies on, inclusive; null for formats without pages",
            "Its pages, inclusive; null for formats without pages",
        ),
        "first_sequence": (
            "Smallest sequence_in_document below it; null when it holds no node",
            "Smallest sequence_in_document below it; null without nodes",
        ),
        "last_sequence": (
            "Largest sequence_in_document below it; null when it holds no node",
            "Largest sequence_in_document below it; null without nodes",
        ),
    },
    "document_page": {
        "": (
            "A physical page; nodes and components can only lie on pages that are here",
            "A physical page; nodes and components can only be on pages listed here",
        ),
    },
    "document_relation": {
        "": ("An edge whose target lies in another document", "A relation whose target is in another document"),
        "source_node_id": ("Node the edge starts from", "Node that the relation starts from"),
        "target_node_id": (
            "Node in that document; null for the document as a whole",
            "Node in that document; null for the whole document",
        ),
        "relation_type": ("What the edge says", "Type of the relation"),
    },
    "document_version": {
        "document_id": ("Document that was so", "Document of the version"),
        "head": (
            "Its row in document as it was; null once the version was pruned",
            "Row of the table document in this version; null once the version was pruned",
        ),
        "ingested_at": ("When it was taken in", "When it was ingested"),
        "superseded_at": ("When the next version took its place", "When the next version replaced it"),
    },
    "document_version_row": {
        "": (
            "In what an earlier version differs from the next; what did not change stands only in live tables",
            "Differences between a version and the next; unchanged rows are only in the live tables",
        ),
        "document_id": ("Document that the row belonged to", "Document of the row"),
        "version": ("Last version in which the row was so", "Last version with this state of the row"),
        "id": ("Its id; of places component or node", "Its id; for places the component or node"),
        "content": (
            "The row; null: the next version has one that this one did not",
            "The row; null if the next version added it",
        ),
        "embedding_vector": (
            "The vector, of a node that the next version does not have",
            "Vector of a node that the next version does not have",
        ),
    },
    "embedding": {
        "": (
            "A vector of a node, or of a part of it, under one model",
            "A vector of a node, or of a part of it, by one model",
        ),
        "model_name": ("Model that made the vector", "Model of the vector"),
        "part": (
            "0, 1, ... for nodes longer than the model reads",
            "0, 1, ... for nodes longer than the model's limit",
        ),
        "content_hash": (
            "SHA-256 of the very text that was embedded, heading path included",
            "SHA-256 of the embedded text, with its heading path",
        ),
        "created_at": ("When the vector was made", "When the vector was computed"),
    },
    "embedding_model": {
        "": (
            "An embedding model; vectors of several live side by side",
            "An embedding model; a store may have vectors of several",
        ),
        "name": (
            "Name of the model, as embeddings and searches give it",
            "Name of the model in embeddings and searches",
        ),
        "max_tokens": (
            "Tokens it reads at most, special tokens included",
            "Maximum number of tokens that it reads, with special tokens",
        ),
        "query_prefix": ("Put before a query", "Prefix of queries"),
        "document_prefix": ("Put before a text of the store", "Prefix of texts of the store"),
        "switched_at": (
            "When the store was last switched to it: the latest is what searches and ingestion use unless told",
            "When the store was last switched to it; the latest is the default of searches and ingestion",
        ),
        "truncated_from": (
            "Length of what the model gives, where its vectors here are but the beginning of that",
            "Length of the model's full vectors, if its vectors here are cut to their beginning",
        ),
        "index_kind": ("What the index of its vectors holds of each", "What its vector index stores of each vector"),
        "ef_search": (
            "Candidates that searches look at in its index (hnsw.ef_search); null: not measured",
            "Number of candidates for searches of its index (hnsw.ef_search); null if not measured",
        ),
        "index_recall": (
            "Share of the ten nearest that searches found so when it was measured",
            "Share of the ten nearest that searches found with it when measured",
        ),
        "measured_vectors": ("Vectors that it had then", "Number of its vectors when measured"),
    },
    "entity": {
        "": (
            "What a document names: a concept, a defined term, a person",
            "An entity that a document mentions: a concept, a defined term, a person",
        ),
        "document_id": ("Document that names it", "Document that mentions it"),
        "extractor": (
            "What found it: definitions, spacy:..., llm:...",
            "Extractor that found it: definitions, spacy:..., llm:...",
        ),
        "name": ("What it is called; of an acronym the long form", "Its name; of an acronym the long form"),
        "aliases": ("What else it is called in this document", "Its other names in this document"),
        "keys": ("name and aliases in the form they are looked up by", "name and aliases, normalised for comparison"),
        "shared": (
            "Whether another document that uses the name means the same; not so of the terms of a contract",
            "Whether other documents use the name in the same meaning; false for the terms of a contract",
        ),
        "identity": ("ent_...; rows that have the same mean the same", "ent_...; shared by rows with the same meaning"),
        "evidence": ("Why that identity: rule, and by what", "Why it has that identity: the rule and its key"),
    },
    "entity_extraction": {
        "": ("How far an extractor has come with a document", "Progress of an extractor in a document"),
        "extractor": ("What read it", "Extractor that read it"),
        "version": (
            "Version of it; another one reads the document anew",
            "Version of the extractor; a new version reads the document again",
        ),
        "updated_at": ("When it read last", "When it last read the document"),
    },
    "entity_relation": {
        "": (
            "RELATED_TO: what a document says of two entities, with the words that say so",
            "RELATED_TO: a statement of a document about two entities, with its words",
        ),
        "document_id": ("Document that says so", "Document of the statement"),
        "source_entity_id": ("Entity the edge starts from", "Entity that the relation starts from"),
        "target_entity_id": ("Entity it leads to", "Entity that it leads to"),
        "relation_type": ("What it says: inhibits, works for", "Kind of relation: inhibits, works for"),
        "node_id": ("Node that says so", "Node with the statement"),
        "quote": ("The words that say so, as they stand there", "The words of the statement, as in the node"),
        "extractor": ("What found it", "Extractor that found it"),
    },
    "ingest_file": {
        "": ("A file of a job, and what became of it", "A file of a job, and its outcome"),
        "source_uri": (
            "Where the file is: file://, https://, s3:// ...",
            "URI of the file: file://, https://, s3:// ...",
        ),
        "collection": ("Collection that its document goes into", "Collection of its document"),
        "place": ("Its place in the list, from 0", "Its position in the list, from 0"),
        "name": ("The file as it was named, for people", "The file as it was named"),
        "record": (
            "Whether it holds publication records, which come before files",
            "Whether it has publication records, which are read before files",
        ),
        "entry": ("What a manifest says of it beyond that", "Further fields from the manifest"),
        "bytes": (
            "Size of the file when it was listed; null where that was not known",
            "Size of the file when it was listed; null if unknown",
        ),
        "document_id": ("Document that it became; it may be gone", "Document made from it; it may have been deleted"),
        "stage_seconds": ("Seconds that each stage took", "Seconds by stage"),
        "started_at": ("When a process took it last", "When a process last took it"),
        "ended_at": ("When it was done, or failed", "When it was completed or failed"),
    },
    "ingest_job": {
        "": ("A batch of files to take in", "A batch of files to ingest"),
        "collection": ("Collection that was named for the documents", "Collection of the documents"),
        "status": (
            "running, completed (it went through; files may have failed), ended (too early) or cancelled",
            "running, completed (files may have failed), ended (too early) or cancelled",
        ),
        "lease_seconds": (
            "How long a file is kept for a process that gives no sign",
            "Seconds until the lease of a process without heartbeat expires",
        ),
        "totals": (
            "Files by what became of them, once it is completed; the unchanged leave no rows",
            "Number of files by outcome, once it is completed; unchanged files have no rows",
        ),
        "created_at": ("When it was asked for", "When it was requested"),
        "started_at": ("When it was begun, or gone on with, last", "When it was last started or resumed"),
        "heartbeat_at": ("When one of its processes gave a sign last", "Last heartbeat of one of its processes"),
        "ended_at": ("When it came to its end; null before", "When it ended; null before"),
    },
    "ingest_lease": {
        "": (
            "Which process works on a file; one that writes with an older fence is refused",
            "Lease of a process on a file; writes with an older fencing token are refused",
        ),
        "collection": ("Collection that the document goes into", "Collection of the document"),
        "source_uri": ("Where the file is", "URI of the file"),
        "fence": (
            "Goes up each time that a process takes the file",
            "Fencing token, increased each time that a process takes the file",
        ),
        "holder": ("Process that has the file, or had it last", "Process that has, or last had, the file"),
        "job_id": ("Job that it works for; it may be gone", "Job of the process; it may have been deleted"),
        "expires_at": (
            "When others may take the file; null when it was given back",
            "When others may take the file; null once it is released",
        ),
    },
    "mention": {
        "": ("A place where a node names an entity", "A mention of an entity in a node"),
        "entity_id": ("What is mentioned", "Entity that is mentioned"),
        "surface": ("The words there", "The words of the mention"),
    },
    "publication": {
        "": ("A work that was published; holds one or more documents", "A publication; has one or more documents"),
        "set_by_hand": (
            "Columns that somebody has updated; ingesting again leaves them",
            "Columns that a user has updated; later ingests keep their values",
        ),
    },
    "relation": {
        "": ("An edge between two nodes of one document", "A relation between two nodes of one document"),
        "source_node_id": ("Node the edge starts from", "Node that the relation starts from"),
        "target_node_id": ("Node it leads to; null until resolved", "Node that it leads to; null until resolved"),
        "relation_type": ("What the edge says", "Type of the relation"),
        "marker_start": (
            "Place of the marker in the content of the source, in characters from 0",
            "Position of the marker in the content of the source, in characters from 0",
        ),
    },
    "sentence_ranker": {
        "version": ("1, 2, ... as they were fitted", "1, 2, ... in the order of fitting"),
        "active": (
            "Whether contexts of the collection go by it; one does at most",
            "Whether contexts of the collection use it; at most one version is active",
        ),
        "intercept": ("Score of a sentence that has nothing of what counts", "Score of a sentence without any feature"),
        "weights": (
            "What each number of a sentence counts, by its name",
            "Weight of each feature of a sentence, by name",
        ),
        "figures": (
            "What it gained over the default, cross-validated, with intervals",
            "Gains over the default, cross-validated, with intervals",
        ),
    },
    "sentence_ranker_word": {
        "": ("What words of sentences count for a ranker", "Weights of words in sentences for a ranker"),
        "asked": (
            "Lexeme that the question has to have; empty for any question",
            "Lexeme that the question must have; empty for any question",
        ),
        "idf": (
            "How rare it is among the sentences that were seen",
            "Inverse frequency among the sentences of the fit",
        ),
        "weight": (
            "What it counts, times idf, of the length of the sentence so weighed",
            "Weight of the word, multiplied by idf and normalised by the length of the sentence",
        ),
    },
    "text_change": {
        "": (
            "What text_statistics does not count yet; ensure_text_statistics() takes it over",
            "Changes that text_statistics does not include yet; ensure_text_statistics() adds them",
        ),
        "document_id": ("Document that was written or deleted; it may be gone", "Document that was written or deleted"),
        "collection": ("Its collection then", "Its collection at that time"),
        "nodes": ("Nodes added less nodes removed", "Nodes added minus nodes removed"),
    },
    "text_statistics": {
        "": (
            "What full text search ranks by in large scopes; kept by ensure_text_statistics()",
            "Statistics that full text search ranks by in large scopes; updated by ensure_text_statistics()",
        ),
        "nodes": ("Number of nodes, kept by what text_change says", "Number of nodes, updated from text_change"),
        "sampled": ("Nodes when the rest was taken", "Number of nodes when the sample was taken"),
        "mean_length": (
            "Mean length of the nodes, in tokens; null until it was taken",
            "Mean length of the nodes, in tokens; null before the first sample",
        ),
        "shares": (
            "Share of the nodes that hold a lexeme, of the common ones; null until then",
            "Share of the nodes with a lexeme, for common lexemes; null before the first sample",
        ),
        "updated_at": ("When it was taken", "When the sample was taken"),
    },
    "version_keeping": {
        "collection": (
            "Collection whose documents keep what they were",
            "Collection that keeps earlier versions of its documents",
        ),
        "keep": (
            "How many earlier versions of each document; null for all",
            "Maximum number of earlier versions of each document; null for all",
        ),
    },
    "work_entry": {
        "": (
            "What an entry of a bibliography says, and which work it means; and what the document itself is",
            "A parsed bibliography entry and the work that it cites; or the document itself as a work",
        ),
        "node_id": (
            "Bibliographic entry that names the work; null for the document as a work itself",
            "Bibliography entry that cites the work; null for the document itself as a work",
        ),
        "container": (
            "Journal, proceedings or book that it stands in",
            "Journal, proceedings or book that contains it",
        ),
        "pages": ("Pages, or number of the article", "Pages, or article number"),
        "pmid": ("Number in PubMed", "PubMed id"),
        "pmcid": ("Number in PubMed Central: pmc123", "PubMed Central id: pmc123"),
        "arxiv": ("Number in arXiv, without version", "arXiv id, without version"),
        "url": ("Address that the entry gives", "Address in the entry"),
        "keys": (
            "What it is compared by: doi:..., title:..., place:...",
            "Keys by which works are matched: doi:..., title:..., place:...",
        ),
        "source_hash": (
            "Hash of what was read, and of the version that read it",
            "Hash of the parsed text and of the parser's version",
        ),
        "pinned": (
            "Identity that somebody gave it; null where the rules hold",
            "Identity set by a user; null if the rules decide",
        ),
        "identity": (
            "work_...; rows that have the same mean the same work",
            "work_...; shared by rows of the same work",
        ),
        "evidence": ("Why that identity: rule, and by what key", "Why it has that identity: the rule and its key"),
    },
}
"""Comment before and after this revision, by table and column; the empty name is the table itself."""


def upgrade() -> None:
    for table, columns in _COMMENTS.items():
        for column, (before, after) in columns.items():
            _comment(table, column, before, after)


def downgrade() -> None:
    for table, columns in _COMMENTS.items():
        for column, (before, after) in columns.items():
            _comment(table, column, after, before)


def _comment(table: str, column: str, before: str, after: str) -> None:
    if column:
        op.alter_column(table, column, comment=after, existing_comment=before, schema="ragraph")
    else:
        op.create_table_comment(table, after, existing_comment=before, schema="ragraph")
