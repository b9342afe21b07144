/** What hooks left is taken in exactly once, whoever dies meanwhile (DESIGN 5, D4). */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type DrainedInbox, drainInbox, keptDropsOf } from "../../src/agents/inbox/drain-inbox.ts";
import { listInbox } from "../../src/agents/inbox/inbox-folder.ts";
import { openStore } from "../../src/app/store/open-store.ts";
import { RefloatError } from "../../src/model/errors.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { INBOX_TORN_KEPT } from "../../src/model/limits.ts";
import { INBOX_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { NOBODY } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { callHook, hookedHome, waitingNames } from "./recorder.ts";

const CHILD = resolve(import.meta.dirname, "draining-child.mjs");
const NOW = { clock: { nowMs: () => Date.now() } } as Parameters<typeof drainInbox>[0];

function leave(home: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    callHook(home, { input: `{"n":${i}}` });
    return `{"n":${i}}`;
  });
}

const drain = (home: string, env: Record<string, string> = {}): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, [CHILD, home], { env: { PATH: process.env.PATH, ...env }, encoding: "utf8" });

async function inStore(home: string): Promise<readonly string[]> {
  const store = await openStore(`${home}/refloat.db`, { thread: false });
  const texts: string[] = [];
  for (const { kind, body } of await store.raw.records({ session: "hooks" as SessionId, fromSeq: 1 })) {
    if (kind === "input.queued") texts.push((body.parts as { text: string }[])[0]?.text ?? "");
  }
  await store.close();
  return texts;
}

describe("draining the inbox", () => {
  it("takes every event once and in its order, and leaves an empty inbox", async () => {
    const home = hookedHome();
    const said = leave(home, 5);
    const { stdout } = drain(home);
    expect(JSON.parse(`${stdout}`)).toEqual({
      taken: 5,
      later: 0,
      torn: [],
      dropped: 0,
    } satisfies DrainedInbox);
    expect(await inStore(home)).toEqual(said);
    expect(waitingNames(home)).toEqual([]);
  });

  it.each(Object.keys(INBOX_CRASH_POINTS))(
    "killed at %s, again and again, takes each event exactly once (D4)",
    async (point) => {
      const home = hookedHome();
      const said = leave(home, 2);
      for (let i = 0; i < said.length; i += 1) {
        // Before the file is gone each reader takes the same event again; afterwards each gets one further.
        expect(drain(home, { REFLOAT_CRASH_AT: `${point}#1` }).signal).toBe("SIGKILL");
      }
      drain(home);
      expect(await inStore(home)).toEqual(said);
      expect(waitingNames(home)).toEqual([]);
    },
  );

  it("by two readers at once takes each event exactly once (D4)", async () => {
    const home = hookedHome();
    const said = leave(home, 12);
    const readers = [1, 2].map(() => spawn(process.execPath, [CHILD, home], { stdio: "ignore" }));
    const ends = await Promise.all(readers.map((reader) => once(reader, "exit")));
    expect(ends.map(([code]) => code)).toEqual([0, 0]);
    expect((await inStore(home)).toSorted()).toEqual([...said].toSorted());
    expect(waitingNames(home)).toEqual([]);
  });

  it("deletes nothing that the taker did not say was durable", async () => {
    const home = hookedHome();
    leave(home, 2);
    expect(await drainInbox(NOW, home, async () => "later")).toMatchObject({ taken: 0, later: 2 });
    await expect(drainInbox(NOW, home, () => Promise.reject(new Error("disk full")))).rejects.toThrow(
      "disk full",
    );
    expect(waitingNames(home)).toHaveLength(2);
  });

  it("quarantines what is torn or strange when its writer had its time, keeps it, and bounds it (T5)", async () => {
    const home = hookedHome();
    leave(home, 1);
    const put = (name: string, text: string, ageMs: number): void => {
      const path = join(home, "inbox", `${name}.hook`);
      writeFileSync(path, text);
      utimesSync(path, (Date.now() - ageMs) / 1000, (Date.now() - ageMs) / 1000);
    };
    put("torn-and-old", "refloat-hook 1\nagent a\nev", 3_600_000);
    put("torn-and-young", "refloat-hook 1\nagent a\nev", 0);
    put("strange-form", "refloat-hook 9\nbody\n\nend refloat-hook\n", 0);
    put("too-large-a-file", "x".repeat(2 * 1024 * 1024), 0);
    symlinkSync("/etc/passwd", join(home, "inbox/a-link-of-somebody.hook"));
    mkdirSync(join(home, "inbox/a-folder-of-somebody.hook"));
    const seen: string[] = [];
    const drained = await drainInbox(NOW, home, async ({ event }) => {
      seen.push(event.event);
      return "taken";
    });
    expect(seen).toEqual(["PreToolUse"]);
    expect([...drained.torn].toSorted()).toEqual(["strange-form", "too-large-a-file", "torn-and-old"]);
    expect(readFileSync(join(home, "inbox/torn/torn-and-old.hook"), "utf8")).toContain("agent a");
    expect(listInbox(home).waiting.map(({ id }) => id)).toEqual(["torn-and-young"]);
    for (let i = 0; i < INBOX_TORN_KEPT + 20; i += 1) put(`older-torn-${i}`, "", 7_200_000);
    await drainInbox(NOW, home, async () => "taken");
    const { torn } = listInbox(home);
    expect(torn).toHaveLength(INBOX_TORN_KEPT);
    expect(torn.map(({ id }) => id)).toContain("torn-and-old");
  });

  it("quarantines what no record can be made of, and takes in what waits behind it (D6)", async () => {
    const home = hookedHome();
    leave(home, 3);
    let count = 0;
    const drained = await drainInbox(NOW, home, async () => {
      count += 1;
      if (count === 1) throw new RefloatError("E_BAD_RECORD", { kind: "agent.observed", why: "a test" });
      return "taken";
    });
    expect(drained).toMatchObject({ taken: 2, later: 0, torn: [expect.any(String)] });
    expect(waitingNames(home)).toEqual([]);
    expect(listInbox(home).torn).toHaveLength(1);
  });

  it("of a plain user loses nothing but the one file that cannot be read (D6)", async () => {
    const home = hookedHome();
    const said = leave(home, 3);
    const [first = ""] = waitingNames(home).toSorted();
    chmodSync(join(home, "inbox", first), 0o000);
    const isRoot = process.getuid?.() === 0;
    // Root reads everything: what is there becomes somebody else's, who does not.
    if (isRoot) spawnSync("chown", ["-R", `${NOBODY.uid}:${NOBODY.gid}`, home]);
    const { status, stderr } = spawnSync(process.execPath, [CHILD, home], {
      ...{ env: { PATH: process.env.PATH }, encoding: "utf8" },
      ...(isRoot ? NOBODY : {}),
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    if (isRoot) spawnSync("chown", ["-R", "0:0", home]);
    expect(await inStore(home)).toEqual(said.slice(1));
    expect(listInbox(home).torn.map(({ id }) => `${id}.hook`)).toEqual([first]);
  });

  it("says how many events a full inbox dropped, once, and has room again", async () => {
    const home = hookedHome();
    writeFileSync(join(home, "inbox/dropped"), "...");
    expect((await drainInbox(NOW, home, async () => "taken")).dropped).toBe(3);
    expect((await drainInbox(NOW, home, async () => "taken")).dropped).toBe(0);
    expect(existsSync(keptDropsOf(home))).toBe(true);
  });

  it("takes marks of open turns away that nobody would be told of any more, and nothing else (T5)", async () => {
    const home = hookedHome();
    leave(home, 1);
    const folder = join(home, "open/work");
    mkdirSync(folder, { recursive: true });
    const old = (Date.now() - 100 * 3_600_000) / 1000;
    for (const name of [".claude.old!", ".told.codex.old!", "somebody's"]) {
      writeFileSync(join(folder, name), "");
      utimesSync(join(folder, name), old, old);
    }
    writeFileSync(join(folder, ".claude.young!"), "1 2 3 4 5\n");
    await drainInbox(NOW, home, async () => "taken");
    expect(readdirSync(folder).toSorted()).toEqual([".claude.young!", "somebody's"]);
  });

  it("deletes and moves nothing through a link in place of one of its folders (W3)", async () => {
    const old = (Date.now() - 100 * 3_600_000) / 1000;
    const theirs = temporaryFolder();
    const names = Array.from({ length: INBOX_TORN_KEPT + 5 }, (_, i) => `somebody-${i}.hook`);
    for (const name of [...names, ".claude.old!"]) {
      writeFileSync(join(theirs, name), "");
      utimesSync(join(theirs, name), old, old);
    }
    const before = readdirSync(theirs).toSorted();
    const home = hookedHome();
    leave(home, 1);
    writeFileSync(join(home, "inbox/strange-form.hook"), "refloat-hook 9\nbody\n\nend refloat-hook\n");
    writeFileSync(join(home, "inbox/dropped"), "..");
    symlinkSync(theirs, join(home, "inbox/torn"));
    symlinkSync(theirs, join(home, "open"));
    expect(await drainInbox(NOW, home, async () => "taken")).toMatchObject({ taken: 1, torn: [] });
    expect(waitingNames(home)).toEqual(["strange-form.hook"]);
    const linked = temporaryFolder();
    symlinkSync(theirs, join(linked, "inbox"));
    expect(await drainInbox(NOW, linked, async () => "taken")).toMatchObject({ taken: 0, torn: [] });
    expect(readdirSync(theirs).toSorted()).toEqual(before);
  });

  it("finds an inbox that is not there empty, and makes nothing", async () => {
    const home = temporaryFolder();
    expect(await drainInbox(NOW, home, async () => "taken")).toMatchObject({ taken: 0 });
    expect(readdirSync(home)).toEqual([]);
  });
});
