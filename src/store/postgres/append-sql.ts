/**
 * The append path inside the database: `append_1(group)` takes a whole commit group as one JSON text and is
 * called as one statement, which is one transaction with one sync (driver 1). For each change it locks the
 * session's row, checks everything, then writes (driver 2: a refusal is found before the first write, so the
 * others never notice). Changes come ordered by session, so two groups cannot wait for each other in a ring.
 *
 * Order of the checks: a repeat of the same ids and bodies is answered with the old numbers, whoever asks
 * (D4); then the session, the fence (K1), an id used with another body (D4), the head (C5), what must be open
 * (C1), the contents.
 *
 * A function whose meaning changes gets a new number: processes of the older version may still call it.
 */
import { COMMIT_COUNTERS } from "./tables-sql.ts";

/** CRC-32 of the sixteen nibbles: two steps of this table take one byte in. */
const NIBBLES = [
  0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320,
  0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
].join(",");

/** D1: whatever the role, the database or a pooler has set, this transaction is synced before it counts. */
const durable = (s: string): string => `
CREATE FUNCTION ${s}.durable() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- remote_apply promises more than on; both wait for the disk.
  IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  PERFORM set_config('lock_timeout', '30s', true);
END $$;`;

/** checksum-parts.ts says why and how. */
const rowChecksum = (s: string): string => `
CREATE FUNCTION ${s}.row_checksum(before bigint, seq bigint, shift bigint, rest bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  nibbles CONSTANT bigint[] := ARRAY[${NIBBLES}]::bigint[];
  digits CONSTANT text := seq::text;
  crc bigint := before # 4294967295;
  product bigint := 0;
BEGIN
  FOR i IN 1..length(digits) LOOP
    crc := crc # ascii(substr(digits, i, 1));
    crc := nibbles[(crc & 15) + 1] # (crc >> 4);
    crc := nibbles[(crc & 15) + 1] # (crc >> 4);
  END LOOP;
  crc := crc # 4294967295;
  FOR bit IN REVERSE 31..0 LOOP
    IF (shift >> bit) & 1 = 1 THEN product := product # crc; END IF;
    crc := (crc >> 1) # (3988292384 * (crc & 1));
  END LOOP;
  RETURN product # rest;
END $$;`;

/** Null when none of the records is there yet. */
const repeatOf = (s: string): string => `
CREATE FUNCTION ${s}.repeat_of(held ${s}.sessions, records jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  seqs bigint[];
  is_same boolean[];
  ids text[];
  attempts bigint[];
BEGIN
  SELECT array_agg(old.seq ORDER BY new.n), array_agg(new.id ORDER BY new.n), array_agg(old.attempt ORDER BY new.n),
         array_agg(coalesce(old.kind = new.kind AND old.body = new.body
                   AND old.spilled IS NOT DISTINCT FROM decode(new.spilled, 'hex'), false) ORDER BY new.n)
    INTO seqs, ids, attempts, is_same
    FROM ROWS FROM (jsonb_to_recordset(records) AS (id text, kind text, body text, spilled text))
         WITH ORDINALITY AS new (id, kind, body, spilled, n)
    LEFT JOIN LATERAL (SELECT * FROM ${s}.records r WHERE r.session = held.id AND r.id = new.id LIMIT 1) old ON true;
  IF array_length(array_remove(seqs, NULL), 1) IS NULL THEN RETURN NULL; END IF;
  IF false = ANY (is_same) THEN
    RETURN ${s}.refused('id-reused', jsonb_build_object('id', ids[array_position(is_same, false)]));
  END IF;
  -- The attempt the records were written under, never one that somebody else has since begun (K1).
  RETURN jsonb_build_object('kind', 'done', 'seqs', to_jsonb(seqs), 'head', held.head,
                            'attempt', coalesce(attempts[1], held.attempt), 'isRepeat', true);
END $$;`;

const refusals = (s: string): string => `
CREATE FUNCTION ${s}.refused(kind text, more jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('kind', 'refused', 'refusal', jsonb_build_object('kind', kind) || more)
$$;

CREATE FUNCTION ${s}.claim_moved(held ${s}.sessions) RETURNS jsonb LANGUAGE sql AS $$
  SELECT ${s}.refused('claim-moved', jsonb_build_object('claim', jsonb_build_object(
    'attempt', held.attempt, 'owner', held.owner, 'acquiredAtMs', held.acquired_at_ms,
    'heartbeatAtMs', held.heartbeat_at_ms, 'thresholdMs', held.threshold_ms)))
$$;

CREATE FUNCTION ${s}.claim_refusal(held ${s}.sessions, existed boolean, change jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  seen jsonb := change->'seen';
  attempt bigint := (change->>'attempt')::bigint;
BEGIN
  IF change->>'kind' = 'import' THEN
    RETURN CASE WHEN held.owner IS NOT NULL THEN ${s}.claim_moved(held) END;
  ELSIF change->>'kind' = 'take' THEN
    IF seen = 'null' THEN RETURN CASE WHEN existed THEN ${s}.refused('session-exists', '{}') END; END IF;
    RETURN CASE WHEN held.attempt <> (seen->>'attempt')::bigint
                  OR held.holder IS DISTINCT FROM (seen->>'holder') THEN ${s}.claim_moved(held) END;
  END IF;
  -- Null: somebody without the claim. A released claim holds for nobody, its own attempt included (K1).
  IF attempt IS NOT NULL AND (held.attempt <> attempt OR held.owner IS NULL) THEN
    RETURN ${s}.refused('fenced', jsonb_build_object('current', held.attempt, 'holder', held.owner));
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION ${s}.open_refusal(held ${s}.sessions, checks jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  need record;
BEGIN
  FOR need IN SELECT * FROM jsonb_to_recordset(checks) AS (what text, id text, must text, otherwise text) LOOP
    IF need.must = 'never' OR (need.must = 'be-open') <> EXISTS (
      SELECT FROM ${s}.open o WHERE o.session = held.id AND o.what = need.what AND o.id = need.id
    ) THEN
      RETURN ${s}.refused(need.otherwise, jsonb_build_object('what', need.what, 'id', need.id));
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

CREATE FUNCTION ${s}.content_refusal(refs jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  missing text;
BEGIN
  IF refs = '[]' THEN RETURN NULL; END IF;
  -- Locked first, looked for afterwards: what is found then, gc can no longer drop before we are done.
  PERFORM FROM ${s}.contents c
    WHERE c.hash IN (SELECT decode(ref->>'hash', 'hex') FROM jsonb_array_elements(refs) AS ref)
    ORDER BY c.hash FOR KEY SHARE;
  SELECT ref->>'hash' INTO missing FROM jsonb_array_elements(refs) WITH ORDINALITY AS r (ref, n)
    WHERE NOT EXISTS (SELECT FROM ${s}.contents c WHERE c.hash = decode(ref->>'hash', 'hex'))
    ORDER BY n LIMIT 1;
  RETURN CASE WHEN missing IS NOT NULL
    THEN ${s}.refused('content-missing', jsonb_build_object('hash', missing)) END;
END $$;`;

/** Journal rows and projections together (driver 5). */
const write = (s: string): string => `
CREATE FUNCTION ${s}.write_change(held ${s}.sessions, change jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  kind text := change->>'kind';
  now_ms double precision := (change->>'nowMs')::double precision;
  new_attempt bigint := CASE WHEN kind = 'take' THEN (change->>'attempt')::bigint
    WHEN kind = 'import' THEN greatest(held.attempt, (change->>'attempt')::bigint) ELSE held.attempt END;
  new_head bigint := held.head + jsonb_array_length(change->'records');
BEGIN
  INSERT INTO ${s}.records (session, seq, id, kind, attempt, at_ms, body, spilled, forgotten, checksum)
    SELECT held.id, held.head + r.n, r.id, r.kind, r.attempt, r.at_ms, r.body, decode(r.spilled, 'hex'), r.forgotten,
           ${s}.row_checksum(r.before, held.head + r.n, r.shift, r.rest)
    FROM ROWS FROM (jsonb_to_recordset(change->'records') AS (
           id text, kind text, attempt bigint, at_ms double precision, body text, spilled text, forgotten boolean,
           before bigint, shift bigint, rest bigint))
         WITH ORDINALITY AS r (id, kind, attempt, at_ms, body, spilled, forgotten, before, shift, rest, n);
  IF change->'closes' <> '[]' THEN
    DELETE FROM ${s}.open o USING jsonb_to_recordset(change->'closes') AS c (what text, id text)
      WHERE o.session = held.id AND o.what = c.what AND o.id = c.id;
  END IF;
  IF change->'opens' <> '[]' THEN
    INSERT INTO ${s}.open (session, seq, what, id)
      SELECT held.id, held.head + c.position, c.what, c.id
      FROM jsonb_to_recordset(change->'opens') AS c (what text, id text, position bigint);
  END IF;
  IF change->'refs' <> '[]' THEN
    INSERT INTO ${s}.refs (hash, session, seq, path)
      SELECT decode(c.hash, 'hex'), held.id, held.head + c.position, c.path
      FROM jsonb_to_recordset(change->'refs') AS c (hash text, path text, position bigint);
  END IF;
  UPDATE ${s}.sessions SET
    head = new_head,
    facts = CASE WHEN change->'facts' = 'null' THEN facts ELSE facts || (change->'facts') END,
    attempt = new_attempt,
    owner = CASE kind WHEN 'take' THEN change->>'owner' WHEN 'release' THEN NULL ELSE owner END,
    holder = CASE kind WHEN 'take' THEN change->>'holder' WHEN 'release' THEN NULL ELSE holder END,
    acquired_at_ms = CASE kind WHEN 'take' THEN now_ms ELSE acquired_at_ms END,
    heartbeat_at_ms = CASE WHEN kind IN ('take', 'renew') THEN now_ms WHEN kind = 'release' THEN NULL
                      ELSE heartbeat_at_ms END,
    threshold_ms = CASE kind WHEN 'take' THEN (change->>'thresholdMs')::double precision ELSE threshold_ms END
    WHERE id = held.id;
  RETURN jsonb_build_object('kind', 'done', 'seqs', (SELECT coalesce(jsonb_agg(n), '[]')
    FROM generate_series(held.head + 1, new_head) AS n), 'head', new_head, 'attempt', new_attempt, 'isRepeat', false);
END $$;`;

/** How both forms begin: the session, locked, or made for them. */
export const heldSession = (
  s: string,
): string => `  SELECT * INTO held FROM ${s}.sessions WHERE id = change->>'session' FOR UPDATE;
  existed := FOUND;
  IF NOT existed AND (change->>'mayCreate')::boolean THEN
    -- Waits for another process that is creating it right now; then it is that one's.
    INSERT INTO ${s}.sessions (id) VALUES (change->>'session') ON CONFLICT (id) DO NOTHING;
    existed := NOT FOUND;
    SELECT * INTO held FROM ${s}.sessions WHERE id = change->>'session' FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'the session appeared meanwhile' USING ERRCODE = 'serialization_failure'; END IF;
  ELSIF NOT existed THEN
    RETURN ${s}.refused('no-session', '{}');
  END IF;
`;

/** A change without records that was sent before. */
export const RESENT = `  -- Without records only the claim itself tells that this very change was made before (a resend).
  IF change->'records' = '[]' AND existed AND held.attempt = (change->>'attempt')::bigint AND (
    (change->>'kind' = 'release' AND held.owner IS NULL)
    OR (change->>'kind' = 'take' AND held.holder = change->>'holder')
  ) THEN
    RETURN jsonb_build_object('kind', 'done', 'seqs', '[]'::jsonb, 'head', held.head, 'attempt', held.attempt, 'isRepeat', true);
  END IF;
`;

/** Change by change, by the function named; one count for all of them. */
export const appendFunction = (
  s: string,
  name: string,
  apply: string,
): string => `CREATE FUNCTION ${s}.${name}(changes text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  change jsonb;
  outcome jsonb;
  outcomes jsonb[] := '{}';
  has_written boolean := false;
BEGIN
  PERFORM ${s}.durable();
  -- Planning costs more than running, so plans are made once and kept for the life of a connection; and one
  -- made while a table was small must not read all of it when it has grown.
  PERFORM set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
          set_config('jit', 'off', true);
  FOR change IN SELECT c FROM jsonb_array_elements(changes::jsonb) WITH ORDINALITY AS a (c, n) ORDER BY n LOOP
    outcome := ${s}.${apply}(change);
    outcomes := outcomes || outcome;
    has_written := has_written OR (outcome->>'kind' = 'done' AND NOT (outcome->>'isRepeat')::boolean);
  END LOOP;
  -- Last, when no session's lock is left to be waited for.
  IF has_written THEN PERFORM ${s}.count_commit(); END IF;
  RETURN jsonb_build_object('outcomes', to_jsonb(outcomes), 'fsync', current_setting('fsync'));
END $$;`;

const apply = (s: string): string => `
CREATE FUNCTION ${s}.apply_change(change jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  held ${s}.sessions;
  existed boolean;
  prior jsonb;
  answer jsonb;
BEGIN
${heldSession(s)}  prior := CASE WHEN change->>'twice' IS NULL THEN ${s}.repeat_of(held, change->'records')
                ELSE ${s}.refused('id-reused', jsonb_build_object('id', change->>'twice')) END;
  IF prior->>'kind' = 'done' THEN RETURN prior; END IF;
${RESENT}  answer := coalesce(
    ${s}.claim_refusal(held, existed, change),
    prior,
    CASE WHEN (change->>'expectHead')::bigint <> held.head
      THEN ${s}.refused('head-moved', jsonb_build_object('head', held.head)) END,
    ${s}.open_refusal(held, change->'checks'),
    ${s}.content_refusal(change->'refs'));
  IF answer IS NULL THEN RETURN ${s}.write_change(held, change); END IF;
  IF NOT existed THEN DELETE FROM ${s}.sessions WHERE id = held.id; END IF;
  RETURN answer;
END $$;

CREATE FUNCTION ${s}.count_commit() RETURNS void LANGUAGE sql AS $$
  UPDATE ${s}.commits SET n = n + 1 WHERE counter = pg_backend_pid() % ${COMMIT_COUNTERS}
$$;

${appendFunction(s, "append_1", "apply_change")}`;

export const appendSql = (s: string): string =>
  [durable, rowChecksum, refusals, repeatOf, write, apply].map((part) => part(s)).join("\n");
