/**
 * What the first and the fourth origin ask of a workflow's state file when a session is settled: "Task/queue state updates"
 * are safe to commit, and the file "tracks which steps are complete": no policy sets it back. By the built program.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { startServer } from "../support/postgres.ts";
import type { PostgresServer } from "../support/postgres-server.ts";

const LONG = { timeout: 10 * 60_000 };
const FOLDER = "agent-output/app";
const STATE = `${FOLDER}/00-session-state.json`;
const RECORDS = [`${FOLDER}/00-handoff.md`, STATE, `${STATE}.bak`, `${STATE}.bak.1`, `${STATE}.bak.2`];

interface Here {
  readonly place: Place;
  readonly repo: TestRepository;
  json(...args: string[]): Promise<{ code: number | null; json: JsonObject }>;
  /** Runs a shell script as an agent; `R` is refloat, `F` the workflow's folder. It dies without saying so. */
  agent(script: string): Promise<string>;
  state(): JsonObject;
}

async function workflow(env: Readonly<Record<string, string>> = {}): Promise<Here> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("README.md", "Hello.\n");
  repo.commit("base");
  const all = { ...ANN, ...env };
  const json: Here["json"] = (...args) => place.json(args, { env: all });
  expect((await json("state", "init", FOLDER)).code).toBe(0);
  repo.commit("the workflow");
  return {
    place,
    repo,
    json,
    agent: async (script) => {
      const ran = await place.refloat(["run", "--", "bash", "-c", `${PRELUDE}\n${script}\nkill -9 $$`], {
        env: all,
      });
      expect(ran.code, ran.stderr).toBe(137);
      return ran.stdout;
    },
    state: () => JSON.parse(repo.read(STATE)) as JsonObject,
  };
}

const PRELUDE = `set -e; F=${FOLDER}; R() { "${process.execPath}" "${BIN}" "$@" >/dev/null; }`;

/** Step 1 is done with a decision, step 2 is held: the file has a claim with its token in it. */
const TWO_STEPS = `R step start 1 --file $F
R decide region north --reason near --file $F
R step done 1 --file $F
R step start 2 --file $F`;

const recordGroup = ({ groups }: JsonObject): JsonObject =>
  groups.find(({ changes }: JsonObject) => changes.some(({ path }: JsonObject) => path === STATE));
const pathsIn = ({ changes }: JsonObject): string[] => changes.map(({ path }: JsonObject) => path).sort();
const rulesOf = ({ reasons }: JsonObject): string[] => reasons.map(({ rule }: JsonObject) => rule);
const actOn = ({ plan }: JsonObject, { id }: JsonObject): JsonObject =>
  plan.acts.find(({ group }: JsonObject) => group === id);

describe("a state file while a step is held", LONG, () => {
  it("origin 000.57: is in the safe bucket and no secret: its own attempt_token does not make it risky (S3)", async () => {
    const { json, agent, repo } = await workflow();
    await agent(TWO_STEPS);
    const found = (await json("inspect")).json;
    expect(repo.read(STATE)).toMatch(/"attempt_token": "[0-9a-f]{8}-/);
    expect(found.groups).toHaveLength(1);
    const group = recordGroup(found);
    expect([group.verdict, rulesOf(group)]).toEqual(["safe", ["record-update"]]);
    expect(pathsIn(group)).toEqual(RECORDS);
  });

  it("origin 000.58: its update is committed with its handoff and its ring, and the tree keeps every byte", async () => {
    const { json, agent, repo, state } = await workflow();
    await agent(TWO_STEPS);
    const before = repo.read(STATE);
    const settled = await json("settle", "--yes");
    expect(settled).toMatchObject({ code: 0, json: { done: true } });
    expect(repo.git("show", "--name-only", "--format=", "HEAD").split("\n").sort()).toEqual(RECORDS);
    expect(repo.read(STATE)).toBe(before);
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(state().steps["1"].status).toBe("complete");
    expect(state().decisions.region).toBe("north");
  });

  it("is never parked or discarded by a policy: step 1 stays complete and the decision stays, whatever the policy", async () => {
    const { json, agent, repo, state } = await workflow();
    await agent(`R op begin everything --path "agent-output/**"\n${TWO_STEPS}\necho "Half" > $F/02-draft.md`);
    const before = repo.read(STATE);
    const group = recordGroup((await json("inspect")).json);
    for (const policy of ["park-all", "revert-or-commit"]) {
      const { code, json: settled } = await json("settle", "--policy", policy, "--yes");
      expect(code).toBe(0);
      expect(["leave", "commit"]).toContain(actOn(settled, group)?.act ?? "leave");
      expect(repo.read(STATE)).toBe(before);
      if (settled.plan.id !== null) expect((await json("undo", "--yes")).code).toBe(0);
    }
    expect(state().steps["1"].status).toBe("complete");
    // The work of the operation that never ended is another group, and goes its way.
    const draft = (await json("settle", "--policy", "park-all", "--dry-run")).json.plan.acts.find(
      ({ paths }: JsonObject) => paths.includes(`${FOLDER}/02-draft.md`),
    );
    expect(draft).toMatchObject({ act: "park", paths: [`${FOLDER}/02-draft.md`] });
  });

  it("goes out of the tree only by name: park --all and discard --all leave it and say why, park --group takes it, unpark brings it back", async () => {
    const { json, agent, repo, state } = await workflow();
    await agent(`${TWO_STEPS}\necho "x" > other.md`);
    const before = repo.read(STATE);
    const group = recordGroup((await json("inspect")).json);
    for (const act of ["park", "discard"]) {
      const { code, json: done } = await json(act, "--all", "--yes");
      expect(code).toBe(0);
      expect(actOn(done, group)).toMatchObject({
        act: "leave",
        why: expect.stringContaining("the workflow's own record"),
      });
      expect(repo.read(STATE)).toBe(before);
      expect((await json("undo", "--yes")).code).toBe(0);
    }
    expect((await json("park", "--group", group.id, "--yes")).code).toBe(0);
    expect(state().steps["1"].status).toBe("pending");
    expect((await json("unpark", group.id, "--yes")).code).toBe(0);
    expect(repo.read(STATE)).toBe(before);
  });
});

describe("what a state file tells of", LONG, () => {
  it("is committed with it: an artifact whose operation ended goes into the same commit", async () => {
    const { json, agent, repo } = await workflow();
    await agent(`R step start 1 --file $F
R op begin requirements --path "$F/01-*"
printf '# Requirements\\n\\nOne database, read by all.\\n' > $F/01-requirements.md
R op end requirements
R step done 1 --artifact 01-requirements.md --file $F`);
    expect((await json("settle", "--yes")).code).toBe(0);
    const committed = repo.git("show", "--name-only", "--format=", "HEAD").split("\n");
    expect(committed).toContain(STATE);
    expect(committed).toContain(`${FOLDER}/01-requirements.md`);
  });

  it("is left with it: no commit says that a step is complete whose artifact is not in it (T1)", async () => {
    const { json, agent, repo, state } = await workflow();
    await agent(`R step start 1 --file $F
echo "# Half" > $F/01-requirements.md
R step done 1 --artifact 01-requirements.md --file $F`);
    const group = recordGroup((await json("inspect")).json);
    expect([group.verdict, rulesOf(group)]).toEqual(["unknown", ["describes-unready"]]);
    expect(group.reasons[0].evidence).toEqual([`${FOLDER}/01-requirements.md: unknown`]);
    const { json: settled } = await json("settle", "--yes");
    expect(settled.commit).toBeNull();
    expect(repo.git("log", "--format=%s", "-1")).toBe("the workflow");
    expect(state().steps["1"].status).toBe("complete");
    // Whoever judges the artifact safe commits both.
    const other = (await json("inspect")).json.groups.find(({ id }: JsonObject) => id !== group.id);
    expect((await json("judge", other.id, "safe", "--reason", "read it")).code).toBe(0);
    expect((await json("settle", "--yes")).json.commit).not.toBeNull();
    expect(repo.git("status", "--porcelain")).toBe("");
  });
});

describe("evidence against a state file", LONG, () => {
  it("is heard: a real secret among the decisions is risky, and the file is left for a person, not parked (T4)", async () => {
    const { json, agent, repo } = await workflow();
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    await agent(`${TWO_STEPS}\nR decide api_key ${secret} --file $F`);
    const before = repo.read(STATE);
    const group = recordGroup((await json("inspect")).json);
    expect([group.verdict, rulesOf(group)]).toEqual(["risky", expect.arrayContaining(["secret"])]);
    expect((await json("settle", "--yes")).json.commit).toBeNull();
    expect(repo.read(STATE)).toBe(before);
  });

  it("is no ground to set it back: cut off or deleted by the agent it stays so, and state repair has all of it", async () => {
    for (const harm of [
      `head -c 300 $F/00-session-state.json > t; mv t $F/00-session-state.json`,
      `rm $F/00-session-state.json`,
    ]) {
      const { json, agent, repo, state } = await workflow();
      await agent(`${TWO_STEPS}\n${harm}`);
      const { json: settled } = await json("settle", "--yes");
      expect(settled.plan.acts.map(({ act }: JsonObject) => act)).toEqual(["leave"]);
      expect(repo.git("status", "--porcelain", STATE)).not.toBe("");
      expect((await json("state", "repair", STATE)).code).toBe(0);
      expect(state().steps["1"].status).toBe("complete");
      expect(state().decisions.region).toBe("north");
    }
  });

  it("needs the schema to be none: another file of that kind of name is judged like any other", async () => {
    const { json, agent } = await workflow();
    await agent(`printf '{"schema_version": "2.0", "steps": 3}\\n' > $F/deploy.json`);
    const group = (await json("inspect")).json.groups[0];
    expect([pathsIn(group), group.verdict]).toEqual([[`${FOLDER}/deploy.json`], "unknown"]);
  });
});

let server: PostgresServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe("a loop that settles by the default policy", LONG, () => {
  it.each(["sqlite", "postgres"])(
    "origin 003.1: three sessions do step 1 once: which steps are complete outlives each death (%s)",
    async (kind) => {
      const env: Record<string, string> = kind === "postgres" ? { REFLOAT_STORE: server.url } : {};
      const { place, repo, state } = await workflow(env);
      const script = join(place.home, "agent.sh");
      const seen = join(place.home, "seen");
      writeFileSync(
        script,
        `${PRELUDE}
if grep -A4 '"name": "Requirements"' ${STATE} | grep -q '"status": "complete"'; then echo later >> ${seen}
else echo first >> ${seen}
  R step start 1 --file $F
  R decide region north --reason near --file $F
  echo "# Requirements" > $F/01-requirements.md
  R step done 1 --artifact 01-requirements.md --file $F
fi
R step start 2 --file $F
kill -9 $$
`,
      );
      const args = [
        "loop",
        "--max",
        "3",
        "--settle",
        "default",
        "--backoff",
        "10ms",
        "--suspend-after",
        "never",
      ];
      await place.refloat([...args, "--", "bash", script], { env: { ...ANN, ...env } });
      expect(readFileSync(seen, "utf8").trim().split("\n")).toEqual(["first", "later", "later"]);
      expect(state().steps["1"].status).toBe("complete");
      expect(state().decisions.region).toBe("north");
      expect((await place.json(["parked"], { env })).json.parked).toEqual([]);
      expect(repo.read(`${FOLDER}/01-requirements.md`)).toBe("# Requirements\n");
    },
  );
});
