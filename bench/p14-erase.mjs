// @ts-check
// P14, its second half: what dropping and erasing cost others and this machine's memory must not grow with the store. `gc`, `forget` and
// `delete` in a small and in a large store, while another process appends: how long it waited at worst, and how much memory the
// eraser took on top of an open store. REFLOAT_BENCH_ERASE_MB=50,1000 says the sizes; twice the larger one is needed on the disk.
import { fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { openStore } from "refloat";
import { incompressibleText, scratchDirectory } from "./raw.mjs";

export const LARGE = "large";
export const WRITTEN = "written-meanwhile";
const CHILD = resolve(import.meta.dirname, "p14-erase-child.mjs");
const KiB = 1024;
const MiB = 1024 * KiB;
const [SMALL_MB = 50, LARGE_MB = 1000] = (process.env.REFLOAT_BENCH_ERASE_MB ?? "")
  .split(",")
  .filter(Boolean)
  .map(Number);
const OPERATIONS = ["gc", "forget", "delete"];
/** Of a store: in bodies of the session that goes, in contents it alone names, in contents nobody names any more; the rest is others'. */
const PART = { bodies: 0.25, contents: 0.25, unnamed: 0.2 };
const BODY_BYTES = 4 * KiB;
const CONTENT_BYTES = 64 * KiB;
const BATCH = 64;
const DAY_MS = 24 * 60 * 60_000;

/** @typedef {{ ms: number, grewMB: number, worstMs: number, p50Ms: number, aloneMs: number }} Erased */

export async function run() {
  const dir = scratchDirectory("p14-erase");
  try {
    const small = await measured(dir, SMALL_MB);
    const large = await measured(dir, LARGE_MB);
    return OPERATIONS.flatMap((name) => rows(name, small.get(name), large.get(name)));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** @param {string} dir @param {number} megabytes @returns {Promise<Map<string, Erased>>} */
async function measured(dir, megabytes) {
  process.stderr.write(`making a store of ${megabytes} MB ...\n`);
  const made = join(dir, `${megabytes} MB`);
  await fill(join(made, "refloat.db"), megabytes * MiB);
  const found = new Map();
  for (const operation of OPERATIONS) {
    const folder = mkdtempSync(join(dir, "copy-"));
    const copy = join(folder, "refloat.db");
    cpSync(made, folder, { recursive: true });
    process.stderr.write(`${operation} ...\n`);
    found.set(operation, await whileWriting(copy, operation));
    rmSync(folder, { recursive: true });
  }
  rmSync(made, { recursive: true });
  return found;
}

/** @param {string} path @param {number} bytes */
async function fill(path, bytes) {
  const store = await openStore(path, { thread: false });
  const nowMs = Date.now() - DAY_MS;
  const put = async (/** @type {number} */ part) => {
    const hashes = [];
    for (let left = part * bytes; left > 0; left -= BATCH * CONTENT_BYTES) {
      const whole = Array.from({ length: BATCH }, () => chunk(randomBytes(CONTENT_BYTES)));
      await store.raw.driver.putWhole(whole, nowMs);
      hashes.push(...whole.map(({ hash }) => hash));
    }
    return hashes;
  };
  await named(store, "others", await put(1 - PART.bodies - PART.contents - PART.unnamed), 0);
  await named(store, LARGE, await put(PART.contents), PART.bodies * bytes);
  await put(PART.unnamed);
  // Drops nothing, and leaves the store's log empty.
  await store.raw.driver.gc(0);
  await store.close();
}

/** @param {Buffer} bytes */
const chunk = (bytes) => ({
  hash: /** @type {any} */ (createHash("sha256").update(bytes).digest("hex")),
  bytes,
});

/** @param {import("refloat").RefloatStore} store @param {string} id @param {readonly string[]} hashes @param {number} bytes */
async function named(store, id, hashes, bytes) {
  const session = await store.begin({ id, agent: "bench", workspace: "/", captures: "off" });
  const by = { attempt: session.attempt };
  let n = 0;
  const record = (/** @type {object} */ body, /** @type {readonly string[]} */ contents) => ({
    ...{ id: `made-${n++}`, kind: "x.bench.made", atMs: Date.now(), body },
    contents: contents.map((hash) => ({ hash, path: `/work/${hash}` })),
  });
  /** @type {any[]} */
  let waiting = [];
  const send = async () => {
    if (waiting.length > 0) await store.raw.append(/** @type {any} */ (id), by, waiting);
    waiting = [];
  };
  for (let at = 0; at < hashes.length; at += BATCH) {
    waiting.push(record({}, hashes.slice(at, at + BATCH)));
    if (waiting.length === BATCH) await send();
  }
  for (let left = bytes; left > 0; left -= BODY_BYTES) {
    waiting.push(record({ text: incompressibleText(BODY_BYTES) }, []));
    if (waiting.length === 10 * BATCH) await send();
  }
  await send();
  await session.finish();
}

/** @param {string} path @param {string} operation @returns {Promise<Erased>} */
async function whileWriting(path, operation) {
  const alone = await writer(path);
  await new Promise((done) => setTimeout(done, 1000));
  const { worstMs: aloneMs } = await alone.stop();
  const eraser = fork(CHILD, [operation, path]);
  await heard(eraser);
  const writing = await writer(path);
  eraser.send("go");
  const { ms, grewMB } = await heard(eraser);
  const { worstMs, p50Ms } = await writing.stop();
  return { ms, grewMB, worstMs, p50Ms, aloneMs };
}

/** @param {string} path */
async function writer(path) {
  const child = fork(CHILD, ["write", path]);
  await heard(child);
  return {
    stop: () => {
      const told = heard(child);
      child.send("stop");
      return told;
    },
  };
}

/** @param {import("node:child_process").ChildProcess} child @returns {Promise<any>} */
const heard = (child) =>
  new Promise((done, fail) => {
    const gone = (/** @type {number | null} */ code) =>
      fail(new Error(`a process of P14 ended with ${code}`));
    child.once("exit", gone);
    child.once("message", (message) => {
      child.off("exit", gone);
      done(message);
    });
  });

/** @param {string} name @param {Erased | undefined} small @param {Erased | undefined} large */
function rows(name, small, large) {
  if (!small || !large) throw new Error(`no ${name} was measured`);
  const told = (/** @type {Erased} */ { ms, worstMs, grewMB, aloneMs }) =>
    `${(ms / 1000).toFixed(1)} s, worst wait ${worstMs.toFixed(0)} ms (${aloneMs.toFixed(0)} with nobody erasing), ${grewMB.toFixed(0)} MB more`;
  const what = `in a store of ${LARGE_MB} MB against one of ${SMALL_MB} MB`;
  const note = `${told(large)}; against ${told(small)}`;
  return [
    { what: `\`${name}\`: another's worst wait ${what}`, value: large.worstMs / small.worstMs, note },
    { what: `\`${name}\`: memory ${what}`, value: Math.max(large.grewMB, 1) / Math.max(small.grewMB, 1) },
  ].map((row) => ({ goal: "P14", target: 1.5, want: "at most", ...row }));
}
