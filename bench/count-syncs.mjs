// @ts-check
/**
 * Counts syncs from outside the program that makes them (R4 of raw.mjs).
 *
 * C1. What is counted is the system call, by strace, in every thread and child: no promise of a library's
 *     documentation and no PRAGMA's answer stands in for it.
 * C2. Set-up is not a message: a program marks the span it wants counted with syncMark(), which costs no sync.
 * C3. Every sync is attributed to a file, so that a checkpoint of the database is told from a commit of its log.
 */
import { spawnSync } from "node:child_process";
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { runToEnd } from "./run-to-end.mjs";

/**
 * @typedef {{ total: number, bySyscall: Record<string, number>, byPath: Record<string, number> }} Syncs
 *   `total` leaves out hints (sync_file_range, msync without MS_SYNC): they start writing, they promise nothing.
 * @typedef {import("./run-to-end.mjs").Ended} Ended
 * @typedef {Syncs & Ended & { kind: "counted", spans: Record<string, Syncs>, syncOnWriteOpens: string[] }} Counted
 *   `syncOnWriteOpens`: files opened with O_SYNC or O_DSYNC, whose every write is a sync no count shows.
 * @typedef {{ kind: "unavailable", reason: string }} Unavailable
 */

/** "?": not every architecture has every call. Opens are traced for the marks and for O_SYNC and O_DSYNC. */
const CALLS = "?fsync,?fdatasync,?sync,?syncfs,?msync,?sync_file_range,?open,?openat";
const STRACE = ["-f", "--seccomp-bpf", "-y", "-e", `trace=${CALLS}`, "-e", "signal=none"];
const MARK = "/refloat-sync-mark";
const MARK_IN_TRACE = new RegExp(`"${MARK}/(begin|end)/([^"]+)"`);

/**
 * Called inside a program that countSyncs() runs: opens (edge "begin") or closes (edge "end") a named span, so
 * that set-up and shutdown are counted apart. It tries to open a path that does not exist: strace sees that,
 * the disk does not. Outside strace it does nothing.
 * @param {string} span
 * @param {"begin" | "end"} edge
 */
export function syncMark(span, edge) {
  try {
    closeSync(openSync(`${MARK}/${edge}/${span}`, "r"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

/**
 * Runs a program under strace, with all its threads and children, and counts what it syncs: by system call, by
 * file, and by the spans it marks. Its own times under strace mean nothing. Blind to io_uring (switched off
 * here for libuv) and to RWF_DSYNC writes; `syncOnWriteOpens` shows files that need no sync call.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {{ timeoutMs?: number }} [options] after which the program's whole process group is killed
 * @returns {Promise<Counted | Unavailable>}
 */
export async function countSyncs(command, args, env, options = {}) {
  const version = spawnSync("strace", ["-V"]);
  if (version.error !== undefined) return { kind: "unavailable", reason: "strace is not installed" };
  const dir = mkdtempSync(join(tmpdir(), "refloat-strace-"));
  const trace = join(dir, "trace");
  const withoutUring = { ...env, UV_USE_IO_URING: "0" };
  try {
    const ended = await runToEnd(
      "strace",
      [...STRACE, "-o", trace, "--", command, ...args],
      withoutUring,
      options,
    );
    const refusal = ended.stderr.split("\n").find((line) => line.startsWith("strace: "));
    if (refusal !== undefined) return { kind: "unavailable", reason: refusal };
    return { kind: "counted", ...ended, ...(await readTrace(trace)) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * A line is `pid call(arguments) = result`, or ends in `<unfinished ...>` where another thread cut in; the
 * start of a call is what is counted, unless its result is on the same line and says it failed.
 * @param {string} path
 */
async function readTrace(path) {
  const all = noSyncs();
  /** @type {Record<string, Syncs>} */
  const spans = {};
  /** @type {Map<string, Syncs>} */
  const openSpans = new Map();
  /** @type {Set<string>} */
  const syncOnWrite = new Set();
  for await (const line of createInterface({ input: createReadStream(path, "utf8") })) {
    const call = /^(?:\d+ +)?(\w+)\((.*)$/.exec(line);
    if (call === null) continue;
    const [, name = "", rest = ""] = call;
    if (name === "open" || name === "openat") {
      const [, edge, span = ""] = MARK_IN_TRACE.exec(rest) ?? [];
      // Made here and not at the first sync: a span without any must read 0, not "absent".
      if (edge === "begin") {
        spans[span] ??= noSyncs();
        openSpans.set(span, spans[span]);
      }
      if (edge === "end") openSpans.delete(span);
      if (/\bO_D?SYNC\b/.test(rest)) syncOnWrite.add(/"([^"]*)"/.exec(rest)?.[1] ?? "?");
      continue;
    }
    if (/\) += -1 /.test(rest)) continue;
    const file = /^\d+<([^>]*)>/.exec(rest)?.[1] ?? (name === "msync" ? "(mapped memory)" : "(everything)");
    const isHint = name === "sync_file_range" || (name === "msync" && !rest.includes("MS_SYNC"));
    for (const syncs of [all, ...openSpans.values()]) {
      syncs.bySyscall[name] = (syncs.bySyscall[name] ?? 0) + 1;
      if (isHint) continue;
      syncs.total += 1;
      syncs.byPath[file] = (syncs.byPath[file] ?? 0) + 1;
    }
  }
  return { ...all, spans, syncOnWriteOpens: [...syncOnWrite] };
}

/** @returns {Syncs} */
function noSyncs() {
  return { total: 0, bySyscall: {}, byPath: {} };
}
