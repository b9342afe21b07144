/** Captures a session takes by itself, through the library, in real repositories. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import type { Capture } from "../../src/model/capture.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { type PathName, pathFromJson } from "../../src/model/path-name.ts";
import { claimsOn, ownerOf } from "../../src/workspace/owning/own.ts";
import { loadTracks } from "../../src/workspace/owning/session-tracks.ts";
import { sessionsOf } from "../../src/workspace/sessions/workspace-sessions.ts";
import { deadOwner } from "../support/cli.ts";
import { fingerprint, type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function started(): Promise<{ repo: TestRepository; store: RefloatStore }> {
  const repo = testRepository();
  repo.write("a.txt", "a\n");
  repo.write("b.txt", "b\n");
  repo.write(".gitignore", "secret.env\n");
  repo.commit();
  const store = await openStore(join(temporaryFolder(), "refloat.db"), { thread: false });
  onTestFinished(() => store.close());
  return { repo, store };
}

async function bodiesOf(
  store: RefloatStore,
  session: string,
  kind: string,
): Promise<Record<string, unknown>[]> {
  const bodies: Record<string, unknown>[] = [];
  for await (const record of store.raw.journal(session as SessionId))
    if (record.kind === kind) bodies.push(record.body);
  return bodies;
}

/** Reason, how and paths of each capture, in order. */
async function told(store: RefloatStore, session: string): Promise<string[]> {
  const captures = (await bodiesOf(store, session, "capture.taken")) as unknown as Capture[];
  return captures.map(({ reason, how, entries }) =>
    [reason, how, ...entries.map(pathFromJson).sort()].join(" "),
  );
}

/** Captures between the begin and the end are nobody's to wait for; a test does. */
const seen = (store: RefloatStore, session: string, line: string): Promise<void> =>
  vi.waitFor(async () => expect(await told(store, session)).toContain(line), { timeout: 20_000 });

describe("a session in a git work tree", () => {
  it("captures at begin, turns, calls, operations and its end, and writes nothing into the repository (L6, W1)", async () => {
    const { repo, store } = await started();
    const before = fingerprint(join(repo.root, ".git"));
    const session = await store.begin({ agent: "tester", workspace: repo.root });
    const turn = await session.turn("go");
    const edit = await turn.call({ tool: "edit", input: { file_path: "a.txt" } });
    repo.write("a.txt", "a, edited\n");
    await edit.result("ok");
    await seen(store, session.id, "call-end paths a.txt");
    const bash = await turn.call({ tool: "bash", input: { command: "make" } });
    repo.write("made.txt", "made\n");
    await bash.result("ok");
    const operation = await session.operation("tidy");
    expect((await told(store, session.id)).at(-1)).toBe("operation-begin status a.txt made.txt");
    await operation.end();
    expect((await told(store, session.id)).at(-1)).toBe("operation-end status a.txt made.txt");
    await turn.end("completed");
    await seen(store, session.id, "turn-end status a.txt made.txt");
    await session.finish();
    const all = await told(store, session.id);
    expect(all[0]).toBe("begin status");
    expect(all.at(-1)).toBe("end status a.txt made.txt");
    expect(all).toContain("turn-begin status");
    expect(await bodiesOf(store, session.id, "capture.failed")).toEqual([]);
    expect(fingerprint(join(repo.root, ".git"))).toBe(before);
  });

  it("takes nothing from a call that only reads, nor an ignored file a call names (W6)", async () => {
    const { repo, store } = await started();
    const session = await store.begin({ agent: "tester", workspace: repo.root });
    const turn = await session.turn("go");
    const read = await turn.call({ tool: "read_file", input: { path: "b.txt" } });
    await read.result("b");
    const write = await turn.call({ tool: "write", input: { path: "secret.env" } });
    repo.write("secret.env", "TOKEN=1\n");
    await write.result("ok");
    const git = await turn.call({ tool: "write", input: { path: ".git/config" } });
    await git.result("ok");
    await turn.end("completed");
    await session.finish();
    const all = (await told(store, session.id)).join("\n");
    expect(all).not.toContain("b.txt");
    expect(all).not.toContain("secret.env");
    expect(all).not.toContain(".git/config");
  });

  it("says of a path a call names and does not change that it is as HEAD has it: nobody changed it then", async () => {
    const { repo, store } = await started();
    const session = await store.begin({ agent: "tester", workspace: repo.root });
    const turn = await session.turn("go");
    const call = await turn.call({ tool: "edit", input: { path: "a.txt" } });
    await call.failed("no such text in it");
    await seen(store, session.id, "call-end paths");
    await turn.end("completed");
    await session.finish();
    const tracks = await loadTracks(store.raw, repo.root, await sessionsOf(store.raw, [repo.root]));
    expect(claimsOn("a.txt" as PathName, tracks)).toEqual([]);
  });

  it("holds a file git was told not to look at, when a call names it", async () => {
    const { repo, store } = await started();
    repo.git("update-index", "--skip-worktree", "a.txt");
    const session = await store.begin({ agent: "tester", workspace: repo.root });
    const turn = await session.turn("go");
    const call = await turn.call({ tool: "edit", input: { path: "a.txt" } });
    repo.write("a.txt", "unseen\n");
    await call.result("ok");
    await seen(store, session.id, "call-end paths a.txt");
    await turn.end("completed");
    await session.finish();
    expect(await owners(store, repo.root, session.id)).toEqual({ "a.txt": "session" });
  });

  it("lets many calls in a row share captures, so that none of them waits for its own", async () => {
    const { repo, store } = await started();
    const session = await store.begin({ agent: "tester", workspace: repo.root });
    const turn = await session.turn("go");
    const calls = 60;
    await Promise.all(
      Array.from({ length: calls }, async (_, i) => {
        const call = await turn.call({ tool: "bash", input: { command: `touch f${i}` } });
        repo.write(`f${i}`, "x");
        await call.result("ok");
      }),
    );
    await turn.end("completed");
    await session.finish();
    const all = await told(store, session.id);
    expect(all.length).toBeLessThan(calls / 2);
    expect(all.at(-1)?.split(" ").length).toBe(calls + 2); // none is missing at the end
  });

  it("goes on when a capture cannot be taken, says so in the journal once, and never claims to hold it (W4, T1)", async () => {
    const { repo, store } = await started();
    const told: string[] = [];
    const session = await store.begin({
      agent: "tester",
      workspace: repo.root,
      onCaptureFailed: (error) => told.push((error as { code?: string }).code ?? ""),
    });
    const elsewhere = temporaryFolder();
    renameSync(join(repo.root, ".git"), join(elsewhere, "git"));
    writeFileSync(join(repo.root, ".git"), `gitdir: ${elsewhere}/git\n`);
    const turn = await session.turn("go");
    const call = await turn.call({ tool: "bash", input: { command: "true" } });
    await call.result("ok");
    await turn.end("completed");
    await session.finish();
    const failures = await bodiesOf(store, session.id, "capture.failed");
    expect(failures.map(({ code }) => code)).toEqual(["E_GIT_REDIRECTED"]);
    expect(new Set(told)).toEqual(new Set(["E_GIT_REDIRECTED"]));
    expect(await bodiesOf(store, session.id, "capture.taken")).toHaveLength(1);
    expect((await store.sessions())[0]).toMatchObject({ state: "finished" });
  });

  it("captures nothing any more under an attempt that was taken over (K1)", async () => {
    const { repo, store } = await started();
    const first = await store.begin({ id: "s", agent: "tester", workspace: repo.root });
    const turn = await first.turn("go");
    const second = await store.begin({
      id: "s",
      agent: "tester",
      workspace: repo.root,
      liveness: () => ({ kind: "dead", cause: "crash" }) as never,
    });
    const before = (await bodiesOf(store, "s", "capture.taken")).length;
    repo.write("late.txt", "late\n");
    await expect(turn.end("completed")).rejects.toMatchObject({ code: "E_FENCED" });
    await expect(first.finish()).rejects.toThrow();
    expect((await bodiesOf(store, "s", "capture.taken")).length).toBe(before);
    await second.finish();
  });
});

describe("a session elsewhere", () => {
  it("captures nothing where there is no such folder, no git, a store inside, or captures are off", async () => {
    const { repo, store } = await started();
    const folder = temporaryFolder();
    const inside = await openStore(join(repo.root, "data", "refloat.db"), { thread: false });
    onTestFinished(() => inside.close());
    const cases = [
      { in: store, options: { workspace: "/no/such/place" } },
      { in: store, options: { workspace: "a name" } },
      { in: store, options: { workspace: "" } },
      { in: store, options: { workspace: folder } },
      { in: store, options: { workspace: repo.root, captures: "off" as const } },
      { in: inside, options: { workspace: repo.root } },
    ];
    for (const { in: where, options } of cases) {
      const session = await where.begin({ agent: "tester", ...options });
      const turn = await session.turn("go");
      const call = await turn.call({ tool: "bash", input: { command: "true" } });
      await call.result("ok");
      await turn.end("completed");
      await session.finish();
      for (const kind of ["capture.taken", "capture.failed", "session.left"])
        expect(await bodiesOf(where, session.id, kind)).toEqual([]);
    }
  });
});

/** One session that edits a file by a call which names it, to its clean end. */
async function editing(store: RefloatStore, root: string, path: string, text: string): Promise<string> {
  const session = await store.begin({ agent: "tester", workspace: root });
  const turn = await session.turn("go");
  const call = await turn.call({ tool: "write", input: { path } });
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, path), text);
  await call.result("ok");
  await turn.end("completed");
  await session.finish();
  return session.id;
}

async function unsettledOf(store: RefloatStore, id: string): Promise<unknown> {
  const found = (await store.sessions()).find((session) => session.id === id);
  return found?.unsettled;
}

describe("a session that ended with uncommitted changes", () => {
  it("is unsettled until they are committed, and its changes are never another's `before` (L6)", async () => {
    const { repo, store } = await started();
    repo.write("b.txt", "the user's own\n");
    const first = await editing(store, repo.root, "a.txt", "left\n");
    expect(await unsettledOf(store, first)).toBe(true);
    const second = await editing(store, repo.root, "c.txt", "new\n");
    expect(await unsettledOf(store, second)).toBe(true);
    const [left] = await bodiesOf(store, second, "session.left");
    expect((left?.changes as { path: string }[] | undefined)?.map(({ path }) => path)).toEqual(["c.txt"]);
    expect(await owners(store, repo.root, second)).toEqual({
      "a.txt": `other ${first}`,
      "b.txt": "before",
      "c.txt": "session",
    });
    repo.git("add", "a.txt");
    repo.git("commit", "-q", "-m", "the first one's", "a.txt");
    expect(await unsettledOf(store, first)).toBe(false);
    expect(await unsettledOf(store, second)).toBe(true);
  });

  it("is settled when its file is back as the session found it, or gone; edits on top settle nothing", async () => {
    const { repo, store } = await started();
    repo.write("b.txt", "dirty before\n");
    const kept = await editing(store, repo.root, "b.txt", "dirty after\n");
    repo.write("b.txt", "and the user on top\n");
    expect(await unsettledOf(store, kept)).toBe(true);
    repo.write("b.txt", "dirty before\n");
    expect(await unsettledOf(store, kept)).toBe(false);
    const fresh = await editing(store, repo.root, "new.txt", "new\n");
    expect(await unsettledOf(store, fresh)).toBe(true);
    rmSync(join(repo.root, "new.txt"));
    expect(await unsettledOf(store, fresh)).toBe(false);
  });

  it("stays unsettled while its workspace cannot be looked at: that proves nothing", async () => {
    const { repo, store } = await started();
    const id = await editing(store, repo.root, "a.txt", "left\n");
    renameSync(repo.root, `${repo.root}-away`);
    onTestFinished(() => renameSync(`${repo.root}-away`, repo.root));
    expect(await unsettledOf(store, id)).toBe(true);
  });

  it("is settled when it left nothing, whatever the user had changed before", async () => {
    const { repo, store } = await started();
    repo.write("b.txt", "the user's own\n");
    const session = await store.begin({ agent: "tester", workspace: repo.root });
    await session.finish();
    expect(await unsettledOf(store, session.id)).toBe(false);
  });
});

describe("a session that was killed", () => {
  it("is unsettled by what its open call wrote, before and after recovery takes its end capture (A4, L6)", async () => {
    const { repo, store } = await started();
    const owner = deadOwner("tester");
    const session = await store.begin({ id: "dead", agent: "tester", workspace: repo.root, owner });
    const turn = await session.turn("go");
    await turn.call({ tool: "bash", input: { command: "make" } });
    repo.write("half.txt", "half\n");
    expect(await unsettledOf(store, "dead")).toBe(true);
    expect((await store.recover()).map((one) => one.session)).toEqual(["dead"]);
    const captures = await told(store, "dead");
    expect(captures.at(-1)).toBe("end status half.txt");
    const [left] = await bodiesOf(store, "dead", "session.left");
    expect((left?.changes as { path: string }[] | undefined)?.map(({ path }) => path)).toEqual(["half.txt"]);
    expect(await unsettledOf(store, "dead")).toBe(true);
    repo.commit();
    expect(await unsettledOf(store, "dead")).toBe(false);
  });
});

async function owners(store: RefloatStore, root: string, session: string): Promise<Record<string, string>> {
  const tracks = await loadTracks(store.raw, root, await sessionsOf(store.raw, [root]));
  const track = tracks.find((one) => one.session === session);
  const last = track?.captures.at(-1);
  if (!track || !last) throw new Error("it was never captured");
  return Object.fromEntries(
    last.changedPaths.map((path) => {
      const { owner, ownerSession } = ownerOf(path, last.keyAt(path) ?? "", track, tracks);
      return [path, ownerSession === null ? owner : `${owner} ${ownerSession}`];
    }),
  );
}
