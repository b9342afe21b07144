/**
 * The append path, its second form: a change some of whose records are repeats writes the others (D4), `append_2`. What is asked of
 * each record by itself comes with the change (`each`); a change without repeats takes the way it always took (append-sql.ts).
 * An import is exact to the number: there a record that is known among new ones is refused.
 */
import { appendFunction, heldSession, RESENT } from "./append-sql.ts";

/** Null when none of the records is there yet; `mixed`, with the first that is, when some are. */
const repeatOf = (s: string): string => `
CREATE FUNCTION ${s}.repeat_2(held ${s}.sessions, records jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  seqs bigint[];
  is_other boolean[];
  ids text[];
  attempts bigint[];
BEGIN
  SELECT array_agg(old.seq ORDER BY new.n), array_agg(new.id ORDER BY new.n), array_agg(old.attempt ORDER BY new.n),
         array_agg(old.seq IS NOT NULL AND NOT (old.kind = new.kind AND old.body = new.body
                   AND old.spilled IS NOT DISTINCT FROM decode(new.spilled, 'hex')) ORDER BY new.n)
    INTO seqs, ids, attempts, is_other
    FROM ROWS FROM (jsonb_to_recordset(records) AS (id text, kind text, body text, spilled text))
         WITH ORDINALITY AS new (id, kind, body, spilled, n)
    LEFT JOIN LATERAL (SELECT * FROM ${s}.records r WHERE r.session = held.id AND r.id = new.id LIMIT 1) old ON true;
  IF array_length(array_remove(seqs, NULL), 1) IS NULL THEN RETURN NULL; END IF;
  IF true = ANY (is_other) THEN
    RETURN ${s}.refused('id-reused', jsonb_build_object('id', ids[array_position(is_other, true)]));
  END IF;
  IF array_position(seqs, NULL) IS NOT NULL THEN
    RETURN jsonb_build_object('kind', 'mixed', 'id', ids[array_position(seqs, (array_remove(seqs, NULL))[1])]);
  END IF;
  -- The attempt the records were written under, never one that somebody else has since begun (K1).
  RETURN jsonb_build_object('kind', 'done', 'seqs', to_jsonb(seqs), 'head', held.head,
                            'attempt', coalesce(attempts[1], held.attempt), 'isRepeat', true);
END $$;`;

/** One after the other; a refusal takes back what was written before it (driver 2). */
const writeEach = (s: string): string => `
CREATE FUNCTION ${s}.write_each(given ${s}.sessions, change jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  held ${s}.sessions := given;
  seqs bigint[] := '{}';
  one jsonb;
  answer jsonb;
  reason text;
  new_attempt bigint := given.attempt;
BEGIN
  FOR i IN 0..jsonb_array_length(change->'records') - 1 LOOP
    one := change || (change->'each'->i) || jsonb_build_object('records', jsonb_build_array(change->'records'->i));
    answer := coalesce(${s}.repeat_2(held, one->'records'), ${s}.open_refusal(held, one->'checks'),
                       ${s}.content_refusal(one->'refs'));
    IF answer->>'kind' = 'refused' THEN
      RAISE EXCEPTION 'refused' USING ERRCODE = 'RF001', DETAIL = answer::text;
    ELSIF answer IS NULL THEN
      answer := ${s}.write_change(held, one);
      held.head := held.head + 1;
      new_attempt := (answer->>'attempt')::bigint;
    END IF;
    seqs := seqs || (answer->'seqs'->>0)::bigint;
  END LOOP;
  RETURN jsonb_build_object('kind', 'done', 'seqs', to_jsonb(seqs), 'head', held.head, 'attempt', new_attempt, 'isRepeat', false);
EXCEPTION WHEN SQLSTATE 'RF001' THEN
  GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
  RETURN reason::jsonb;
END $$;`;

const apply = (s: string): string => `
CREATE FUNCTION ${s}.apply_2(change jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  held ${s}.sessions;
  existed boolean;
  prior jsonb;
  answer jsonb;
  is_mixed boolean;
BEGIN
${heldSession(s)}  prior := ${s}.repeat_2(held, change->'records');
  IF prior->>'kind' = 'done' THEN RETURN prior; END IF;
  is_mixed := coalesce(prior->>'kind' = 'mixed', change->>'twice' IS NOT NULL);
  IF is_mixed AND change->>'kind' = 'import' THEN
    prior := ${s}.refused('id-reused', jsonb_build_object('id', coalesce(prior->>'id', change->>'twice')));
  ELSIF is_mixed THEN
    prior := NULL;
  END IF;
${RESENT}  answer := coalesce(
    ${s}.claim_refusal(held, existed, change),
    prior,
    CASE WHEN (change->>'expectHead')::bigint <> held.head
      THEN ${s}.refused('head-moved', jsonb_build_object('head', held.head)) END);
  IF answer IS NULL AND is_mixed THEN
    answer := ${s}.write_each(held, change);
  ELSIF answer IS NULL THEN
    answer := coalesce(${s}.open_refusal(held, change->'checks'), ${s}.content_refusal(change->'refs'));
    IF answer IS NULL THEN RETURN ${s}.write_change(held, change); END IF;
  END IF;
  IF NOT existed AND answer->>'kind' = 'refused' THEN DELETE FROM ${s}.sessions WHERE id = held.id; END IF;
  RETURN answer;
END $$;

${appendFunction(s, "append_2", "apply_2")}`;

export const repeatsSql = (s: string): string =>
  [repeatOf, writeEach, apply].map((part) => part(s)).join("\n");
