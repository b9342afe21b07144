/**
 * Many pages, each with the page's own code for streams (web/src/api.ts): it follows one of many sessions that real processes write to, and looks at it
 * again when something changed. The server is killed meanwhile and started again. REFLOAT_SWEEP=full has 200 pages and 100 sessions.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once, setMaxListeners } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { need } from "../support/needs.ts";
import { isFull } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { scene } from "../support/two-faces.ts";
import { browserAt } from "./browser.ts";
import { type ServedTest, served } from "./served.ts";

/** Of web/, which is checked with a browser's types, not here. */
interface PageCode {
  ask(path: string): Promise<unknown>;
  follow(
    path: string,
    first: string | null,
    onEvent: (event: { readonly event: string; readonly id: string }) => void,
    stop: AbortSignal,
  ): Promise<void>;
}
const { ask, follow } = (await import(join(import.meta.dirname, "../../web/src/api.ts"))) as PageCode;

const MIB = 1024 * 1024;
/** Pages are two for each session. */
const COUNTS = isFull
  ? { writers: 10, sessions: 10, records: 400 }
  : { writers: 3, sessions: 4, records: 120 };
/** What the server may hold beyond itself, whatever is written and however many pages follow: the feed, sockets, answers under way. */
const MAX_GROWN = 320 * MIB;
/** Between two looks of one page, as api.ts has it. */
const LOOK_AGAIN_MS = 400;

interface Writers {
  readonly ids: readonly string[];
  /** The rounds that the slowest of them has written. */
  round(): number;
  go(): void;
  /** By session: its newest record. */
  ended(): Promise<ReadonlyMap<string, number>>;
}

async function startWriters(store: string, workspace: string): Promise<Writers> {
  const rounds: number[] = [];
  const heads = new Map<string, number>();
  const ids: string[] = [];
  const children: ChildProcess[] = [];
  const ends: Promise<unknown>[] = [];
  for (let i = 0; i < COUNTS.writers; i++) {
    const args = [store, workspace, `busy${i}`, String(COUNTS.sessions), String(COUNTS.records)];
    const child = fork(join(import.meta.dirname, "busy-writer.mjs"), args);
    ends.push(once(child, "exit"));
    children.push(child);
    rounds.push(-1);
    const [begun] = (await once(child, "message")) as [{ ids: string[] }];
    ids.push(...begun.ids);
    child.on("message", (said: { kind: string; round: number; id: string; head: number }) => {
      if (said.kind === "written") rounds[i] = said.round;
      if (said.kind === "head") heads.set(said.id, said.head);
    });
  }
  return {
    ids,
    round: () => Math.min(...rounds),
    go: () => {
      for (const child of children) child.send("go");
    },
    ended: async () => {
      await Promise.all(ends);
      return heads;
    },
  };
}

interface SimplePage {
  readonly session: string;
  readonly seqs: number[];
  looks: number;
  refusals: number;
}

/** As a tab at a session has it: the stream of its records, the stream of changes, and a look after a change, one at a time. */
function openPage(session: string, stop: AbortSignal): SimplePage {
  const page: SimplePage = { session, seqs: [], looks: 0, refusals: 0 };
  let isDue = false;
  const lookAgain = async (): Promise<void> => {
    if (isDue) return;
    isDue = true;
    await sleep(LOOK_AGAIN_MS);
    await ask(`/api/sessions/${session}`).then(
      () => page.looks++,
      () => page.refusals++,
    );
    isDue = false;
  };
  void follow(`/api/sessions/${session}/follow`, null, ({ id }) => page.seqs.push(Number(id)), own(stop));
  void follow("/api/changes", null, ({ event }) => void (event === "changed" && lookAgain()), own(stop));
  return page;
}

/** Each tab has signals of its own. */
function own(stop: AbortSignal): AbortSignal {
  const mine = new AbortController();
  stop.addEventListener("abort", () => mine.abort(), { once: true });
  return mine.signal;
}

/** The page's code names paths, as in a browser; and has its token from the address. */
function asInBrowser(page: ServedTest): void {
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    const own = { ...(init.headers as Record<string, string>), "x-refloat-token": page.token };
    return real(path.startsWith("/") ? `${page.origin}${path}` : path, { ...init, headers: own });
  });
}

const memoryOf = (pid: number, name: "VmRSS" | "VmHWM"): number =>
  Number(
    new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0,
  ) * 1024;

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(50);
};

afterEach(() => void vi.unstubAllGlobals());

describe("many pages at busy sessions", { timeout: isFull ? 1_200_000 : 300_000 }, () => {
  it("D3, T5: no page misses a record or has one twice, though the server is killed and started again; its memory is bounded", async () => {
    need("proc");
    const { place } = scene();
    const token = join(temporaryFolder(), "token");
    writeFileSync(token, "t".repeat(40), { mode: 0o600 });
    const writers = await startWriters(place.store, place.workspace);
    const first = await served(place, ["--token-file", token]);
    const { port } = new URL(first.origin);
    const base = memoryOf(first.pid, "VmRSS");
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    asInBrowser(first);
    const pages = writers.ids.flatMap((id) => [openPage(id, stop.signal), openPage(id, stop.signal)]);
    const last = writers.ids.at(-1) ?? "";
    const tab = await browserAt(first);
    await tab.goto(`${first.origin}/#/session/${last}`);
    writers.go();
    await until(() => writers.round() >= COUNTS.records / 3);
    const peaks = [memoryOf(first.pid, "VmHWM")];
    await first.end("SIGKILL");
    const seen = pages.reduce((sum, { seqs }) => sum + seqs.length, 0);
    await until(() => writers.round() >= COUNTS.records / 2);
    const again = await served(place, ["--token-file", token, "--port", port]);
    onTestFinished(async () => void (await again.end()));
    const heads = await writers.ended();
    await until(() => pages.every(({ session, seqs }) => seqs.length >= (heads.get(session) ?? 0)));
    await tab.getByText(`${last} says ${COUNTS.records - 1}:`).waitFor();
    peaks.push(memoryOf(again.pid, "VmHWM"));
    stop.abort();
    expect(seen).toBeGreaterThan(0);
    for (const { session, seqs } of pages)
      expect(seqs).toEqual(Array.from({ length: heads.get(session) ?? 0 }, (_, i) => i + 1));
    const [looks, refusals] = [
      pages.reduce((sum, one) => sum + one.looks, 0),
      pages.reduce((sum, one) => sum + one.refusals, 0),
    ];
    const grown = Math.max(...peaks) - base;
    console.log(
      `${pages.length} pages, ${writers.ids.length} sessions, ${[...heads.values()].reduce((a, b) => a + b, 0)} records: peak ${peaks.map((one) => Math.round(one / MIB)).join(" and ")} MiB, at its start ${Math.round(base / MIB)}; ${looks} looks, ${refusals} not answered`,
    );
    expect(grown).toBeLessThan(MAX_GROWN);
  });
});
