-- How a search went, told to whoever asks: SET ragraph.explain = 'on' turns it on for the session.

create or replace function ragraph_private.tell_step(part text, began timestamptz, detail jsonb)
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
        message = format('search: %s', tell_step.part),
        detail = jsonb_build_object(
            'part', tell_step.part,
            'ms', round((1000 * extract(epoch from clock_timestamp() - tell_step.began))::numeric, 3)
        ) || jsonb_strip_nulls(tell_step.detail);
end
$$;
comment on function ragraph_private.tell_step(text, timestamptz, jsonb) is
'Raises a notice on a part of a search, if the session asks for it: which way was taken, what it looked at, milliseconds';
