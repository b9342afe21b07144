/** Bare `refloat`, `stop`, `suspend`, `lift`, as a user types them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAX_JUDGED_PATHS } from "../../src/app/status/status-groups.ts";
import { isListening } from "../../src/platform/listening.ts";
import { displayWidth } from "../../src/text/width.ts";
import { killGroup, startSupervised, until, wreckPlace } from "../recover/supervised.ts";
import { isAlive } from "../run/run-scene.ts";
import { cutOffSession, deadOwner, makePlace, unreachableOwner } from "../support/cli.ts";
import { fingerprint, testRepository } from "../support/git-repository.ts";
import { leftSession } from "../support/left-session.ts";
import { seedSession } from "../support/seed-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("bare refloat", () => {
  it("helps somebody new, makes no store, and fits a screen", async () => {
    const place = makePlace();
    const { code, stdout, stderr } = await place.refloat([]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const words of ["refloat init", "refloat run", "refloat demo"]) expect(stdout).toContain(words);
    expect((await place.json(["--all"])).json).toMatchObject({
      schema: "refloat.status/1",
      workspace: null,
      sessions: [],
    });
    expect((await place.refloat(["store", "info"])).code).not.toBe(0);
  });

  it("is one screen of 80 columns with what wants attention first and the next command to type; `status` is the same, and nothing is written", async () => {
    const place = makePlace();
    const repository = testRepository(place.workspace);
    repository.write("a.txt", "one\n");
    repository.commit();
    await cutOffSession(place, { id: "cut-off-session", name: "nightly" });
    await place.withStore(async (store) => {
      for (let i = 0; i < 13; i++)
        await store
          .begin({ id: `dead-${i}`, agent: "codex", workspace: place.workspace, owner: deadOwner() })
          .then((s) => s.turn("x"));
      await store.begin({
        id: "boxed",
        agent: "claude",
        workspace: place.workspace,
        owner: unreachableOwner(),
      });
      const done = await store.begin({ id: "done", agent: "claude", workspace: place.workspace });
      await done.finish();
    });
    const before = fingerprint(place.workspace);
    const heads = await place.withStore(async (store) =>
      (await store.raw.sessions()).map(({ id, head }) => [id, head]),
    );
    const bare = await place.refloat([]);
    expect(bare.code).toBe(0);
    const lines = bare.stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    expect(bare.stdout).toContain("interrupted");
    expect(bare.stdout).toMatch(/Next\n {2}refloat show \S+/);
    const timeless = (text: string): string => text.replace(/\d+ s ago|just now/g, "then");
    expect(timeless((await place.refloat(["status"])).stdout)).toBe(timeless(bare.stdout));
    expect(bare.stdout, "what lives is not pushed off the screen").toMatch(/^live /m);
    expect(fingerprint(place.workspace)).toBe(before);
    const after = await place.withStore(async (store) =>
      (await store.raw.sessions()).map(({ id, head }) => [id, head]),
    );
    expect(after, "W1: a reading command recovers nothing").toEqual(heads);

    const { json } = await place.json([]);
    expect(json.counts).toMatchObject({ live: 1, interrupted: 14, suspended: 0, finished: 1 });
    expect(json.sessions).toHaveLength(16);
    expect(json.next[0]).toMatch(/^refloat /);
    expect((await place.refloat(["--exit-code"])).code).toBe(3);
  });

  it("is about every work tree of the repository, from any folder of it; --here about one", async () => {
    const place = makePlace();
    const repository = testRepository(place.workspace);
    repository.write("a.txt", "one\n");
    repository.commit();
    const linked = join(place.home, "linked");
    repository.git("worktree", "add", "-q", linked, "-b", "side");
    mkdirSync(join(linked, "deep", "er"), { recursive: true });
    await place.withStore(async (store) => {
      for (const [id, workspace] of [
        ["in-main", place.workspace],
        ["in-linked", linked],
        ["elsewhere", place.home],
      ] as const)
        await store.begin({ id, agent: "a", workspace }).then((session) => session.finish());
    });
    const ids = async (args: string[], cwd: string): Promise<string[]> =>
      (await place.json(args, { cwd })).json.sessions.map(({ id }: { id: string }) => id).sort();
    for (const command of [[], ["sessions"]]) {
      expect(await ids(command, join(linked, "deep", "er"))).toEqual(["in-linked", "in-main"]);
      expect(await ids([...command, "--here"], place.workspace)).toEqual(["in-main"]);
      expect(await ids([...command, "--all"], place.workspace)).toEqual([
        "elsewhere",
        "in-linked",
        "in-main",
      ]);
    }
    expect((await place.refloat(["--all", "--here"])).code).toBe(64);
    // A session is found without its id from a folder below.
    expect((await place.json(["show"], { cwd: join(linked, "deep", "er") })).json.session.id).toBe(
      "in-linked",
    );
  });

  it("says of an agent without its supervisor that it lives, and how to end it", async () => {
    const wreck = wreckPlace();
    const { supervisor, agent } = await startSupervised(wreck, { id: "alone" });
    onTestFinished(() => killGroup(agent));
    await supervisor.kill();
    const { json } = await wreck.place.json([]);
    expect(json.sessions).toMatchObject([{ id: "alone", state: "live", supervised: false }]);
    expect(json.next).toContain("refloat stop alone");
  });
});

describe("bare refloat over what was left", () => {
  it("shows its groups with the verdicts `inspect` gives, the worst first, on one screen, and writes nothing (W1)", async () => {
    const place = makePlace();
    const { repo } = await seedSession(place);
    const before = fingerprint(repo.root);
    const { stdout } = await place.refloat([]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => displayWidth(line) > 80)).toEqual([]);
    const verdicts = lines.flatMap((line) => /^ {2}(RISKY|UNKNOWN|SAFE) /.exec(line)?.[1] ?? []);
    expect(verdicts).toEqual(["RISKY", "UNKNOWN", "SAFE", "SAFE"]);
    expect(stdout).toContain("dotfiles/.bashrc");
    expect(stdout).toMatch(/refloat inspect \S+\n {2}refloat settle \S+/);
    const { json } = await place.json([]);
    const inspected = (await place.json(["inspect"])).json;
    expect(json.groups).toEqual(
      inspected.groups.map((group: Record<string, unknown>) => ({ session: "seed-session", ...group })),
    );
    expect(json.not_judged).toEqual([]);
    expect(fingerprint(repo.root)).toBe(before);
  }, 300_000);

  it("judges at most so many changed paths, and says what it did not judge and how to", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.txt", "one\n");
    repo.commit();
    await leftSession(place, repo, { edits: { "b.md": () => repo.write("b.md", "A note.\n") } });
    for (let i = 0; i < MAX_JUDGED_PATHS; i++) repo.write(`many/${i}.ts`, "export const a = (;\n");
    const { json } = await place.json([]);
    expect(json.groups).toEqual([]);
    expect(json.not_judged).toEqual([
      { session: "left-session", why: `${MAX_JUDGED_PATHS + 1} paths differ from HEAD` },
    ]);
    expect(json.next[0]).toBe("refloat inspect left-ses");
    const { stdout } = await place.refloat([]);
    expect(stdout).toContain("was not judged here: ");
    expect(stdout.split("\n").filter((line) => displayWidth(line) > 80)).toEqual([]);
    repo.git("add", "many");
    repo.git("commit", "-qm", "many", "--", "many");
    expect((await place.json([])).json.groups).toMatchObject([{ session: "left-session", verdict: "safe" }]);
  }, 300_000);

  it("is not stopped by a session whose work tree is gone: judged from what is held in a clone, named elsewhere (W8)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.txt", "one\n");
    repo.commit();
    const linked = join(place.home, "linked");
    repo.git("worktree", "add", "-q", linked, "-b", "side");
    const side = { ...repo, root: linked };
    await leftSession(place, side, {
      edits: { "b.md": () => writeFileSync(join(linked, "b.md"), "note\n") },
    });
    rmSync(linked, { recursive: true });
    const here = (await place.json(["--all"])).json;
    expect([here.not_judged, here.groups]).toMatchObject([
      [],
      [{ session: "left-session", held: true, changes: [{ path: "b.md" }] }],
    ]);
    const { code, json } = await place.json(["--all"], { cwd: temporaryFolder() });
    expect(code).toBe(0);
    expect(json.not_judged).toMatchObject([
      { session: "left-session", why: expect.stringContaining("gone") },
    ]);
  }, 300_000);
});

describe("stop", () => {
  it("finishes a session whose owner is gone, cause signal, settles what was open, and counts nothing against it", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "gone-one" });
    const { code, json } = await place.json(["stop", "gone-one"]);
    expect(code).toBe(0);
    expect(json).toMatchObject({
      schema: "refloat.stop/1",
      session: "gone-one",
      state: "finished",
      cause: "signal",
      done: true,
    });
    expect((await place.json(["show", "gone-one"])).json.calls.at(-1)).toMatchObject({
      status: "unknown-outcome",
    });
    expect((await place.json(["stop", "gone-one"])).json).toMatchObject({ done: false, state: "finished" });
    expect((await place.json(["sessions", "--exit-code"])).code).toBe(0);
  });

  it("asks an owner that lives and says so when it does not listen; nothing is killed (S2)", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "deaf-one", agent: "me", workspace: place.workspace });
      const { code, json } = await place.json(["stop", "deaf-one", "--wait", "300ms"]);
      expect([code, json.code]).toEqual([75, "E_NOT_STOPPED"]);
      const records = await store.raw.records({ session: "deaf-one" as never, kinds: ["stop.asked"] });
      expect(records).toHaveLength(1);
      await session.finish();
    });
  });

  it("says what the agent started and left running, with what stops it; of a server, which refloat leaves alone, why and what ends it (S2, T1)", async () => {
    const wreck = wreckPlace();
    const server = `require("net").createServer().listen(0, "127.0.0.1"); setInterval(() => 0, 1000)`;
    const { supervisor, agent } = await startSupervised(wreck, {
      id: "alone",
      agent: `setsid sleep 1000 & echo $! > ${wreck.place.home}/worker
        setsid ${process.execPath} -e '${server}' & echo $! > ${wreck.place.home}/server; exec sleep 1000`,
    });
    onTestFinished(() => killGroup(agent));
    const pidIn = (name: string): number => {
      const path = join(wreck.place.home, name);
      return existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
    };
    await until(() => pidIn("server") > 1 && isListening(pidIn("server")) === true, "it listens");
    const [worker, listening] = [pidIn("worker"), pidIn("server")];
    for (const pid of [worker, listening])
      onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
    await supervisor.kill();
    wreck.repository.write("a.txt", "two\n");
    const stopped = await wreck.place.refloat(["stop", "alone"]);
    expect(stopped.stdout).toMatch(
      /^The agent of session alone has stopped\.\n2 processes of it still run, and may write:\n/,
    );
    expect(stopped.stdout).toContain(`  ${worker}  sleep 1000\n`);
    const kept = "refloat leaves it running: it is a server that others may be connected to.";
    expect(stopped.stdout).toContain(`${kept}\n      If nobody needs it, this ends it: kill ${listening}\n`);
    expect(stopped.stdout).toContain("refloat inspect alone --stop-leftovers");
    expect([isAlive(worker), isAlive(listening)]).toEqual([true, true]);
    const inspected = await wreck.place.refloat(["inspect", "alone", "--stop-leftovers"]);
    expect([isAlive(worker), isAlive(listening)]).toEqual([false, true]);
    expect(inspected.stdout).toContain(
      `${kept}\n      If nobody needs it, this ends it: kill ${listening}\n`,
    );
    expect(inspected.stdout).toContain(`process ${listening} of the session is running`);
    expect(inspected.stdout, "asking again would stop nothing").not.toContain("--stop-leftovers");
    const { json } = await wreck.place.json(["stop", "alone"]);
    expect(json.leftovers).toMatchObject([
      { pid: listening, kept: expect.any(String), remedy: `kill ${listening}` },
    ]);
    process.kill(listening, "SIGTERM");
    await until(() => !isAlive(listening), "it is gone");
    expect((await wreck.place.refloat(["inspect", "alone"])).stdout).not.toContain("still being written");
  }, 60_000);

  it("ends an agent whose supervisor is dead by its own identity, and leaves what it started running", async () => {
    const wreck = wreckPlace();
    const { supervisor, agent } = await startSupervised(wreck, {
      id: "alone",
      agent: `setsid sleep 1000 & echo $! > ${wreck.place.home}/child; exec sleep 1000`,
    });
    onTestFinished(() => killGroup(agent));
    let child = 0;
    await until(async () => {
      const { readFileSync, existsSync } = await import("node:fs");
      const path = join(wreck.place.home, "child");
      child = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
      return child > 1;
    }, "its child runs");
    onTestFinished(() => void (isAlive(child) && process.kill(child, "SIGKILL")));
    await supervisor.kill();
    const { code, stdout, stderr } = await wreck.place.refloat(["stop", "alone"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("has stopped")]);
    expect(stderr).toContain("SIGINT to the agent itself");
    await until(() => !isAlive(agent), "the agent is gone");
    expect(isAlive(child)).toBe(true);
    expect((await wreck.place.json(["sessions"])).json.sessions).toMatchObject([
      { state: "finished", cause: "signal", dirty_ends: 0 },
    ]);
  });
});

describe("suspend and lift", () => {
  it("suspend keeps a session from being resumed and beats interrupted, lift leads back to what it was and to a count of none (L4)", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "the-one" });
    expect((await place.json(["suspend", "the-one", "--reason", "later"])).json).toMatchObject({
      state: "suspended",
      done: true,
    });
    expect((await place.json(["suspend", "the-one"])).json).toMatchObject({ done: false });
    expect((await place.json([])).json).toMatchObject({
      counts: { suspended: 1 },
      next: expect.arrayContaining(["refloat lift the-one"]),
    });
    expect((await place.json(["lift", "the-one"])).json).toMatchObject({ state: "interrupted", done: true });
    expect((await place.json(["lift", "the-one"])).json).toMatchObject({ done: false });
    expect((await place.refloat(["lift"])).code).toBe(64);
    expect((await place.json(["lift", "nobody"])).json.code).toBe("E_NO_SESSION");
  });
});
