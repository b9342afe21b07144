/**
 * The first of several changes that can be made: what many workers ask at once of one queue. A candidate is a list of changes, made whole or
 * not at all. Its first session's row is locked with SKIP LOCKED: whoever finds it locked passes on to the next session instead of
 * waiting; inside one session the order of the candidates holds, because only the holder of that lock takes from it.
 */

/** RF002 is ours: a change of the candidate was refused, and what the ones before it wrote goes with it. */
export const firstSql = (s: string): string => `
CREATE FUNCTION ${s}.first_1(candidates text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  candidate jsonb;
  place bigint;
  change jsonb;
  outcome jsonb;
  outcomes jsonb[];
  passed text[] := '{}';
BEGIN
  PERFORM ${s}.durable();
  PERFORM set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
          set_config('jit', 'off', true);
  FOR candidate, place IN SELECT c, n FROM jsonb_array_elements(candidates::jsonb) WITH ORDINALITY AS a (c, n) ORDER BY n LOOP
    CONTINUE WHEN candidate->0->>'session' = ANY (passed);
    PERFORM FROM ${s}.sessions WHERE id = candidate->0->>'session' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      passed := passed || (candidate->0->>'session');
      CONTINUE;
    END IF;
    BEGIN
      outcomes := '{}';
      FOR change IN SELECT c FROM jsonb_array_elements(candidate) WITH ORDINALITY AS a (c, n) ORDER BY n LOOP
        outcome := ${s}.apply_2(change);
        IF outcome->>'kind' = 'refused' THEN RAISE EXCEPTION 'refused' USING ERRCODE = 'RF002'; END IF;
        outcomes := outcomes || outcome;
      END LOOP;
      PERFORM ${s}.count_commit();
      RETURN jsonb_build_object('place', place - 1, 'outcomes', to_jsonb(outcomes), 'busy', false, 'fsync', current_setting('fsync'));
    EXCEPTION WHEN SQLSTATE 'RF002' THEN
      NULL;
    END;
  END LOOP;
  RETURN jsonb_build_object('place', NULL, 'outcomes', '[]'::jsonb, 'busy', cardinality(passed) > 0, 'fsync', current_setting('fsync'));
END $$;`;
