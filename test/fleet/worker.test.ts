/** Workers: what waits is done once, what dies with one goes on with another, and a limit pauses all of its account (docs/fleet.md). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, ended, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "./death.ts";
import { startHost } from "./host.ts";

function repositoryIn(folder: string) {
  const repository = testRepository(folder);
  repository.write("a.txt", "one\n");
  repository.commit("base");
  return repository;
}

/** Commits, edits, leaves a file, and waits; gone on with, it says what it finds, and is done. */
const AGENT = `if [ -e new.txt ]; then cat new.txt a.txt > found.txt; exit 0; fi
  echo c > c.txt; git add c.txt; git commit -qm "the agent's"; echo two >> a.txt; echo "{prompt}" > new.txt
  $CAPTURE > /dev/null 2>&1; touch "$REFLOAT_HOME/ready"; while [ ! -e "$REFLOAT_HOME/go" ]; do sleep 0.1; done`;

const items = async (place: Place, cwd: string): Promise<JsonObject[]> =>
  (await place.json(["queue", "list", "--all", "--ended"], { cwd })).json.items;

describe("a worker on one machine", () => {
  it("told to end drains within its time: what its agent left is captured, and the next worker goes on with it (L3)", async () => {
    const place = makePlace();
    const { root } = repositoryIn(place.workspace);
    await place.refloat(["queue", "add", "say hello"], { cwd: root });
    const words = ["worker", "--drain", "10s", "--", "sh", "-c", AGENT];
    const first = place.start(words, { cwd: root, env: ANN });
    await until(join(place.home, "ready"));
    first.kill("SIGTERM");
    const drained = await ended(first);
    expect([drained.code, drained.signal], drained.stderr).toEqual([0, null]);
    const [item] = await items(place, root);
    expect(item).toMatchObject({ state: "interrupted", session: { host: null } });
    const second = await place.refloat(["worker", "--until-idle", "--", "sh", "-c", AGENT], {
      cwd: root,
      env: ANN,
    });
    expect(second.code, second.stderr).toBe(0);
    expect(await items(place, root)).toMatchObject([{ id: item?.id, state: "done" }]);
    const tree = `${root}-${item?.id.slice(0, 8)}`;
    expect(readFileSync(join(tree, "found.txt"), "utf8")).toBe("say hello\none\ntwo\n");
    const git = (...args: string[]): string =>
      testRepository(tree)
        .git(...args)
        .trim();
    expect(git("symbolic-ref", "--short", "HEAD")).toBe(`refloat/${item?.id.slice(0, 8)}`);
    expect(git("log", "-1", "--format=%s")).toBe("the agent's");
    expect(testRepository(root).git("status", "--porcelain"), "the clone is as it was").toBe("");
  }, 120_000);

  it("that is killed with its agent is taken over by another; three deaths without anything done suspend the session for all, and retry lifts it (L2)", async () => {
    const place = makePlace();
    const { root } = repositoryIn(place.workspace);
    writeFileSync(join(place.home, "p.json"), '{"backoff": "0ms", "look": "100ms"}');
    await place.refloat(["queue", "add", "die"], { cwd: root });
    const killed = place.start(
      [
        "worker",
        "--",
        "sh",
        "-c",
        `echo $$ > "$REFLOAT_HOME/agent"; touch "$REFLOAT_HOME/ready"; exec sleep 1000`,
      ],
      {
        cwd: root,
      },
    );
    await until(join(place.home, "ready"));
    killed.kill("SIGKILL");
    await ended(killed);
    process.kill(Number(readFileSync(join(place.home, "agent"), "utf8")), "SIGKILL");
    const words = [
      "worker",
      "--until-idle",
      "--policy",
      join(place.home, "p.json"),
      "--",
      "sh",
      "-c",
      "kill -9 $$",
    ];
    const worked = await place.refloat(words, { cwd: root });
    expect(worked.code, worked.stderr).toBe(0);
    const [item] = await items(place, root);
    expect(item).toMatchObject({ state: "suspended" });
    const idle = await place.refloat(words, { cwd: root });
    expect(idle.stderr).not.toContain("goes on with");
    expect((await place.json(["queue", "retry", item?.id], { cwd: root })).json.lifted).toBe(true);
    const cured = ["worker", "--until-idle", "--policy", join(place.home, "p.json"), "--", "true"];
    expect((await place.refloat(cured, { cwd: root })).code).toBe(0);
    expect(await items(place, root)).toMatchObject([{ state: "done" }]);
  }, 120_000);

  it.each([
    ["after its first capture, before anything says that its agent begins", "run.before-mark"],
    ["before its agent begins", "run.before-start"],
    ["after its agent ended, before anybody said so", "run.before-release"],
  ])(
    "that is killed %s leaves no item behind: the next worker begins it anew, or ends it, and it is done once (L5, L7)",
    async (_when, point) => {
      const place = makePlace();
      const { root } = repositoryIn(place.workspace);
      writeFileSync(join(place.home, "p.json"), '{"backoff": "0ms"}');
      await place.refloat(["queue", "add", "once"], { cwd: root });
      const policy = ["--policy", join(place.home, "p.json")];
      const words = ["worker", "--until-idle", ...policy, "--", "sh", "-c", "echo x >> new.txt"];
      const killed = await place.refloat(words, { cwd: root, env: { REFLOAT_CRASH_AT: point } });
      expect(killed.signal, killed.stderr).toBe("SIGKILL");
      const next = await place.refloat(words, { cwd: root });
      expect(next.code, next.stderr).toBe(0);
      const [item] = await items(place, root);
      expect(item, next.stderr).toMatchObject({ state: "done" });
      expect(readFileSync(join(`${root}-${item?.id.slice(0, 8)}`, "new.txt"), "utf8")).toBe("x\n");
    },
    60_000,
  );

  it("at a usage limit pauses all workers of that account until it ends; those of another go on with what it left", async () => {
    const place = makePlace();
    const { root } = repositoryIn(place.workspace);
    await place.refloat(["queue", "add", "first"], { cwd: root });
    await place.refloat(["queue", "add", "second"], { cwd: root });
    const policy = (account: string): string => {
      const file = join(place.home, `${account}.json`);
      writeFileSync(file, JSON.stringify({ account, backoff: "0ms", order: "resume-first" }));
      return file;
    };
    const resets = new Date(Date.now() + 3_600_000).toISOString();
    const limited = ["sh", "-c", `echo "limit reached until ${resets}"; exit 1`];
    const words = ["worker", "--until-idle", "--limit-text", "limit reached", "--policy"];
    const met = await place.refloat([...words, policy("mine"), "--", ...limited], { cwd: root });
    expect(met.stderr).toContain("the usage limit of mine is reached");
    expect(met.stderr.match(/begins item/g)).toHaveLength(1);
    expect(met.code, "what is left waits: that is not done").toBe(75);
    const again = await place.refloat([...words, policy("mine"), "--", "true"], { cwd: root });
    expect(again.stderr).not.toMatch(/begins item|goes on with/);
    const other = await place.refloat([...words, policy("other"), "--", "true"], { cwd: root });
    expect(other.code, other.stderr).toBe(0);
    expect((await items(place, root)).map(({ state }) => state)).toEqual(["done", "done"]);
  }, 120_000);
});

describe("workers on several machines", () => {
  it("one that serves several repositories is woken by what is added to any of them, however seldom it looks", async () => {
    const { url, schema } = freshSchema();
    const place = makePlace();
    const env = { ...ANN, REFLOAT_STORE: url, REFLOAT_SCHEMA: schema };
    const roots = ["alpha", "beta"].map((name) => {
      const repository = testRepository(join(temporaryFolder(), name));
      // Two repositories are told apart by the commit they begin with.
      repository.write("name.txt", name);
      repository.commit("base");
      return repository.root;
    });
    const [alpha = "", beta = ""] = roots;
    const policy = join(place.home, "p.json");
    writeFileSync(policy, '{"look": "1h"}');
    const add = (cwd: string, ...words: string[]) => place.refloat(["queue", "add", ...words], { cwd, env });
    // One queue that is there before, and more urgent than all others.
    await add(alpha, "first", "--priority", "9");
    const words = ["worker", ...roots.flatMap((root) => ["--repo", root]), "--policy", policy];
    const worker = place.start([...words, "--", "sh", "-c", `touch "$REFLOAT_HOME"/"{prompt}"`], {
      cwd: alpha,
      env,
    });
    await until(join(place.home, "first"));
    for (const [cwd, prompt, ...flags] of [
      [beta, "second"],
      [alpha, "third", "--priority", "1"],
      [beta, "fourth", "--priority", "2"],
    ] as const) {
      await add(cwd, prompt, ...flags);
      await until(join(place.home, prompt));
    }
    worker.kill("SIGTERM");
    expect((await ended(worker)).code).toBe(0);
  }, 120_000);

  it("what dies with a machine is brought to another by its worker, with its commits and files, and done there once (K1, W8)", async () => {
    const { url } = freshSchema();
    const origin = repositoryIn(temporaryFolder()).root;
    const [dead, next] = [startHost("dead", url), startHost("next", url)];
    const [there, here] = [join(dead.disk, "app"), join(next.disk, "elsewhere")];
    dead.git(dead.disk, "clone", "-q", origin, there);
    next.git(next.disk, "clone", "-q", origin, here);
    for (const host of [dead, next])
      writeFileSync(join(host.disk, "p.json"), '{"lost_after": "4s", "look": "100ms", "backoff": "0ms"}');
    await dead.refloat(["queue", "add", "travel"], { cwd: there });
    const words = (disk: string) => ["worker", "--policy", join(disk, "p.json")];
    const first = dead.start([...words(dead.disk), "--", "sh", "-c", AGENT], {
      cwd: there,
      env: { ...ANN, CAPTURE: `${process.execPath} ${BIN} capture` },
    });
    await until(join(dead.disk, "home/refloat/ready"));
    const gone = ended(first);
    first.kill("SIGKILL");
    await gone;
    const state = async (): Promise<JsonObject> =>
      (await next.json(["queue", "list", "--ended"], { cwd: here })).json.items[0];
    let said = "";
    for (let round = 0; (await state()).state !== "done"; round++) {
      if (round > 15) throw new Error(`not done: ${JSON.stringify(await state())} ${said}`);
      const ran = await next.refloat([...words(next.disk), "--until-idle", "--", "sh", "-c", AGENT], {
        cwd: here,
        env: ANN,
      });
      expect(ran.code, ran.stderr).toBe(0);
      said += ran.stderr;
    }
    const { id } = await state();
    const tree = `${here}-${id.slice(0, 8)}`;
    expect(existsSync(join(tree, "c.txt"))).toBe(true);
    expect(readFileSync(join(tree, "found.txt"), "utf8")).toBe("travel\none\ntwo\n");
    expect(next.git(tree, "log", "-1", "--format=%s")).toBe("the agent's");
    expect(next.git(here, "status", "--porcelain")).toBe("");
  }, 300_000);

  /** Two machines with a clone each, and a policy in a file of theirs. */
  function twoHosts() {
    const { url, schema } = freshSchema();
    const origin = repositoryIn(temporaryFolder()).root;
    return ["here", "there"].map((name) => {
      const host = startHost(name, `${url}?schema=${schema}`);
      const work = join(host.disk, "app");
      host.git(host.disk, "clone", "-q", origin, work);
      const policy = (given: JsonObject): string[] => {
        const file = join(host.disk, "p.json");
        writeFileSync(file, JSON.stringify({ backoff: "0ms", look: "100ms", ...given }));
        return ["worker", "--policy", file];
      };
      const at = { cwd: work, env: ANN };
      const states = async (): Promise<JsonObject[]> =>
        (await host.json(["queue", "list", "--all", "--ended"], at)).json.items;
      return { ...host, at, policy, states };
    });
  }

  it("a usage limit that one machine's worker meets pauses the worker of that account that is at work on another; one of another account goes on", async () => {
    const [here, there] = twoHosts() as [ReturnType<typeof twoHosts>[0], ReturnType<typeof twoHosts>[0]];
    await there.refloat(["queue", "add", "long"], there.at);
    const busy = `touch ${there.disk}/ready; while [ ! -e ${there.disk}/go ]; do sleep 0.1; done`;
    const words = ["--until-idle", "--limit-text", "limit reached", "--", "sh", "-c"];
    const gone = there.refloat([...there.policy({ account: "mine" }), ...words, busy], there.at);
    await until(join(there.disk, "ready"));
    for (const prompt of ["first", "second"]) await here.refloat(["queue", "add", prompt], here.at);
    const resets = new Date(Date.now() + 3_600_000).toISOString();
    const limited = `echo "limit reached until ${resets}"; exit 1`;
    const met = await here.refloat([...here.policy({ account: "mine" }), ...words, limited], here.at);
    expect([met.code, met.stderr.match(/begins item/g)?.length], met.stderr).toEqual([75, 1]);
    writeFileSync(join(there.disk, "go"), "");
    const paused = await gone;
    expect(paused.stderr).toContain("the usage limit of mine is reached");
    expect([paused.code, paused.stderr.match(/begins item/g)?.length], paused.stderr).toEqual([75, 1]);
    const states = (await there.states()).map(({ state }) => state);
    expect(states.toSorted()).toEqual(["done", "interrupted", "waiting"]);
    const other = [...there.policy({ account: "other" }), "--until-idle", "--", "true"];
    const rest = await there.refloat(other, there.at);
    expect(rest.code, rest.stderr).toBe(0);
    expect((await here.states()).map(({ state }) => state)).toEqual(["done", "done", "done"]);
  }, 180_000);

  it("dirty ends count wherever they were: one here and two there suspend a session for the workers of both, and a lift from either ends that (L2)", async () => {
    const [here, there] = twoHosts() as [ReturnType<typeof twoHosts>[0], ReturnType<typeof twoHosts>[0]];
    const { item } = (await here.json(["queue", "add", "die"], here.at)).json;
    const dies = ["--until-idle", "--", "sh", "-c", "kill -9 $$"];
    // It rests for an hour after one: nobody goes on with it here.
    const once = await here.refloat([...here.policy({ backoff: "1h" }), ...dies], here.at);
    expect([once.stderr.match(/begins item/g)?.length, /goes on with/.test(once.stderr)]).toEqual([1, false]);
    const twice = await there.refloat([...there.policy({}), ...dies], there.at);
    expect(twice.stderr.match(/goes on with/g), twice.stderr).toHaveLength(2);
    expect(await here.states()).toMatchObject([{ id: item, state: "suspended" }]);
    for (const host of [here, there]) {
      const idle = await host.refloat([...host.policy({}), "--until-idle", "--", "true"], host.at);
      expect(idle.stderr).not.toMatch(/begins item|goes on with/);
    }
    expect((await here.json(["lift", item], here.at)).json.suspended).toBe(false);
    const cured = await there.refloat([...there.policy({}), "--until-idle", "--", "true"], there.at);
    expect(cured.code, cured.stderr).toBe(0);
    expect(await here.states()).toMatchObject([{ id: item, state: "done" }]);
  }, 180_000);
});
