/** A capture killed at every point of its writing, at random too: it is there whole or not at all, and git still works. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { capturesOf } from "../../src/workspace/captures/captures.ts";
import { fingerprint, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DIST = new URL("../../dist/", import.meta.url).href;
/** More than one batch of contents. */
const FILES = 300;
const FILE_BYTES = 8 * 1024;

const POINTS = [
  "content.after-chunk#1",
  "content.after-chunk#150",
  "content.before-row#200",
  "append.before-begin",
  // The last contents are in the record's own transaction, before it.
  "append.in-transaction#1",
  "append.in-transaction#2",
  "append.before-commit",
  "append.after-commit",
  "append.before-ack",
];

function scene(): { root: string; url: string; session: string; log: string } {
  const repo = testRepository();
  repo.write("f", "1\n");
  repo.commit();
  for (let i = 0; i < FILES; i++) repo.write(`new/${i}`, Buffer.alloc(FILE_BYTES, i));
  const home = temporaryFolder();
  return { root: repo.root, url: join(home, "s.db"), session: "victim", log: join(home, "told") };
}

/** Begins the session in one process, captures in another that may be told to die; both from the built files. */
async function captureIn(
  { root, url, session, log }: ReturnType<typeof scene>,
  env: Record<string, string>,
  killAfterMs: number | null = null,
): Promise<void> {
  const text = `
    import { appendFileSync } from "node:fs";
    import { openRawStore } from "${DIST}store/open-raw-store.js";
    import { openWorkspace } from "${DIST}workspace/opening/workspace.js";
    import { takeCapture } from "${DIST}workspace/captures/take-capture.js";
    const store = await openRawStore(${JSON.stringify(url)}, { thread: false });
    const env = process.env;
    process.stdout.write("reading\\n");
    const taken = await takeCapture(store, openWorkspace(${JSON.stringify(root)}, { env }), { env, session: "${session}", reason: "manual" });
    appendFileSync(${JSON.stringify(log)}, taken.id + "\\n");
    await store.close();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", text], {
    env: { PATH: process.env.PATH, HOME: root, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (killAfterMs !== null) {
    await once(child.stdout, "data");
    setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  }
  await once(child, "close");
}

async function begin(at: ReturnType<typeof scene>): Promise<void> {
  const store = await openStore(at.url, { thread: false });
  // Only the captures under test: the session takes none of its own.
  const session = await store.begin({ id: at.session, agent: "t", workspace: at.root, captures: "off" });
  await session.release();
  await store.close();
}

/** Every capture that is listed holds every byte it says; every one that was told is listed (T1). */
async function judge(at: ReturnType<typeof scene>): Promise<number> {
  const store = await openStore(at.url, { thread: false });
  try {
    const listed: string[] = [];
    for await (const { id, capture } of capturesOf(store.raw, at.session as SessionId)) {
      listed.push(id);
      expect(capture.entries).toHaveLength(FILES);
      for (const { state } of capture.entries) {
        let bytes = 0;
        for await (const piece of store.raw.readContent(state?.hash as never)) bytes += piece.byteLength;
        expect(bytes).toBe(state?.size);
      }
    }
    const told = readFileSync(at.log, "utf8").split("\n").filter(Boolean);
    for (const id of told) expect(listed).toContain(id);
    return listed.length;
  } finally {
    await store.close();
  }
}

describe("a capture that is killed", () => {
  it("S6, W4: is whole or absent at every point of its writing, leaves .git as it was, and the next one works", async () => {
    const at = scene();
    writeFileSync(at.log, "");
    await begin(at);
    const before = fingerprint(at.root);
    const counts: number[] = [];
    for (const point of POINTS) {
      await captureIn(at, { REFLOAT_CRASH_AT: point });
      counts.push(await judge(at));
    }
    // Only a kill after the commit leaves a capture, and nobody was told of it.
    expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 2]);
    expect(readFileSync(at.log, "utf8")).toBe("");
    await captureIn(at, {});
    expect(await judge(at)).toBe(3);
    expect(readFileSync(at.log, "utf8").split("\n").filter(Boolean)).toHaveLength(1);
    expect(fingerprint(at.root)).toBe(before);
  });

  it("S6, W4: is whole or absent when it is killed at any instant", async () => {
    const at = scene();
    writeFileSync(at.log, "");
    await begin(at);
    const before = fingerprint(at.root);
    const delays = [0, 20, 40, 60, 80, 100, 150, 250];
    for (const delay of delays) {
      await captureIn(at, {}, delay);
      await judge(at);
    }
    expect(fingerprint(at.root)).toBe(before);
  });
});
