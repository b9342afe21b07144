/**
 * The tables. Why these shapes:
 *  - Ids compare by bytes (COLLATE "C"), whatever the language of the database: paging by id relies on it.
 *  - `facts` maps the JSON text of a key to the JSON text of its value. jsonb refuses U+0000 and lone
 *    surrogates in its strings, but as JSON text both are plain characters; so merging is the server's own
 *    `||` under the session's row lock, exact for every value, and no column doubles what is in it. The
 *    two hash indexes serve the filters and, unlike a B-tree, take a value of any length.
 *  - Texts that come out of bodies unchecked (`open.id`, `refs.path`, `holder`) are JSON texts as well.
 *  - `open` is found by its session, which never has many open things; a key over an id of any length could
 *    outgrow an index page.
 *  - `commits` is what `version` adds up. One counter would make all writers wait for each other, so each
 *    server process has one of a few.
 *  - A content of one chunk has that chunk's hash; `pieces` lists the chunks of longer ones.
 *  - Chunks are stored as they are: compressing a megabyte takes longer than writing it.
 */
export const COMMIT_COUNTERS = 16;

export const tablesSql = (s: string): string => `
CREATE TABLE ${s}.meta (key text PRIMARY KEY, value text NOT NULL);

CREATE TABLE ${s}.sessions (
  id text COLLATE "C" PRIMARY KEY,
  head bigint NOT NULL DEFAULT 0,
  facts jsonb NOT NULL DEFAULT '{}',
  attempt bigint NOT NULL DEFAULT 0,
  owner text,
  holder text,
  acquired_at_ms double precision,
  heartbeat_at_ms double precision,
  threshold_ms double precision NOT NULL DEFAULT 0
) WITH (fillfactor = 60);
CREATE INDEX sessions_workspace ON ${s}.sessions USING hash ((facts->>'"workspace"'));
CREATE INDEX sessions_name ON ${s}.sessions USING hash ((facts->>'"name"'));

CREATE TABLE ${s}.records (
  session text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  attempt bigint,
  at_ms double precision NOT NULL,
  body text NOT NULL,
  spilled bytea,
  forgotten boolean NOT NULL,
  checksum bigint NOT NULL,
  PRIMARY KEY (session, seq),
  UNIQUE (session, id)
);

CREATE TABLE ${s}.open (
  session text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  what text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (session, seq)
);

CREATE TABLE ${s}.chunks (hash bytea PRIMARY KEY, bytes bytea NOT NULL, put_at_ms double precision NOT NULL);
ALTER TABLE ${s}.chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE ${s}.contents (
  hash bytea PRIMARY KEY, bytes bigint NOT NULL, chunks bytea NOT NULL, put_at_ms double precision NOT NULL
);
CREATE TABLE ${s}.pieces (chunk bytea NOT NULL, content bytea NOT NULL, PRIMARY KEY (chunk, content));
CREATE INDEX pieces_content ON ${s}.pieces (content);
CREATE TABLE ${s}.refs (
  n bigint GENERATED ALWAYS AS IDENTITY, hash bytea NOT NULL, session text COLLATE "C" NOT NULL, seq bigint NOT NULL,
  path text
);
CREATE INDEX refs_hash ON ${s}.refs (hash);
CREATE INDEX refs_record ON ${s}.refs (session, seq);

CREATE TABLE ${s}.commits (counter int PRIMARY KEY, n bigint NOT NULL) WITH (fillfactor = 20);
INSERT INTO ${s}.commits SELECT i, 0 FROM generate_series(0, ${COMMIT_COUNTERS - 1}) AS i;
`;

// Contents inside the database: putting, collecting, forgetting. Each function is called as one statement, so
// a client that dies in between leaves no lock behind.
//  * Collecting and naming exclude each other by row locks. Whoever names a content (or makes one of chunks)
// first locks the row FOR KEY SHARE; whoever drops one first locks it FOR UPDATE and looks for names only
// afterwards, in a statement of its own that sees everything committed until then.

/** RF001 is ours: a chunk that a content is made of is not there; the detail is its hash. */
const put = (s: string): string => `
CREATE FUNCTION ${s}.put_1(request text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  chunks jsonb := request::jsonb->'chunks';
  content jsonb := request::jsonb->'content';
  now_ms double precision := (request::jsonb->>'nowMs')::double precision;
  parts text[];
  missing text;
BEGIN
  PERFORM ${s}.durable();
  -- A second put renews the grace period, so that gc leaves it to whoever is about to name it.
  INSERT INTO ${s}.chunks (hash, bytes, put_at_ms)
    SELECT DISTINCT ON (c.hash) decode(c.hash, 'hex'), decode(c.bytes, 'hex'), now_ms
    FROM jsonb_to_recordset(chunks) AS c (hash text, bytes text) ORDER BY c.hash
    ON CONFLICT (hash) DO UPDATE SET put_at_ms = greatest(chunks.put_at_ms, excluded.put_at_ms);
  IF content = 'null' THEN RETURN current_setting('fsync'); END IF;
  parts := ARRAY(SELECT jsonb_array_elements_text(content->'chunks'));
  PERFORM FROM ${s}.chunks c WHERE c.hash IN (SELECT decode(part, 'hex') FROM unnest(parts) AS part)
    ORDER BY c.hash FOR KEY SHARE;
  SELECT part INTO missing FROM unnest(parts) WITH ORDINALITY AS p (part, n)
    WHERE NOT EXISTS (SELECT FROM ${s}.chunks c WHERE c.hash = decode(part, 'hex')) ORDER BY n LIMIT 1;
  IF missing IS NOT NULL THEN
    RAISE EXCEPTION 'a chunk is missing' USING ERRCODE = 'RF001', DETAIL = missing;
  END IF;
  INSERT INTO ${s}.contents (hash, bytes, chunks, put_at_ms)
    VALUES (decode(content->>'hash', 'hex'), (content->>'bytes')::bigint, decode(array_to_string(parts, ''), 'hex'), now_ms)
    ON CONFLICT (hash) DO UPDATE SET put_at_ms = greatest(contents.put_at_ms, excluded.put_at_ms);
  IF array_length(parts, 1) > 1 THEN
    INSERT INTO ${s}.pieces (chunk, content)
      SELECT DISTINCT decode(part, 'hex'), decode(content->>'hash', 'hex') FROM unnest(parts) AS part
      ON CONFLICT DO NOTHING;
  END IF;
  RETURN current_setting('fsync');
END $$;

CREATE FUNCTION ${s}.held_1(hashes text, now_ms double precision, stale_before_ms double precision) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  asked bytea[] := ARRAY(SELECT DISTINCT decode(hash, 'hex') AS h FROM jsonb_array_elements_text(hashes::jsonb) AS hash ORDER BY h);
BEGIN
  -- Whoever asks will not put these again: the answer must hold until the content made of them is there.
  UPDATE ${s}.chunks SET put_at_ms = now_ms WHERE hash = ANY (asked) AND put_at_ms < stale_before_ms;
  RETURN (SELECT coalesce(jsonb_agg(encode(hash, 'hex')), '[]') FROM ${s}.chunks WHERE hash = ANY (asked));
END $$;`;

const drop = (s: string): string => `
CREATE FUNCTION ${s}.drop_chunks(candidates bytea[], OUT dropped bigint, OUT freed bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ${s}.chunks c WHERE c.hash = ANY (candidates) ORDER BY c.hash FOR UPDATE;
  WITH gone AS (
    DELETE FROM ${s}.chunks c WHERE c.hash = ANY (candidates)
      AND NOT EXISTS (SELECT FROM ${s}.contents WHERE contents.hash = c.hash)
      AND NOT EXISTS (SELECT FROM ${s}.pieces WHERE pieces.chunk = c.hash)
    RETURNING octet_length(c.bytes) AS size
  ) SELECT count(*), coalesce(sum(size), 0) INTO dropped, freed FROM gone;
END $$;

-- Drops those of the candidates that no record names and that were put before the given time; returns their number.
CREATE FUNCTION ${s}.drop_contents(candidates bytea[], before_ms double precision) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  dropped bigint;
BEGIN
  PERFORM FROM ${s}.contents c WHERE c.hash = ANY (candidates) ORDER BY c.hash FOR UPDATE;
  WITH gone AS (
    DELETE FROM ${s}.contents c WHERE c.hash = ANY (candidates) AND c.put_at_ms < before_ms
      AND NOT EXISTS (SELECT FROM ${s}.refs WHERE refs.hash = c.hash)
    RETURNING c.hash
  ), loose AS (DELETE FROM ${s}.pieces p USING gone WHERE p.content = gone.hash)
  SELECT count(*) INTO dropped FROM gone;
  RETURN dropped;
END $$;

CREATE FUNCTION ${s}.gc_step_1(before_ms double precision, contents_per_step int, chunks_per_step int) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
  contents_dropped bigint;
  loose record;
BEGIN
  PERFORM ${s}.durable();
  contents_dropped := ${s}.drop_contents(ARRAY(
    SELECT c.hash FROM ${s}.contents c WHERE c.put_at_ms < before_ms
      AND NOT EXISTS (SELECT FROM ${s}.refs WHERE refs.hash = c.hash) LIMIT contents_per_step), before_ms);
  SELECT * INTO loose FROM ${s}.drop_chunks(ARRAY(
    SELECT c.hash FROM ${s}.chunks c WHERE c.put_at_ms < before_ms
      AND NOT EXISTS (SELECT FROM ${s}.contents WHERE contents.hash = c.hash)
      AND NOT EXISTS (SELECT FROM ${s}.pieces WHERE pieces.chunk = c.hash) LIMIT chunks_per_step));
  RETURN jsonb_build_object('contents', contents_dropped, 'chunks', loose.dropped, 'bytes', loose.freed);
END $$;`;

/** The one exception to D2. The note comes first: when it is refused, nothing is erased. */
const forget = (s: string): string => `
CREATE FUNCTION ${s}.forget_1(request text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  note jsonb := request::jsonb->'note';
  erased jsonb := request::jsonb->'records';
  outcome jsonb;
  named bytea[];
  parts bytea[];
  contents_dropped bigint;
  loose record;
BEGIN
  PERFORM ${s}.durable();
  outcome := ${s}.apply_change(note);
  IF outcome->>'kind' = 'refused' THEN RETURN jsonb_build_object('outcome', outcome, 'contents', 0, 'bytes', 0); END IF;
  UPDATE ${s}.records r SET body = e.body, spilled = NULL, forgotten = true, checksum = e.checksum
    FROM jsonb_to_recordset(erased) AS e (seq bigint, body text, checksum bigint)
    WHERE r.session = note->>'session' AND r.seq = e.seq;
  WITH gone AS (
    DELETE FROM ${s}.refs r USING jsonb_to_recordset(erased) AS e (seq bigint)
      WHERE r.session = note->>'session' AND r.seq = e.seq RETURNING r.hash
  ) SELECT coalesce(array_agg(DISTINCT hash), '{}') INTO named FROM gone;
  parts := ARRAY(SELECT p.chunk FROM ${s}.pieces p WHERE p.content = ANY (named)) || named;
  -- No grace here: the user ordered the bytes gone, and a put under way of the same bytes is refused and repeated.
  contents_dropped := ${s}.drop_contents(named, 'infinity');
  SELECT * INTO loose FROM ${s}.drop_chunks(parts);
  PERFORM ${s}.count_commit();
  RETURN jsonb_build_object('outcome', outcome, 'contents', contents_dropped, 'bytes', loose.freed);
END $$;`;

export const contentsSql = (s: string): string => [put, drop, forget].map((part) => part(s)).join("\n");
