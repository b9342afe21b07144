/**
 * A file system of its own for one program: small, so that it can really be full, and mounted where only that
 * program sees it, so that it can be made read-only. The program runs against the built files.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { unshareArguments } from "./needs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const DIST = new URL("../../dist/", import.meta.url).href;

/** What every program on a small disk starts with. `codeOf` tells the code of what an act throws. */
const PRELUDE = `
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { openRawStore } from "./store/open-raw-store.js";
import { checkStore } from "./store/check.js";
import { selfOwner } from "./platform/identity.js";
const disk = process.env.DISK;
const path = disk + "/home/refloat.db";
const said = {};
const codeOf = async (act) => { try { await act(); return "done"; } catch (thrown) { return thrown.code ?? String(thrown); } };
// Named whole, source and place: else mount(8) repeats the options it reads, some of which a user namespace may not give.
const mount = (options) => execFileSync("mount", ["-o", "remount," + options, "tmpfs", disk]);
const fill = () => { try { for (;;) appendFileSync(disk + "/ballast", Buffer.alloc(4096)); } catch (thrown) { if (thrown.code !== "ENOSPC") throw thrown; } };
const free = () => rmSync(disk + "/ballast", { force: true });
const record = (value) => ({ id: String(value), kind: "decided", atMs: 1, body: { key: "k", value, reason: null, step: null } });
const begin = (store) => store.take({ session: "s", seen: null, owner: selfOwner(), nowMs: 1, thresholdMs: 1, records: [] });
const append = (store, value) => store.append("s", { attempt: 1 }, [record(value)]);
const writeAndDie = (records) => execFileSync(process.execPath, ["--input-type=module", "-e", process.env.WRITER, String(records)]);
const values = async (store) => { const found = []; for await (const { body, isDamaged } of store.journal("s")) found.push(isDamaged ? "damaged" : body.value); return found; };
`;

/** A program that writes so many records and ends without closing, so that its log stays. */
const WRITER = `
import { openRawStore } from "./store/open-raw-store.js";
import { selfOwner } from "./platform/identity.js";
const store = await openRawStore(process.env.DISK + "/home/refloat.db", { thread: false });
await store.take({ session: "s", seen: null, owner: selfOwner(), nowMs: 1, thresholdMs: 1, records: [] });
for (let value = 0; value < Number(process.argv[1]); value++) {
  const body = { key: "k", value, reason: null, step: null };
  await store.append("s", { attempt: 1 }, [{ id: String(value), kind: "decided", atMs: 1, body }]);
}
process.exit(0);`;

/** Runs the lines; they put what they have to say into \`said\`. */
export function onSmallDisk(size: string, lines: string): Record<string, unknown> {
  const disk = join(temporaryFolder(), "disk");
  mkdirSync(disk);
  chmodSync(dirname(disk), 0o755); // a program may go on as another user
  const text = `${PRELUDE}${lines}\nconsole.log(JSON.stringify(said)); process.exit(0);`;
  const script = `mount -t tmpfs -o mode=0777,size=${size} tmpfs "$DISK" && mount -t tmpfs tmpfs /dev/shm && exec "$0" --input-type=module -e "$1"`;
  const flags = [...unshareArguments("--mount"), "--", "sh", "-c", script, process.execPath, ofDist(text)];
  const ended = spawnSync("unshare", flags, {
    encoding: "utf8",
    timeout: 300_000,
    env: { ...process.env, DISK: disk, WRITER: ofDist(WRITER) },
  });
  if (ended.status !== 0) throw new Error(`ended with ${ended.status ?? ended.signal}: ${ended.stderr}`);
  return JSON.parse(ended.stdout) as Record<string, unknown>;
}

const ofDist = (module: string): string =>
  module.replace(/(from|import)\s*"\.\//g, (found) => found.replace('"./', `"${DIST}`));
