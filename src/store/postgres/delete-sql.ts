/** `delete_1`: a session whole, in one statement, which is one transaction (delete-session.ts says what stays). */

/** The row is locked first, as every append does: who writes at the same time is before it, or finds no session. */
export const deleteSql = (s: string): string => `
CREATE FUNCTION ${s}.delete_1(request text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  asked jsonb := request::jsonb;
  held ${s}.sessions;
  noted jsonb;
  named bytea[];
  parts bytea[];
  records_dropped bigint;
  contents_dropped bigint;
  loose record;
BEGIN
  PERFORM ${s}.durable();
  SELECT * INTO held FROM ${s}.sessions h WHERE h.id = asked->>'session' FOR UPDATE;
  IF NOT FOUND OR held.attempt <> (asked->>'attempt')::bigint OR held.holder IS DISTINCT FROM asked->>'holder' THEN
    RETURN jsonb_build_object('kind', 'moved');
  END IF;
  IF asked->'note' <> 'null' THEN
    noted := ${s}.apply_2(asked->'note');
    IF noted->>'kind' = 'refused' THEN
      RAISE EXCEPTION 'the fact of a deletion was refused: %', noted USING ERRCODE = 'RF002';
    END IF;
  END IF;
  WITH gone AS (DELETE FROM ${s}.refs r WHERE r.session = held.id RETURNING r.hash)
    SELECT coalesce(array_agg(DISTINCT hash), '{}') INTO named FROM gone;
  DELETE FROM ${s}.open o WHERE o.session = held.id;
  WITH gone AS (DELETE FROM ${s}.records r WHERE r.session = held.id RETURNING 1)
    SELECT count(*) INTO records_dropped FROM gone;
  DELETE FROM ${s}.sessions h WHERE h.id = held.id;
  parts := ARRAY(SELECT p.chunk FROM ${s}.pieces p WHERE p.content = ANY (named)) || named;
  contents_dropped := ${s}.drop_contents(named, 'infinity');
  SELECT * INTO loose FROM ${s}.drop_chunks(parts);
  PERFORM ${s}.count_commit();
  RETURN jsonb_build_object('kind', 'deleted', 'records', records_dropped, 'contents', contents_dropped, 'bytes', loose.freed);
END $$;`;
