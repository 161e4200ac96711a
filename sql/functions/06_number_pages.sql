-- Logical page numbers: from the labels that the file states, else from the PAGE_NUMBER nodes on the pages.

create or replace function ragraph_private.roman_value(numeral text)
returns integer
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
declare
    upper_case constant text := upper(roman_value.numeral);
    value integer := 0;
    here integer;
    next integer;
begin
    if upper_case !~ '^M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})$' or upper_case = '' then
        return null;
    end if;
    for i in 1..length(upper_case) loop
        here := (array[1, 5, 10, 50, 100, 500, 1000])[strpos('IVXLCDM', substr(upper_case, i, 1))];
        next := (array[1, 5, 10, 50, 100, 500, 1000])[strpos('IVXLCDM', nullif(substr(upper_case, i + 1, 1), ''))];
        value := value + case when here < next then -here else here end;
    end loop;
    return value;
end
$$;
comment on function ragraph_private.roman_value(text) is
'Returns the value of a well-formed roman numeral in upper or lower case; null for anything else';

create or replace function ragraph_private.page_label(style text, prefix text, value integer)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    return page_label.prefix || case
        when page_label.style = 'arabic' then page_label.value::text
        when page_label.style = 'letter'
            then case when page_label.value between 1 and 26 then chr(64 + page_label.value) end
        when page_label.value not between 1 and 3999 then null -- has no roman numeral
        when page_label.style = 'lower' then lower(btrim(to_char(page_label.value, 'RN')))
        else btrim(to_char(page_label.value, 'RN'))
    end;
end
$$;
comment on function ragraph_private.page_label(text, text, integer) is
'Returns a page number in the style of its run: arabic, lower or upper (roman), or letter (capital). Null if the style
cannot express the value';

create or replace function ragraph_private.page_number_readings(content text)
returns table (style text, prefix text, value integer)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set standard_conforming_strings = on
as $$
declare
    bare text := btrim(page_number_readings.content, E' \t\n|[](){}.,–—-*_~·•<>');
    parts text[];
begin
    bare := regexp_replace(bare, '^(page|pg|p|seite|s|página|pagina|pág|pag|side|sida)(?:\.\s*|:?\s+)', '', 'i');
    -- "12 of 80", "12/80"
    bare := regexp_replace(bare, '^(\S+)\s*(?:of|/|von|de|sur|av|di)\s*[0-9]+$', '\1', 'i');
    if bare ~ '^[0-9]{1,5}$' then
        return query select 'arabic'::text, ''::text, bare::integer;
        return;
    end if;
    if bare ~ '^([ivxlcdm]+|[IVXLCDM]+)$' and ragraph_private.roman_value(bare) is not null then
        return query
        select case when bare = lower(bare) then 'lower' else 'upper' end, ''::text, ragraph_private.roman_value(bare);
    end if;
    -- "C" may also be the page after "B": the other numbers of the run decide
    if bare ~ '^[A-Z]$' then
        return query select 'letter'::text, ''::text, ascii(bare) - 64;
    end if;
    -- "A-3", "3-12", "B.2"
    parts := regexp_match(bare, '^([[:alpha:]]{1,3}|[0-9]{1,3})\s?([-–—.])\s?([0-9]{1,4})$');
    if parts is null then
        parts := regexp_match(bare, '^([[:alpha:]])()([0-9]{1,4})$');
    end if;
    if parts is not null then
        return query select 'arabic'::text, parts[1] || parts[2], parts[3]::integer;
    end if;
end
$$;
comment on function ragraph_private.page_number_readings(text) is
'Returns the possible readings of a printed page number such as "iii", "Page 7", "12 of 80", "A-3" or "B": its style
(arabic, lower, upper, letter), prefix and value. Returns no row for anything else';

create or replace function ragraph_private.page_numbers(document_id text)
returns table (page_pdf integer, page_logical text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
as $$
#variable_conflict use_column
begin
    return query
    with printed as materialized (
        select distinct n.first_page as page, l.style, l.prefix, l.value, l.value - n.first_page as shift
        from ragraph.content_node as n
        cross join ragraph_private.page_number_readings(n.content) as l
        where n.document_id = page_numbers.document_id
            and n.content_node_type = 'PAGE_NUMBER'
            and n.first_page is not null
            and l.value is not null
    ),
    -- pages whose printed number differs from the physical one by the same amount form a run
    runs as materialized (
        select p.style, p.prefix, p.shift, count(*) as votes, min(p.page) as first_page, max(p.page) as last_page
        from printed as p
        group by p.style, p.prefix, p.shift
    ),
    -- A run within a stronger one is a misreading. A single number counts only if no run has more and the number is
    -- credible.
    sound as materialized (
        select r.*
        from runs as r
        where not exists (
            select 1
            from runs as s
            where (s.style, s.prefix, s.shift) is distinct from (r.style, r.prefix, r.shift)
                and s.votes > r.votes
                and s.first_page < r.last_page
                and s.last_page > r.first_page
                -- a long run that merely resumes after a short one does not outvote it: each has pages of its own
                and (
                    select count(*)
                    from printed as p
                    where p.page between r.first_page and r.last_page
                        and (p.style, p.prefix, p.shift) = (s.style, s.prefix, s.shift)
                ) * 2 >= case when r.votes = 1 then 0 else r.votes end
        )
        and (
            r.votes > 1
            or r.shift <= 0
            or not exists (select 1 from runs as s where s.votes > 1)
            -- pages were left out of the file: the number fits between those of the runs before and after
            or (
                exists (
                    select 1
                    from runs as s
                    where s.votes > 1
                        and (s.style, s.prefix) = (r.style, r.prefix)
                        and s.first_page > r.first_page
                )
                and not exists (
                    select 1
                    from runs as s
                    where s.votes > 1
                        and (s.style, s.prefix) = (r.style, r.prefix)
                        and (s.first_page > r.first_page) <> (s.first_page + s.shift > r.first_page + r.shift)
                )
            )
        )
    ),
    accepted as materialized (
        select distinct on (p.page) p.page, p.style, p.prefix, p.shift, p.value, greatest(4, s.votes / 2) as reach
        from printed as p
        inner join sound as s on (p.style, p.prefix, p.shift) = (s.style, s.prefix, s.shift)
        order by p.page, s.votes desc, p.style, p.prefix, p.shift
    ),
    pages as (
        select d.page_pdf as page, a.style, a.prefix, a.shift, a.value, a.reach
        from ragraph.document_page as d
        left join accepted as a on d.page_pdf = a.page
        where d.document_id = page_numbers.document_id
    ),
    -- the last accepted number before each page and the next one after it
    grouped as (
        select
            p.*,
            count(p.shift) over (order by p.page) as before_group,
            count(p.shift) over (order by p.page desc) as after_group
        from pages as p
    ),
    surrounded as (
        select
            g.page,
            g.style,
            g.prefix,
            g.value,
            max(g.style) over before as before_style,
            max(g.prefix) over before as before_prefix,
            max(g.shift) over before as before_shift,
            max(g.value) over before as before_value,
            max(g.reach) over before as before_reach,
            max(g.style) over behind as after_style,
            max(g.prefix) over behind as after_prefix,
            max(g.shift) over behind as after_shift,
            max(g.value) over behind as after_value,
            max(g.reach) over behind as after_reach
        from grouped as g
        window before as (partition by g.before_group), behind as (partition by g.after_group)
    )
    select
        s.page,
        case
            when s.value is not null then ragraph_private.page_label(s.style, s.prefix, s.value)
            -- inside a run, or before it back to its number 1
            when
                s.page + s.after_shift >= 1
                and (not s.same_style or s.before_shift = s.after_shift or s.begins_anew)
                -- the pages of an excerpt, whose numbers do not begin at 1, may have gaps
                and (
                    s.after_shift <= 0
                    or s.before_shift is not null
                    or s.after_value - s.after_shift - s.page <= s.after_reach
                )
                then ragraph_private.page_label(s.after_style, s.after_prefix, s.page + s.after_shift)
            -- On to the end of the document, or until the next run begins. If numbers of one style merely jump, the
            -- number of the page between is unknown.
            when
                s.before_shift is not null
                and (s.after_shift is null or not s.same_style or s.begins_anew)
                -- pages far behind the last number belong to other papers: appendices, exhibits
                and (s.after_shift is not null or s.page - s.before_value + s.before_shift <= s.before_reach)
                then ragraph_private.page_label(s.before_style, s.before_prefix, s.page + s.before_shift)
        end
    from (
        select
            r.*,
            (r.before_style, r.before_prefix) is not distinct from (r.after_style, r.after_prefix) as same_style,
            r.after_value <= r.before_value as begins_anew
        from surrounded as r
    ) as s
    order by s.page;
end
$$;
comment on function ragraph_private.page_numbers(text) is
'Returns the printed number of each physical page, in the order of pages; null if unknown. Runs have a constant
difference to the physical page, misreadings are outvoted, and gaps and both ends are filled';

create or replace function ragraph.number_pages(document_id text)
returns integer
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
set enable_nestloop = off -- rows just written have no statistics, and a nested loop over them would be quadratic
as $$
declare
    pages integer[];
    labels text[];
    nodes_changed integer;
begin
    perform ragraph_private.require_document(number_pages.document_id);

    -- labels stated by the file are retained; printed numbers are used only if the file states none
    if not exists (
        select 1
        from ragraph.document_page as p
        where p.document_id = number_pages.document_id and p.page_logical is not null
    ) then
        select array_agg(f.page_pdf), array_agg(f.page_logical) into pages, labels
        from ragraph_private.page_numbers(number_pages.document_id) as f
        where f.page_logical is not null;
        update ragraph.document_page as p
        set page_logical = f.page_logical
        from unnest(pages, labels) as f (page_pdf, page_logical)
        where p.document_id = number_pages.document_id and p.page_pdf = f.page_pdf;
    end if;

    with labelled as materialized (
        select p.page_pdf, p.page_logical
        from ragraph.document_page as p
        where p.document_id = number_pages.document_id and p.page_logical is not null
    ),
    rebuilt as (
        select
            n.id,
            jsonb_agg(
                case
                    when l.page_logical is null then e.entry
                    else e.entry || jsonb_build_object('page_logical', l.page_logical)
                end
                order by e.place
            ) as positional_data
        from ragraph.content_node as n
        cross join jsonb_array_elements(n.positional_data) with ordinality as e (entry, place)
        left join labelled as l on (e.entry ->> 'page_pdf')::integer = l.page_pdf
        where n.document_id = number_pages.document_id
        group by n.id
    )
    update ragraph.content_node as n
    set positional_data = r.positional_data
    from rebuilt as r
    where n.document_id = number_pages.document_id
        and n.id = r.id
        and n.positional_data is distinct from r.positional_data;
    get diagnostics nodes_changed = row_count;
    return nodes_changed;
end
$$;
comment on function ragraph.number_pages(text) is
'Sets the logical numbers of pages and writes them into positional_data of the nodes. Labels stated by the file are
retained; without any, the numbers come from the PAGE_NUMBER nodes. Returns how many nodes changed; 0 if run again.
Raises RG001 if the document does not exist';
