"""The store as Python sees it: put documents in, ask, read, cite."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from psycopg.rows import args_row

from ragraph.base.arguments import check_methods, refusal
from ragraph.base.defaults import CONTEXT_HITS, CONTEXT_TOKENS, CURRENT_MODEL, DEFAULT_MODE
from ragraph.database.runner import QueryRunner
from ragraph.documents.catalog import Catalog
from ragraph.documents.content import Content
from ragraph.retrieval.retrieval import Retrieval
from ragraph.schema.results import Violation
from ragraph.store.citing import StoreCiting
from ragraph.store.entities import StoreEntities
from ragraph.store.jobs import StoreJobs
from ragraph.store.keeping import StoreKeeping
from ragraph.store.learning import StoreLearning
from ragraph.store.models import StoreModels
from ragraph.store.pictures import StorePictures
from ragraph.store.versions import StoreVersions
from ragraph.store.works import StoreWorks
from ragraph.store.writing import StoreWriting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Literal, Self, Unpack

    import networkx

    from ragraph.answers.answer import Endpoint
    from ragraph.answers.claims import CitedAnswer
    from ragraph.base.defaults import ModeName, Strategy
    from ragraph.database.connection import Database
    from ragraph.documents.assets import Assets
    from ragraph.documents.content import Direction, Format, Notes
    from ragraph.filters import Filter
    from ragraph.retrieval.scope import ScopeOptions
    from ragraph.schema.context import Context, SectionHit
    from ragraph.schema.enums import RelationType
    from ragraph.schema.results import Document, DocumentDetails, Hit, Node, PathEntry, RelatedNode, Relation, TocEntry
    from ragraph.search import SearchOptions, Weights


@check_methods
class Store(
    StoreWriting,
    StoreJobs,
    StoreModels,
    StoreCiting,
    StoreEntities,
    StoreWorks,
    StorePictures,
    StoreVersions,
    StoreLearning,
    StoreKeeping,
):
    """An open store, the face of its parts. Safe to share between threads; each process opens its own.

    An embedded server that was killed meanwhile is started again. Every method raises
    ``ServerUnavailableError`` when the server is gone for good, ``StoreClosedError`` after ``close``, and what
    else ``ragraph.database.connection.Database`` names.
    """

    def __init__(self, database: Database, *, assets: Assets | None = None, resources: ExitStack | None = None) -> None:
        self.database = database
        self._resources = resources or ExitStack()
        runner = QueryRunner(database)
        self._ask = runner
        self._catalog = Catalog(runner)
        self._content = Content(runner, self._catalog)
        self._retrieval = Retrieval(runner, self._content.graph)
        self._may_cite(runner, self._catalog)
        self._may_show(runner, assets)

    def __enter__(self) -> Self:
        self.database.check_usable()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and leave the embedded server; closing twice is harmless."""
        self._resources.close()

    # -- what is there -----------------------------------------------------------------------------------

    def documents(
        self,
        *,
        document: str | Sequence[str] | None = None,
        collection: str | None = None,
        filter: Filter | Mapping[str, Any] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Document]:
        """Return the documents in the order they came in.

        Where there are none, what of that which was asked for no document has is told by a notice.

        Args:
            document: only these: ids; those that are not there are left out.
            collection: only this one.
            filter: only those that meet it, as of ``filter_documents``.
            limit: how many at most.
            offset: how many to pass over.

        Raises:
            ArgumentError: the filter is none, or a number is negative.
        """
        return self._catalog.documents(document, collection=collection, filter=filter, limit=limit, offset=offset)

    def document(self, document: str) -> DocumentDetails:
        """Return what the store knows of a document.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        return self._catalog.document(document)

    def facets(self) -> dict[str, Any]:
        """Return what documents can be filtered by, the most frequent values first.

        Returns:
            ``collections``, ``languages`` and ``tags``: lists; ``publication_dates``: first and last;
            ``metadata``: its keys, each with a few values.
        """
        return self._catalog.facets()

    def filter_documents(self, filter: Filter | Mapping[str, Any]) -> list[str]:
        """Return the ids of the documents that a filter keeps, typed or as JSON: ``{"language": {"$ne": "en"}}``.

        Raises:
            ArgumentError: the filter has an unknown operator, or a value of a type that the operator does not take.
        """
        return self._catalog.filter_documents(filter)

    def toc(self, document: str, max_depth: int | None = None) -> list[TocEntry]:
        """Return the sections of a document, depth first in reading order.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        return self._content.toc(document, max_depth)

    def path(self, document: str, component: str) -> list[PathEntry]:
        """Return the components from the top down to one, itself included: sections, but lists and boxes too.

        Raises:
            DocumentNotFoundError, ComponentNotFoundError: there is no such component.
        """
        return self._content.path(document, component)

    def page(self, document: str, page: int | str | tuple[int | None, int | None]) -> list[Node]:
        """Return the nodes on a page in reading order.

        Args:
            document: id of the document.
            page: a physical page from 1; a logical page as printed (a string: ``"iii"``, ``"12"``); or the
                first and last of a range of physical pages, None for an open end.

        Returns:
            Empty for a page that holds nothing, or that the document does not have.

        Raises:
            DocumentNotFoundError: there is no such document.
            ArgumentError: neither a page nor a range of pages.
        """
        return self._content.page(document, page)

    def nodes(self, document: str, section: str | None = None) -> list[Node]:
        """Return the nodes of a document, or of one of its sections with all below, in reading order.

        Raises:
            DocumentNotFoundError, ComponentNotFoundError: the document, or the section in it, is not there.
        """
        return self._content.nodes(document, section)

    def node(self, document: str, node: str) -> Node:
        """Return one node.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: there is no such node.
        """
        return self._content.node(document, node)

    def relations(self, document: str, nodes: str | Sequence[str] | None = None) -> list[Relation]:
        """Return the relations of a document whose target is known, in reading order of where they start.

        Args:
            document: id of the document.
            nodes: only those that start from or lead to one of these nodes: ids.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        return self._content.relations(document, nodes)

    # -- search ------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        mode: ModeName = DEFAULT_MODE,
        model: str = CURRENT_MODEL,
        match: Literal["all", "any"] = "all",
        weights: Weights | None = None,
        boost: str | Sequence[str] | None = None,
        explain: bool = False,
        **where: Unpack[ScopeOptions],
    ) -> list[Hit]:
        """Return the k nodes that answer a query best, best first, each with its citation.

        Fewer than k come back only when fewer lie in the scope, or in mode ``text`` match. Within a section, and in
        any other scope of up to 10,000 nodes, the search is exact.

        Args:
            query: what to look for, in words; modes other than ``vector`` read ``"a phrase"`` and ``-without`` (a minus
                before a digit is of the number).
            k: how many nodes to return.
            mode: ``hybrid`` by meaning and by words, ``vector`` by meaning, ``text`` by words (loads no model),
                ``graph`` both and what relations and neighbourhood tie to the best of them.
            model: embedding model, by its name in the store or its place; default the one that ``switch_model`` named.
                One that lacks vectors of some documents is told of by a ``RagraphNotice``.
            match: of mode ``text``: nodes that match ``all`` of the query, or ``any`` of its words.
            weights: of modes ``hybrid`` and ``graph``: what each method counts (``ragraph.search.Weights``).
            boost: of modes ``hybrid`` and ``graph``: an entity, or several, by name, alias or identity; of what is
                found, nodes that mention one count as if another method had ranked them first.
            explain: return ``ExplainedHits``, whose ``steps`` say which way was taken, what was looked at, and how long
                each part took.
            **where: where to look, all optional, as ``ScopeOptions`` describes them: ``document``, ``section``,
                ``types``, ``pages``, ``collection``, ``tags``, ``languages``, ``published``, ``filter``,
                ``entity``.

        Raises:
            ArgumentError: an argument is outside what the search takes.
            ModelNotFoundError: nothing was embedded with this model.
            DocumentNotFoundError, ComponentNotFoundError: the scope names what is not there.
            EntityNotFoundError: no document names an entity so.
        """
        return self._retrieval.search(
            query, k, mode=mode, model=model, match=match, weights=weights, boost=boost, explain=explain, **where
        )

    def embed_query(self, text: str, model: str = CURRENT_MODEL) -> list[float]:
        """Return the vector of a query, with the prefix of the model, as ``ragraph.search_vector`` takes it.

        Args:
            text: what to look for, in words.
            model: name of a model that the store holds embeddings of.

        Raises:
            ModelNotFoundError: the store has no such model.
            ModelError: the model cannot be loaded, or makes nothing of the text.
            ArgumentError: the text is empty.
        """
        return self._retrieval.embed_query(text, model)

    def search_sections(
        self, query: str, k: int = 5, *, nodes: int = 3, **options: Unpack[SearchOptions]
    ) -> list[SectionHit]:
        """Return the k sections that answer a query best, best first, each with its best nodes.

        A section is ranked by the nodes found in it: several count for more than one, but its length does not.

        Args:
            query: what to look for, in words.
            k: how many sections to return.
            nodes: how many nodes of each at most.
            **options: where and how to search, as of ``search``.

        Raises:
            ArgumentError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as ``search``.
        """
        return self._retrieval.search_sections(query, k, nodes=nodes, **options)

    def expand(
        self,
        hits: Iterable[Hit | Mapping[str, Any]],
        strategy: Strategy = "auto",
        token_budget: int | None = CONTEXT_TOKENS,
        *,
        query: str | None = None,
        tuned: bool = True,
        explain: bool = False,
        **switches: Any,
    ) -> Context:
        """Return hits with what belongs to them, ready to be read: blocks of text under their headings.

        The hits go in first, best first, each that still fits into the budget; only what is left of it goes to
        what they bring along, so a hit is never pushed out. No character comes twice.

        Args:
            hits: what a search returned, or mappings with ``document_id``, ``node_id`` and, where known, ``score``,
                ``char_start`` and ``char_end`` (a part of the node, counted in the text of the document).
            strategy: names a set of switches (``context.STRATEGIES``): ``none`` brings nothing, ``focus``
                nothing either but gives of each hit the sentences that are about the query, ``section``
                the section around each hit, ``merge`` sections of which the hits make up half, ``sentences`` two
                sentences on each side, ``neighbours`` a node on each side, ``graph`` what relations lead to,
                ``pagerank`` what a random walk from the hits meets, ``auto`` is ``focus`` where the query is given,
                else the whole of each node with its notes and captions, and ``merge``.
            token_budget: tokens the context may have at most, its headings included; None = no limit. If not even
                the best hit fits, it is cut where a sentence ends (``Context.cut``).
            query: what was searched; for ``focus`` and ``auto``.
            tuned: of ``focus``: sentences by the ranker of their collection, where it has one (``tune``).
            explain: of ``focus``: say of each part what it got for what (``ContextPart.why``).
            **switches: arguments of ``ragraph.expand_hits``, over those of the strategy: ``sections``,
                ``merge_share``, ``sentences``, ``before``, ``after``, ``cross_sections``, ``whole_nodes``,
                ``captions``, ``notes``, ``citations``, ``cross_references``, ``supplements``, ``max_hops``,
                ``breadcrumbs``; and of ``focus``, ``words_share`` and ``headings_share``: what the words of the query
                count in a sentence and in the headings above it, each 0 to 1.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: a hit is not in the store.
            ArgumentError: a strategy, switch or number that does not exist.
        """
        return self._retrieval.expand(
            hits, strategy, token_budget, query=query, tuned=tuned, explain=explain, **switches
        )

    def context(
        self,
        query: str,
        token_budget: int | None = CONTEXT_TOKENS,
        *,
        k: int = CONTEXT_HITS,
        strategy: Strategy = "auto",
        rerank: str | None = None,
        tuned: bool = True,
        explain: bool = False,
        per_document: int | None = None,
        **options: Unpack[SearchOptions],
    ) -> Context:
        """Search and expand in one go: what the store has on a question, within a budget of tokens.

        The defaults are what measured best (docs/retrieval.md).

        Args:
            query: what to look for, in words.
            token_budget: as of ``expand``.
            k: how many hits the context is made of.
            strategy: as of ``expand``.
            rerank: cross-encoder that orders five times k hits first, as of ``rerank``.
            tuned: as of ``expand``.
            explain: as of ``expand``.
            per_document: most sentences of each document, so that more of them have a say; default as they come.
            **options: where and how to search, as of ``search``; ``mode`` is ``hybrid`` unless told.

        Raises:
            ArgumentError, ModelError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as of
                ``search``, ``rerank`` and ``expand``.
        """
        return self._retrieval.context(
            query,
            token_budget,
            k=k,
            strategy=strategy,
            rerank=rerank,
            tuned=tuned,
            explain=explain,
            per_document=per_document,
            **options,
        )

    def rerank(self, query: str, hits: Sequence[Hit], model: str, k: int | None = None) -> list[Hit]:
        """Return hits in the order of a cross-encoder, which reads query and text together, with its scores.

        Args:
            query: what was looked for.
            hits: what a search returned; give it several times k, since a reranker only reorders.
            model: hub name or folder of a sentence-transformers CrossEncoder.
            k: how many to return, default all.

        Raises:
            ModelError: the model cannot be loaded or used.
            ArgumentError: the query is empty, or k below 1.
        """
        return self._retrieval.rerank(query, hits, model, k)

    def answer(
        self,
        question: str,
        *,
        llm: Endpoint | str | None = None,
        strategy: Strategy | Literal["navigate"] = "auto",
        **options: Any,
    ) -> CitedAnswer:
        """Answer a question from the store through a language model, every quote checked (extra ``ragraph[answer]``).

        Args:
            question: what is asked.
            llm: the model: its name, or an ``ragraph.answers.answer.Endpoint``; default ``RAGRAPH_LLM_MODEL`` at
                ``RAGRAPH_LLM_URL``.
            strategy: how the context is made, as of ``expand``; or ``navigate``: the model itself looks at outlines,
                searches, reads sections and pages and follows references, and ``path`` of the answer says where it was.
            **options: of ``ragraph.answers.answer.answer``: ``k``, ``token_budget``, ``rerank``, ``expand_query``,
                ``self_query``, ``retries``, ``min_words``, ``progress``; the others go to ``search``, such as
                ``document``. Of ``navigate``: ``document``, ``collection``, ``filter``,
                ``max_steps`` (tool calls, 16), ``token_budget`` (of what they show, 24,000), ``images`` (show pages
                to a model that sees), ``retries``, ``min_words``, ``progress``.

        Returns:
            Claims with verified quotes. When the store was not enough, ``sufficient`` is False; ``missing`` says why.

        Raises:
            AnswerError: the model cannot be reached or gives nothing usable; the extra is not installed.
            ArgumentError, ModelNotFoundError, DocumentNotFoundError, ComponentNotFoundError: as of ``search``.
        """
        from ragraph.answers.answer import Endpoint, answer

        if llm is not None and not isinstance(llm, Endpoint | str):
            raise refusal("llm", "the name of a model, or an Endpoint", llm)
        endpoint = llm if isinstance(llm, Endpoint) else Endpoint(model=llm)
        if strategy == "navigate":
            from ragraph.answers.navigate import navigate

            return navigate(self, question, endpoint=endpoint, **options)
        return answer(self, question, endpoint=endpoint, strategy=strategy, **options)

    # -- graph -------------------------------------------------------------------------------------------

    def related(
        self,
        document: str,
        node: str,
        *,
        types: str | Sequence[str | RelationType] | None = None,
        direction: Direction = "out",
        max_hops: int = 1,
    ) -> list[RelatedNode]:
        """Return the nodes that relations lead to from a node, nearest first, each node once.

        Args:
            document: id of the document.
            node: id of the node to start from.
            types: relation types to follow; default all.
            direction: ``out`` follows edges, ``in`` goes against them, ``both`` does both.
            max_hops: how many edges away at most; cycles are safe.

        Raises:
            NodeNotFoundError: the document has no such node.
            ArgumentError: a direction or type that does not exist.
        """
        return self._content.related(document, node, types=types, direction=direction, max_hops=max_hops)

    def graph(self, document: str | Sequence[str]) -> networkx.MultiDiGraph[str]:
        """Return a document, or several, as a graph of their components, nodes and relations.

        Nodes carry ``kind`` (``component`` or ``node``), ``type`` and ``title`` or ``content``; edges carry
        ``type``: ``CONTAINS`` from parent to child, else the relation type. Edge keys are relation ids. In the graph
        of a list of documents, edges ``CITES`` lead from entries to documents of the list, and to works (``kind``
        ``work``) that several of them cite.

        Args:
            document: an id, or a list of them.

        Raises:
            DocumentNotFoundError: there is no such document.
            ArgumentError: the list is empty.
        """
        return self._content.graph(document)

    # -- linear text -------------------------------------------------------------------------------------

    def text(self, document: str) -> str:
        """Return the canonical plain text of a document, the frame of all character spans.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        return self._content.text(document)

    def render(
        self,
        document: str,
        *,
        section: str | None = None,
        nodes: tuple[int | None, int | None] | None = None,
        format: Format = "markdown",
        notes: Notes = "after",
        page_breaks: bool = False,
        furniture: bool = False,
    ) -> str:
        """Return a document, or a part of it, as clean linear text.

        Args:
            document: id of the document.
            section: id, title or number of a component; default the whole document.
            nodes: instead of a section, first and last place in reading order (``Node.sequence_in_document``).
            format: ``markdown``, ``html`` or ``text``.
            notes: footnotes ``after`` the node that refers to them, at the end of the ``section``, or ``none``.
            page_breaks: mark where a page ends with ``[page break]``.
            furniture: keep running heads, feet and page numbers.

        Raises:
            DocumentNotFoundError, ComponentNotFoundError: what to render is not there.
            ArgumentError: a format or place of notes that does not exist.
        """
        options: dict[str, Any] = {"notes": notes, "page_breaks": page_breaks, "furniture": furniture}
        return self._content.render(document, section=section, nodes=nodes, format=format, **options)

    # -- soundness ---------------------------------------------------------------------------------------

    def check(self, document: str | None = None) -> list[Violation]:
        """Return every violation of the model in a document or in the whole store; none when it is sound."""
        if document is None:
            return self._ask.rows("check_store", args_row(_violation), {})
        return self._ask.rows("check_document", args_row(_violation), {"document_id": document})


def _violation(document_id: str | None, rule: str, object_id: str | None, detail: str) -> Violation:
    return Violation(document_id=document_id, rule=rule, object_id=object_id, detail=detail)
