/** Any two of {capture, HEAD, now}, and whose change it is, with real git and real sessions of the library. */
import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import { type PathName, pathFromJson } from "../../src/model/path-name.ts";
import { stateKey } from "../../src/model/path-state.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { TakenCapture } from "../../src/workspace/captures/take-capture.ts";
import {
  type CompareSide,
  compareSides,
  nowSide,
  type SidesCompared,
} from "../../src/workspace/compare/sides.ts";
import { ownerOf } from "../../src/workspace/owning/own.ts";
import { loadTracks } from "../../src/workspace/owning/session-tracks.ts";
import { sessionsOf } from "../../src/workspace/sessions/workspace-sessions.ts";
import { readingOf } from "../../src/workspace/tree/reading.ts";
import { type Capturing, capturing, entryAt, p } from "../support/capturing.ts";
import { DOOR_ENV } from "../support/git-repository.ts";

const sideOf = ({ capture }: TakenCapture): CompareSide => ({
  label: "capture",
  reading: readingOf(capture),
  headId: capture.head?.id ?? null,
});

async function compared(
  c: Capturing,
  from: CompareSide | "HEAD",
  to: CompareSide | "now",
): Promise<SidesCompared> {
  const workspace = c.workspace();
  if (workspace.kind !== "git") throw new Error("no repository");
  const head: CompareSide = { label: "HEAD", reading: null, headId: c.repo.git("rev-parse", "HEAD") };
  const a = from === "HEAD" ? head : from;
  const named = a.reading?.entries.map(({ path }) => path) ?? [];
  const b = to === "now" ? await nowSide(workspace, named, { env: DOOR_ENV, clock: systemClock }) : to;
  return compareSides(await workspace.repository(), a, b);
}

const brief = ({ changes }: SidesCompared): string[] => changes.map(({ path, kind }) => `${kind} ${path}`);

describe("comparing two sides", () => {
  it("compares HEAD with now: content, mode, link, and a symlink that became a directory as one change", async () => {
    const c = await capturing();
    const { repo } = c;
    repo.write("edited", "1\n");
    repo.write("runs", "1\n");
    repo.write("gone", "1\n");
    repo.write("real/m", "1\n");
    symlinkSync("real", join(repo.root, "pkg"));
    repo.commit();
    expect(brief(await compared(c, "HEAD", "now"))).toEqual([]);
    repo.write("edited", "2\n");
    chmodSync(join(repo.root, "runs"), 0o755);
    rmSync(join(repo.root, "gone"));
    rmSync(join(repo.root, "pkg"));
    repo.write("pkg/m", "2\n");
    expect(brief(await compared(c, "HEAD", "now"))).toEqual([
      "modified edited",
      "deleted gone",
      "type pkg",
      "mode runs",
    ]);
  });

  it("compares captures with each other and with now on full states, 0600 too, which git does not see", async () => {
    const c = await capturing();
    c.repo.write("f", "1\n");
    c.repo.write("g", "1\n");
    c.repo.commit();
    c.repo.write("f", "2\n");
    const first = await c.capture();
    chmodSync(join(c.repo.root, "f"), 0o600);
    c.repo.write("g", "2\n");
    const second = await c.capture();
    expect(brief(await compared(c, sideOf(first), sideOf(second)))).toEqual(["mode f", "modified g"]);
    expect(brief(await compared(c, sideOf(second), "now"))).toEqual([]);
    c.repo.write("f", "1\n");
    c.repo.write("g", "1\n");
    expect(brief(await compared(c, sideOf(second), "now"))).toEqual(["modified f", "modified g"]);
  });

  it("is not fooled by line endings: a file git calls unmodified is no change", async () => {
    const c = await capturing();
    c.repo.git("config", "core.autocrlf", "true");
    c.repo.write("text", "a\r\nb\r\n");
    c.repo.commit();
    chmodSync(join(c.repo.root, "text"), 0o755);
    const { changes } = await compared(c, "HEAD", "now");
    expect(changes.map(({ kind }) => kind)).toEqual(["mode"]);
  });

  it("lists what differs only because HEAD moved as committed since, whoever committed it", async () => {
    const c = await capturing();
    for (const name of ["mine", "theirs", "still"]) c.repo.write(name, "1\n");
    c.repo.commit();
    c.repo.write("mine", "2\n");
    c.repo.write("still", "2\n");
    const before = await c.capture();
    c.repo.write("theirs", "2\n");
    c.repo.git("add", "mine", "theirs");
    c.repo.git("commit", "-qm", "both");
    c.repo.write("still", "3\n");
    for (const to of [sideOf(await c.capture()), "now" as const]) {
      const result = await compared(c, sideOf(before), to);
      expect(brief(result)).toEqual(["modified still"]);
      expect(result.committed).toEqual(["mine", "theirs"]);
    }
  });

  it("peers 2: a file that is only ignored by now is not taken for deleted", async () => {
    const c = await capturing();
    c.repo.write(".gitignore", "\n");
    c.repo.commit();
    c.repo.write("data/x.bin", "precious\n");
    const before = await c.capture();
    c.repo.write(".gitignore", "data/\n");
    expect(brief(await compared(c, sideOf(before), "now"))).toEqual(["modified .gitignore"]);
  });

  it("says nothing of a gap, and of other paths than a capture of known paths looked at", async () => {
    const c = await capturing();
    c.repo.write("a", "1\n");
    c.repo.write("b", "1\n");
    c.repo.commit();
    c.repo.write("a", "x".repeat(50));
    c.repo.write("b", "2\n");
    const known = await c.capture({ paths: [p("b")] });
    const gapped = await c.capture({ limits: { fileBytes: 10 } });
    expect(brief(await compared(c, "HEAD", sideOf(known)))).toEqual(["modified b"]);
    const result = await compared(c, "HEAD", sideOf(gapped));
    expect(brief(result)).toEqual(["modified b"]);
    expect(result.unknown.map(({ path }) => path)).toEqual(["a"]);
  });
});

describe("owning, through the library's sessions", () => {
  async function ownerNow(c: Capturing, session: string, taken: TakenCapture, path: string): Promise<string> {
    const rows = await sessionsOf(c.store.raw, [c.repo.root]);
    const tracks = await loadTracks(c.store.raw, c.repo.root, rows);
    const track = tracks.find((one) => one.session === session);
    if (!track) throw new Error("no such session");
    const entry = entryAt(taken, path);
    const state = entry?.state as never;
    const { owner, ownerSession } = ownerOf(path as PathName, stateKey(state), track, tracks);
    return ownerSession === null ? owner : `${owner} ${ownerSession === session ? "itself" : ownerSession}`;
  }

  it("peers 4: two sessions and a person in one tree each keep their own, also from a subdirectory", async () => {
    const c = await capturing();
    for (const name of ["be/x", "fe/y", "docs/z"]) c.repo.write(name, "1\n");
    c.repo.commit();
    c.repo.write("docs/z", "a person's\n");
    mkdirSync(join(c.repo.root, "fe"), { recursive: true });
    const a = await c.store.begin({ id: "sess-a", agent: "t", workspace: c.repo.root });
    const b = await c.store.begin({ id: "sess-b", agent: "t", workspace: c.repo.root });
    const [idA, idB] = [a.id as SessionId, b.id as SessionId];
    await c.capture({ session: idA, reason: "begin" });
    await c.capture({ session: idB, reason: "begin" });
    const turnA = await a.turn("go");
    const turnB = await b.turn("go");
    const callA = await turnA.call({ tool: "write", input: { file_path: join(c.repo.root, "be/x") } });
    const callB = await turnB.call({ tool: "write", input: { file_path: "fe/y" } });
    c.repo.write("be/x", "by a\n");
    c.repo.write("fe/y", "by b\n");
    await callA.result("ok");
    await callB.result("ok");
    await c.capture({ session: idA, reason: "call-end" });
    const taken = await c.capture({ session: idB, reason: "call-end" });
    expect(await ownerNow(c, "sess-b", taken, "be/x")).toBe("other sess-a");
    expect(await ownerNow(c, "sess-b", taken, "fe/y")).toBe("session");
    expect(await ownerNow(c, "sess-b", taken, "docs/z")).toBe("before");
    expect(await ownerNow(c, "sess-a", taken, "fe/y")).toBe("other sess-b");
  });

  it("L6: a clean end with uncommitted changes leaves them that session's own for the next one", async () => {
    const c = await capturing();
    c.repo.write("f", "1\n");
    c.repo.commit();
    const first = await c.store.begin({ id: "first", agent: "t", workspace: c.repo.root });
    await c.capture({ session: first.id as SessionId, reason: "begin" });
    const turn = await first.turn("go");
    const call = await turn.call({ tool: "bash", input: { command: "make it so" } });
    c.repo.write("f", "2\n");
    await call.result("ok");
    await c.capture({ session: first.id as SessionId, reason: "call-end" });
    await turn.end("completed");
    await c.capture({ session: first.id as SessionId, reason: "end" });
    await first.finish();
    const next = await c.store.begin({ id: "next", agent: "t", workspace: c.repo.root });
    const taken = await c.capture({ session: next.id as SessionId, reason: "begin" });
    expect(await ownerNow(c, "next", taken, "f")).toBe("other first");
    c.repo.write("f", "a person's\n");
    const later = await c.capture({ session: next.id as SessionId });
    expect(await ownerNow(c, "first", later, "f")).toBe("after");
    expect(pathFromJson(later.capture.entries[0] as never)).toBe("f");
  });
});
