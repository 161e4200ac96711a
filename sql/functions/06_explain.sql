-- Steps of a search, reported as notices after SET ragraph.explain = 'on' in the session.

create or replace function ragraph_private.report_step(part text, began timestamptz, detail jsonb)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, ragraph, public, pg_temp
as $$
begin
    if current_setting('ragraph.explain', true) is distinct from 'on' then
        return;
    end if;
    raise notice using
        message = format('search: %s', report_step.part),
        detail = jsonb_build_object(
            'part', report_step.part,
            'ms', round((1000 * extract(epoch from clock_timestamp() - report_step.began))::numeric, 3)
        ) || jsonb_strip_nulls(report_step.detail);
end
$$;
comment on function ragraph_private.report_step(text, timestamptz, jsonb) is
'Raises a notice about a step of a search if the session asked for it: the strategy, the amount of data read, and
milliseconds';
