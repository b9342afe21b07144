// The page's API in a store of 10,000 sessions and 100,000 records more in one of them, against plain SQL that reads the same rows of the same file and
// parses their JSON: `serve` as a process, asked over HTTP, so what is told, redacted, written and parsed again is in it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { get } from "node:http";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { openStore } from "refloat";
import { openDatabase } from "../dist/store/sqlite/load.js";
import { incompressibleText, interleave, scratchDirectory } from "./raw.mjs";

const BIN = resolve(import.meta.dirname, "../dist/cli/bin.js");
const SESSIONS = Number(process.env.REFLOAT_BENCH_SESSIONS ?? 10_000);
const RECORDS = Number(process.env.REFLOAT_BENCH_RECORDS ?? 100_000);
const AT_ONCE = 500;
const PAGE = 500;
const TARGET = 3;

export async function run() {
  const dir = scratchDirectory("page");
  const root = join(dir, "repo");
  mkdirSync(root);
  for (const args of [
    ["init", "-q", "."],
    ["-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-qm", "one", "--allow-empty"],
  ])
    spawnSync("git", args, { cwd: root });
  const long = await fill(join(dir, "refloat.db"), root);
  const served = await serve(dir, root);
  const db = openDatabase(join(dir, "refloat.db"), { readOnly: true });
  try {
    return [
      await against("the list of sessions, the newest 100 of them shown", {
        sql: sessionsBySql(db, root),
        api: () => served.ask("/api/sessions"),
        blocks: 5,
      }),
      await against("the same, searched for one of them", {
        sql: sessionsBySql(db, root),
        api: () => served.ask("/api/sessions?search=nobody-is-called-so"),
        blocks: 5,
      }),
      await against(`${PAGE} of its ${RECORDS.toLocaleString("en")} records`, {
        sql: recordsBySql(db, long),
        api: (i) =>
          served.ask(`/api/sessions/${long}/records?from=${1 + ((i * PAGE) % RECORDS)}&limit=${PAGE}`),
        blocks: 20,
      }),
      await against(`what happened in it, all ${RECORDS.toLocaleString("en")} records`, {
        sql: journalBySql(db, long),
        api: () => served.ask(`/api/sessions/${long}`),
        blocks: 2,
      }),
    ];
  } finally {
    db.close();
    served.end();
    rmSync(dir, { recursive: true });
  }
}

/** Nine of ten are finished, some idle, one of a hundred was cut off. */
async function fill(path, workspace) {
  const store = await openStore(path, { thread: false });
  const make = async (n) => {
    const session = await store.begin({ agent: "bench", workspace, captures: "off", goal: `goal ${n}` });
    const turn = await session.turn(`question ${n}`);
    await turn.append({ role: "assistant", parts: `answer ${n}` });
    if (n % 100 !== 0) await turn.end("completed");
    await (n % 10 === 0 ? session.release() : session.finish());
  };
  for (let from = 0; from < SESSIONS; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, SESSIONS - from) }, (_, i) => make(from + i)));
  const session = await store.begin({ agent: "bench", workspace, captures: "off" });
  const text = incompressibleText(1024).replaceAll(/[+/=]/g, " ");
  const PER_TURN = 200;
  for (let done = 0; done < RECORDS; done += PER_TURN) {
    const turn = await session.turn("go");
    await Promise.all(
      Array.from({ length: PER_TURN - 2 }, () =>
        turn.append({ role: "assistant", parts: text.slice(done % 800) }),
      ),
    );
    await turn.end("completed");
  }
  await session.finish();
  await store.close();
  return session.id;
}

async function serve(dir, root) {
  const env = { PATH: process.env.PATH, HOME: dir, REFLOAT_HOME: dir };
  const child = spawn(process.execPath, [BIN, "serve", "--no-open", "--json"], { cwd: root, env });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { address } = JSON.parse(line);
  const { origin, hash } = new URL(address);
  const headers = { "x-refloat-token": new URLSearchParams(hash.slice(1)).get("token") };
  return {
    ask: async (path) => {
      // A connection each: one that is kept is closed by whoever waits longer.
      const asked = get(`${origin}${path}`, { headers, agent: false });
      const [answer] = await once(asked, "response");
      const text = (await answer.toArray()).join("");
      if (answer.statusCode !== 200) throw new Error(text);
      return JSON.parse(text);
    },
    end: () => child.kill(),
  };
}

const parsed = (rows, ...names) => {
  for (const row of rows) for (const name of names) if (row[name] !== null) row[name] = JSON.parse(row[name]);
  return rows;
};

const HEAD = "(SELECT max(n) FROM records WHERE n >= sid * 4294967296 AND n < (sid + 1) * 4294967296)";

function sessionsBySql(db, root) {
  const sessions = db.prepare(`SELECT *, ${HEAD} AS last FROM sessions WHERE workspace = ? ORDER BY id`);
  const open = db.prepare("SELECT * FROM open");
  return () => [parsed(sessions.all(root), "facts", "owner"), open.all()];
}

const RANGE = "SELECT * FROM records WHERE n >= ? AND n < ? ORDER BY n LIMIT ?";

function recordsBySql(db, id) {
  const page = db.prepare(RANGE);
  const { sid } = db.prepare("SELECT sid FROM sessions WHERE id = ?").get(id);
  const from = sid * 4294967296;
  return (i) => parsed(page.all(from + 1 + ((i * PAGE) % RECORDS), from + 4294967296, PAGE), "body");
}

function journalBySql(db, id) {
  const all = db.prepare(RANGE);
  const { sid } = db.prepare("SELECT sid FROM sessions WHERE id = ?").get(id);
  return () => parsed(all.all(sid * 4294967296, (sid + 1) * 4294967296, RECORDS * 2), "body");
}

async function against(what, { sql, api, blocks }) {
  const variants = [
    { name: "sql", run: sql },
    { name: "api", run: api },
  ];
  const { variants: by } = await interleave(variants, 7, blocks, { warmUpOps: 2 });
  const { median, min, max } = by.api.ratio;
  const ms = ({ p50Us }) => (p50Us / 1000).toFixed(1);
  return {
    goal: "page",
    what: `${what}, against the SQL`,
    value: median,
    target: TARGET,
    want: "at most",
    note: `p50 ${ms(by.api)} ms against ${ms(by.sql)} ms; rounds ${min.toFixed(2)} to ${max.toFixed(2)}`,
  };
}
