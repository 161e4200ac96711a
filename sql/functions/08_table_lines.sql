-- Tables whose lines a query names. A table answers by one of its lines, but most of its words belong to the others, and
-- what tells it from a similar table is often outside of it: in the caption, in the title of its section.

create or replace function ragraph_private.asks_for_figures(query text)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    return asks_for_figures.query ~* ('\m((FY|Q[1-4] ?)?(19|20)[0-9][0-9]|FY ?[0-9]{2}|how (much|many)|ratios?|margins?|percent(age)?|turnover'
        || '|balance sheet|(income|cash flow|financial) statements?|P ?& ?L|EBITDA?|free cash flow|FCF|capex|capital expenditures?'
        || '|(working|invested) capital|total debt|debt[- ]to[- ]equity|gearing|(times )?interest (cover(age)?|earned)'
        || '|return on ((total|average|common|invested|capital) )*(assets|equity|capital|employed)|RO(A|CE|IC)|DSO|DPO'
        || '|tax rates?|days (sales|payable|(of )?inventory)|cash conversion cycle|wie ?viele?|combien|cu[aá]nt[oa]s?|quant[oai]|сколько)\M');
end
$$;
comment on function ragraph_private.asks_for_figures(text) is
'Returns true if a query names a year, asks how much or how many, or names a financial statement or a ratio, such as those of
lines_of_ratios';

create or replace function ragraph_private.lines_of_ratios(query text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
begin
    return (
        select string_agg(r.lines, ' ' order by r.place)
        from unnest(
            array[
                '(quick|acid[- ]test) ratio', 'current ratio|working capital', 'cash ratio', 'gross (profit )?margin',
                '(operating|EBIT) margin', '(net|net (profit|income)|profit) margin', 'EBITDA', 'effective tax rat(e|io)',
                'interest (coverage|cover)|times interest earned', 'debt[- ]to[- ]equity|gearing|leverage ratio', 'total debt',
                'return on (total )?assets|\mROA\M', 'return on (average )?(common )?equity|\mROE\M',
                'return on (capital employed|invested capital)|\mROCE\M|\mROIC\M|invested capital',
                'inventory turnover|days (of )?inventory|\mDIO\M', '(days payable|\mDPO\M|payables turnover)',
                '(days sales outstanding|\mDSO\M|receivables turnover)', '(fixed )?asset turnover|\mPP&E turnover',
                '(dividend )?payout ratio|retention ratio', 'free cash flow|\mFCF\M', 'capex|capital (expenditures?|intensity)',
                'cash conversion cycle', 'capitali[sz]ation ratio'
            ],
            array[
                'total current assets merchandise inventories inventory total current liabilities',
                'total current assets total current liabilities',
                'cash and cash equivalents total current liabilities', 'gross profit cost of sales revenue net sales',
                'operating income revenue net sales total revenue', 'net income net earnings revenue net sales total revenue',
                'operating income depreciation and amortization net income interest expense income tax expense',
                'income tax expense provision for income taxes income before income taxes',
                'interest expense operating income', 'long-term debt total liabilities total equity',
                'long-term debt current portion of long-term debt short-term debt', 'net income net earnings total assets',
                'net income net earnings total equity total shareholders'' equity',
                'operating income total assets total current liabilities long-term debt total equity',
                'merchandise inventories inventory cost of sales cost of goods sold',
                'accounts payable cost of sales cost of goods sold merchandise inventories',
                'receivables accounts receivable revenue net sales', 'revenue net sales total assets net property and equipment',
                'dividends paid net income net earnings', 'net cash provided by operating activities capital expenditures',
                'additions to property and equipment purchases of property and equipment capital expenditures total assets',
                'merchandise inventories receivables accounts payable cost of sales revenue',
                'long-term debt total equity total shareholders'' equity'
            ]
        ) with ordinality as r (ratio, lines, place)
        where lines_of_ratios.query ~* r.ratio
    );
end
$$;
comment on function ragraph_private.lines_of_ratios(text) is
'Returns the usual names of the lines of financial statements that the ratios named in an English query are computed from;
null if it names none';

create or replace function ragraph_private.captions_of(document_ids text[], node_ids text[])
returns table (document_id text, node_id text, captions text)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
#variable_conflict use_column
declare
    only_document constant text := ragraph_private.only_one(captions_of.document_ids);
begin
    if cardinality(captions_of.document_ids) > 0 then
        return query
        select r.document_id, r.source_node_id, string_agg(m.content, ' ' order by m.sequence_in_document)
        from unnest(captions_of.document_ids, captions_of.node_ids) as f (document_id, node_id)
        inner join ragraph.relation as r on f.document_id = r.document_id and f.node_id = r.source_node_id
        inner join ragraph.content_node as m on r.document_id = m.document_id and r.target_node_id = m.id
        where r.relation_type = 'IS_CAPTIONED_BY' and (only_document is null or r.document_id = only_document)
        group by r.document_id, r.source_node_id;
    end if;
end
$$;
comment on function ragraph_private.captions_of(text[], text[]) is
'Returns the captions of nodes, in one text each, for distinct pairs of document and node; unsorted';

create or replace function ragraph_private.rank_tables(
    query text, k integer, scope ragraph_private.scope, exact_limit integer
)
returns table (document_id text, node_id text, share double precision, rank integer)
language plpgsql
stable
parallel safe
rows 10
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
    -- tables that are compared, and lines of each that are read
    most_tables constant integer := 40;
    most_lines constant integer := 120;
    -- what lines beside the best one count, and what words around the lines count, relative to words of the best line
    others_share constant double precision := 0.3;
    around_share constant double precision := 0.5;
    of_parent constant text := '\m(parent|registrant|company[- ]only|unconsolidated|holding company|Mutterunternehmen|société mère)\M';
    of_all constant text := '\m(consolidated|konzern\w*|consolidée?s?|consolidad[oa]s?|consolidat[oaie])\M';
    -- FY2021 is 2021, FY21 too
    plain constant text := regexp_replace(
        regexp_replace(rank_tables.query, '\mFY ?((19|20)[0-9][0-9])\M', '\1', 'gi'), '\mFY ?([0-9][0-9])\M', '20\1', 'gi'
    );
    asked constant text := concat_ws(' ', plain, ragraph_private.lines_of_ratios(rank_tables.query));
    table_scope ragraph_private.scope := rank_tables.scope;
    began text; -- how lines begin that may have a word of the query
begin
    select '(?i)\m(' || string_agg(distinct left(m.word[1], 4), '|') || ')' into began
    from regexp_matches(asked, '[[:alpha:]]{3,}', 'g') as m (word);
    if began is null then
        return;
    end if;
    table_scope.node_types := '{TABLE}';
    if rank_tables.scope.node_types is null then
        table_scope.on_node := rank_tables.scope.on_node || ' and n.content_node_type = any($3)';
    end if;
    return query
    with ranked as materialized (
        select t.document_id, t.node_id
        from ragraph_private.rank_text(asked, most_tables, table_scope, 'any', rank_tables.exact_limit) as t
    ),
    found as materialized (
        select n.document_id, n.id as node_id, n.ts_config, n.content, n.parent_component_id, n.sequence_in_document
        from ragraph_private.nodes_of(
            (select array_agg(r.document_id) from ranked as r), (select array_agg(r.node_id) from ranked as r)
        ) as n
    ),
    around as materialized (
        select
            f.document_id,
            f.node_id,
            concat_ws(' ', c.captions, p.titles, left(split_part(f.content, E'\n', 1), 1000)) as text
        from found as f
        left join ragraph_private.captions_of(
            (select array_agg(o.document_id) from found as o), (select array_agg(o.node_id) from found as o)
        ) as c on f.document_id = c.document_id and f.node_id = c.node_id
        left join (
            select a.document_id, a.component_id, string_agg(a.title, ' ' order by a.depth) as titles
            from ragraph_private.ancestors(
                (select array_agg(f.document_id order by f.node_id) from found as f),
                (select array_agg(f.parent_component_id order by f.node_id) from found as f)
            ) as a
            group by a.document_id, a.component_id
        ) as p on f.document_id = p.document_id and f.parent_component_id = p.component_id
    ),
    config as materialized (
        select
            g.ts_config,
            tsvector_to_array(to_tsvector(g.ts_config, asked)) as words,
            tsvector_to_array(to_tsvector(g.ts_config, plain)) as plain_words
        from (select distinct f.ts_config from found as f) as g
    ),
    line as materialized (
        select f.document_id, f.node_id, f.ts_config, l.place, l.label
        from found as f
        cross join lateral (
            select u.place, split_part(u.line, ' | ', 1) as label
            from unnest((string_to_array(f.content, E'\n'))[:most_lines]) with ordinality as u (line, place)
        ) as l
        where l.label ~ began and length(l.label) <= 200
    ),
    named as materialized (
        select
            l.document_id,
            l.node_id,
            l.place,
            array(select u.word from unnest(w.words) as u (word) where u.word = any(c.words)) as words,
            cardinality(w.words) as size
        from line as l
        inner join config as c on l.ts_config = c.ts_config
        cross join lateral (
            select array(
                select u.word from unnest(tsvector_to_array(to_tsvector(l.ts_config, l.label))) as u (word) where u.word !~ '^[0-9.,-]+$'
            ) as words
        ) as w
    ),
    -- how rare words are among the tables
    rarity as materialized (
        select
            s.word,
            ln(1 + (select count(*) from found as f) / count(*)::double precision) as weight
        from (
            select distinct n.document_id, n.node_id, u.word from named as n cross join lateral unnest(n.words) as u (word)
        ) as s
        group by s.word
    ),
    covered as (
        select
            n.document_id,
            n.node_id,
            n.place,
            sum(r.weight) * power(count(*)::double precision / n.size, 2) as score,
            count(*) = n.size as complete
        from named as n
        cross join lateral unnest(n.words) as u (word)
        inner join rarity as r on u.word = r.word
        group by n.document_id, n.node_id, n.place, n.size
    ),
    best as (
        select
            c.document_id,
            c.node_id,
            max(c.score) + others_share * (sum(c.score) filter (where c.complete) - max(c.score) filter (where c.complete)) as score
        from covered as c
        group by c.document_id, c.node_id
        -- a line is named
        having bool_or(c.complete)
    ),
    scored as (
        select
            b.document_id,
            b.node_id,
            f.sequence_in_document,
            (
                b.score + around_share * coalesce((
                    select sum(coalesce(r.weight, 1))
                    from unnest(c.plain_words) as u (word)
                    left join rarity as r on u.word = r.word
                    where to_tsvector(f.ts_config, a.text) @@ ragraph_private.lexeme_query(u.word)
                ), 0)
            ) * case
                when rank_tables.query ~* of_parent then 1
                when a.text ~* of_parent then 0.7
                when a.text ~* of_all then 1.1
                else 1
            end as score
        from best as b
        inner join found as f on b.document_id = f.document_id and b.node_id = f.node_id
        inner join around as a on b.document_id = a.document_id and b.node_id = a.node_id
        inner join config as c on f.ts_config = c.ts_config
    )
    select
        s.document_id,
        s.node_id,
        s.score / max(s.score) over (),
        (row_number() over (
            order by s.score desc, s.sequence_in_document, s.document_id collate "C", s.node_id collate "C"
        ))::integer
    from scored as s
    order by 4
    limit rank_tables.k;
end
$$;
comment on function ragraph_private.rank_tables(text, integer, ragraph_private.scope, integer) is
'Returns the k tables of a scope whose lines a query names best, the best first: a line is named if all words of its label
are in the query, or in the names of the lines that a ratio of the query is computed from. Words of the query in the head,
the caption and the titles of sections count half. A table of a parent company alone comes after a consolidated one
unless the query names it. share is the score relative to the best one';
