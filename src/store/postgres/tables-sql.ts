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
