// The page's API in a store of 10,000 sessions and 100,000 records more in one of them, against plain SQL that reads the same rows of the same file and
// parses their JSON: `serve` as a process, asked over HTTP, so what is told, redacted, written and parsed again is in it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "refloat";
import { openDatabase } from "../dist/store/sqlite/load.js";
import { interleave, scratchDirectory } from "./raw.mjs";

const BIN = resolve(import.meta.dirname, "../dist/cli/bin.js");
const SESSIONS = Number(process.env.REFLOAT_BENCH_SESSIONS ?? 10_000);
const RECORDS = Number(process.env.REFLOAT_BENCH_RECORDS ?? 100_000);
const AT_ONCE = 500;
const PAGE = 500;
const AGAIN = 10;
const TARGET = 3;
/** Between two pages: nobody reads five hundred records in that time. */
const SCROLL_MS = 300;

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
  const pageAt = (from) => served.ask(`/api/sessions/${long}/records?from=${from}&limit=${PAGE}`);
  // Those that are looked at again; what is looked at first lies behind them.
  for (let i = 0; i < AGAIN; i++) await pageAt(1 + i * PAGE);
  // In no order: the page behind one that was asked for is written meanwhile, and is measured below.
  const first = (i) => 1 + (((AGAIN + i * 37) * PAGE) % RECORDS);
  const scrolled = (i) => 1 + (((AGAIN + i) * PAGE) % RECORDS) + PAGE / 2;
  const again = (i) => 1 + (i % AGAIN) * PAGE;
  const { write, end } = await writer(join(dir, "refloat.db"), root);
  // What a watcher of the store has not seen yet when it is asked.
  const writing = () => write();
  // Names of agents end with it: one of a hundred has this number.
  const searched = (i) => `agent-${i % 100}-`;
  const against = (what, how) => compared(what, { ...how, pid: served.pid });
  try {
    return [
      await against("the list of sessions, the newest 100 of them shown", {
        sql: sessionsBySql(db, root),
        api: () => served.ask("/api/sessions"),
        ops: 4,
      }),
      await against("the first view, where all of them are counted and the newest 200 shown", {
        sql: sessionsBySql(db, root),
        api: () => served.ask("/api/home"),
        ops: 2,
      }),
      await against("a search that finds a hundred of them", {
        sql: sessionsBySql(db, root),
        api: (i) => served.ask(`/api/sessions?search=${searched(i)}`),
        ops: 4,
      }),
      await against("the list right after somebody wrote: what changed is read again", {
        sql: sessionsBySql(db, root),
        api: () => served.ask("/api/sessions"),
        beforeBlock: writing,
        ops: 1,
      }),
      await against(`${PAGE} of its ${RECORDS.toLocaleString("en")} records, looked at before`, {
        sql: recordsBySql(db, long, again),
        api: (i) => pageAt(again(i)),
        ops: 10,
      }),
      await against("the same, looked at for the first time: secrets are searched for", {
        sql: recordsBySql(db, long, first),
        api: (i) => pageAt(first(i)),
        ops: 4,
      }),
      await against(`the next ${PAGE} records, as somebody scrolls: ${SCROLL_MS} ms between`, {
        sql: recordsBySql(db, long, scrolled),
        api: (i) => pageAt(scrolled(i)),
        ops: 1,
        pauseMs: SCROLL_MS,
      }),
      await against(`what happened in it, all ${RECORDS.toLocaleString("en")} records`, {
        sql: journalBySql(db, long),
        api: () => served.ask(`/api/sessions/${long}`),
        ops: 2,
      }),
    ];
  } finally {
    db.close();
    await end();
    served.end();
    rmSync(dir, { recursive: true });
  }
}

/** Nine of ten are finished, some idle, one of a hundred was cut off. */
async function fill(path, workspace) {
  const store = await openStore(path, { thread: false });
  const make = async (n) => {
    const session = await store.begin({
      agent: `agent-${n % 100}-`,
      workspace,
      captures: "off",
      goal: `goal ${n}`,
    });
    const turn = await session.turn(`question ${n}`);
    await turn.append({ role: "assistant", parts: `answer ${n}` });
    if (n % 100 !== 0) await turn.end("completed");
    await (n % 10 === 0 ? session.release() : session.finish());
  };
  for (let from = 0; from < SESSIONS; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, SESSIONS - from) }, (_, i) => make(from + i)));
  const session = await store.begin({ agent: "bench", workspace, captures: "off" });
  const text = ["durability", "captures", "triage", "hooks", "run", "salvage"]
    .map((name) => readFileSync(join(import.meta.dirname, `../docs/${name}.md`), "utf8"))
    .join("\n");
  // Each says something else, as in a real one.
  const said = (n) => text.slice((n * 613) % (text.length - 700)).slice(0, 700);
  const PER_TURN = 200;
  for (let done = 0; done < RECORDS; done += PER_TURN) {
    const turn = await session.turn("go");
    await Promise.all(
      Array.from({ length: PER_TURN - 2 }, (_, i) =>
        turn.append({ role: "assistant", parts: said(done + i) }),
      ),
    );
    await turn.end("completed");
  }
  await session.finish();
  await store.close();
  return session.id;
}

/** One that is at work, in the same store. */
async function writer(path, workspace) {
  const store = await openStore(path, { thread: false });
  const session = await store.begin({ agent: "bench", workspace, captures: "off" });
  const turn = await session.turn("go");
  return {
    write: () => turn.append({ role: "assistant", parts: "one more" }),
    end: async () => {
      await turn.end("completed");
      await session.finish();
      await store.close();
    },
  };
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
    pid: child.pid,
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

function recordsBySql(db, id, fromOf) {
  const page = db.prepare(RANGE);
  const { sid } = db.prepare("SELECT sid FROM sessions WHERE id = ?").get(id);
  const from = sid * 4294967296;
  return (i) => parsed(page.all(from + fromOf(i), from + 4294967296, PAGE), "body");
}

function journalBySql(db, id) {
  const all = db.prepare(RANGE);
  const { sid } = db.prepare("SELECT sid FROM sessions WHERE id = ?").get(id);
  return () => parsed(all.all(sid * 4294967296, (sid + 1) * 4294967296, RECORDS * 2), "body");
}

async function compared(what, { sql, api, ops, pid, pauseMs = 0, beforeBlock }) {
  const before = beforeBlock ?? (pauseMs > 0 ? () => sleep(pauseMs) : null);
  const variants = [
    { name: "sql", run: sql },
    { name: "api", run: api, ...(before ? { beforeBlock: before } : {}) },
  ];
  const blocksPerRound = before ? 4 : 1;
  const { variants: by } = await interleave(variants, 5, ops, { warmUpOps: 1, blocksPerRound });
  const { median, min, max } = by.api.ratio;
  const ms = ({ p50Us }) => (p50Us / 1000).toFixed(1);
  const processor =
    (await processorMs(() => serverMs(pid), api, ops, before)) / (await processorMs(ownMs, sql, ops, null));
  return {
    goal: "page",
    what: `${what}, against the SQL`,
    value: median,
    target: TARGET,
    want: "at most",
    note: `p50 ${ms(by.api)} ms against ${ms(by.sql)} ms; rounds ${min.toFixed(2)} to ${max.toFixed(2)}; processor time ${processor.toFixed(2)}x`,
  };
}

/** What other work on the machine does not change; enough of them that the kernel's hundredths of a second count. */
async function processorMs(clock, run, ops, before) {
  const from = clock();
  for (let i = 0; i < ops * 3; i++) {
    await before?.();
    await run(1100 + i);
  }
  return (clock() - from) / (ops * 3);
}

const ownMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Of the server, its threads among it; fields 14 and 15 of its line, in ticks of ten milliseconds. */
function serverMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
