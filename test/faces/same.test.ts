/**
 * S7: four faces, one house. The built command line (`--json`), `refloat/workspace`, the MCP server and the page's look at the same tree, and every
 * verdict, every plan and every receipt they give is the same; over scenes of one kind each, and over random trees.
 */
import { describe, expect, it } from "vitest";
import { withPage } from "../page/served.ts";
import { withMcp } from "../server/mcp-client.ts";
import type { JsonObject, Place } from "../support/cli.ts";
import fc from "../support/fast-check.ts";
import { ANN, leftSession, leftTwoFiles } from "../support/left-session.ts";
import { byLibrary, plain, type Scene, scene, stateOf } from "../support/two-faces.ts";

/** Of every result of the command line, beside what was asked for. */
function withoutFrame({ schema, command, version, ...rest }: JsonObject): JsonObject {
  return rest;
}

async function assertSameInspection(place: Place, session?: string): Promise<JsonObject> {
  const { json } = await place.json(["inspect", ...(session ? [session] : [])], { env: ANN });
  const found = await byLibrary(place, (at) => at.inspect(session === undefined ? {} : { session }));
  expect(plain(found)).toEqual(withoutFrame(json));
  return json;
}

interface Told {
  readonly acts: unknown;
  readonly conflicts: unknown;
}

/** What of a plan or receipt is the same wherever and whenever it was made. */
const told = ({ plan, conflicts }: JsonObject): Told => ({
  acts: plan.acts,
  conflicts: conflicts.map(({ path, group }: JsonObject) => ({ path, group })),
});

/** Looks only, so both look at the very same tree. */
async function assertSamePlan(place: Place, isAdopted: boolean): Promise<void> {
  const adopt = isAdopted ? ["--adopt"] : [];
  const { json } = await place.json(["settle", "--dry-run", ...adopt], { env: ANN });
  const planned = plain(await byLibrary(place, (at) => at.settle({ isAdopted })));
  expect(planned.kind).toBe("planned");
  expect(told(planned)).toEqual(told(json));
  expect([planned.commit, planned.plan.id, planned.plan.session]).toEqual([null, null, json.plan.session]);
}

/** What the model is told of it: the command line's data, and its brief to the letter. */
async function assertSameOverMcp(place: Place, isAdopted: boolean): Promise<void> {
  const byCli = async (...args: string[]): Promise<JsonObject> =>
    withoutFrame((await place.json(args, { env: ANN })).json);
  const mcp = await withMcp(
    place,
    async ({ call }) => ({
      status: (await call("status")).json,
      inspect: (await call("inspect")).json,
      settle: (await call("settle", { adopt: isAdopted })).json,
      handoff: (await call("handoff")).text,
    }),
    { env: ANN },
  );
  for (const face of ["status", "inspect"] as const) {
    const { notice, ...told } = withoutFrame(mcp[face]);
    expect(told).toEqual(await byCli(face));
  }
  const planned = await byCli("settle", "--dry-run", ...(isAdopted ? ["--adopt"] : []));
  expect([mcp.settle.plan, mcp.settle.conflicts]).toEqual([planned.plan, planned.conflicts]);
  const { stdout } = await place.refloat(["handoff"], { env: ANN });
  expect(mcp.handoff.trim()).toBe(stdout.trim());
}

/** The page's server: the command line's data, its plan by group, and its brief. */
async function assertSameOverHttp(place: Place, isAdopted: boolean): Promise<void> {
  const byCli = async (...args: string[]): Promise<JsonObject> =>
    withoutFrame((await place.json(args, { env: ANN })).json);
  const [status, sessions] = [await byCli("status"), await byCli("sessions")];
  await withPage(place, async ({ json, order }) => {
    const home = withoutFrame(await json("/api/home"));
    for (const name of [
      "workspace",
      "worktrees",
      "counts",
      "sessions",
      "tree",
      "groups",
      "not_judged",
      "next",
    ])
      expect([name, home[name]]).toEqual([name, status[name]]);
    expect((await json("/api/sessions")).sessions).toEqual(sessions.sessions);
    // A tree that nobody recorded a session in has no session to be asked for.
    const [session] = sessions.sessions;
    if (isAdopted || !session) return;
    const at = `/api/sessions/${session.id}`;
    const { can_commit, steps, ...inspected } = withoutFrame(await json(`${at}/salvage`));
    expect(inspected).toEqual(await byCli("inspect", session.id));
    const brief = await byCli("handoff", session.id);
    // Beside it, on the page alone: whether there is git, and the steps of a state file, which a terminal has in the brief.
    expect([can_commit, steps]).toEqual([true, brief.steps]);
    const { markdown, tokens, budget } = await json(`${at}/handoff`);
    expect([markdown, tokens, budget]).toEqual([brief.markdown, brief.tokens, brief.budget]);
    const planned = await byCli("settle", session.id, "--dry-run");
    const { last } = await order(`${at}/plan`, { choices: choicesIn(planned) });
    expect(told(last)).toEqual(told(planned));
  });
}

/** What a policy decided, as somebody who agrees with it chooses it. */
const choicesIn = ({ plan }: JsonObject): Record<string, string> =>
  Object.fromEntries(plan.acts.map(({ group, act }: JsonObject) => [group, act]));

/** Settles the one by the command line, the other by the page, and takes both back. */
async function assertSameReceiptsOverHttp(cli: Scene, http: Scene): Promise<void> {
  const before = stateOf(cli);
  const planned = await http.place.json(["settle", "--dry-run"], { env: ANN });
  const { json } = await cli.place.json(["settle", "--yes"], { env: ANN });
  await withPage(http.place, async ({ order }) => {
    const at = `/api/sessions/${planned.json.plan.session}`;
    const choices = choicesIn(planned.json);
    const { last: plan } = await order(`${at}/plan`, { choices });
    const { last: receipt } = await order(`${at}/apply`, { choices, digest: plan.digest });
    expect(told(receipt)).toEqual(told(json));
    expect([receipt.done, receipt.commit === null]).toEqual([json.done, json.commit === null]);
    expect(stateOf(http)).toEqual(stateOf(cli));
    const undone = await cli.place.json(["undo", "--yes"], { env: ANN });
    const { last: undo } = await order(`${at}/undo`, { plan: receipt.undo });
    const { last: back } = await order(`${at}/undo`, { plan: receipt.undo, digest: undo.digest });
    expect([back.done, back.conflicts, back.plan.acts]).toEqual([
      true,
      undone.json.conflicts,
      undone.json.plan.acts,
    ]);
  });
  expect(stateOf(http)).toEqual(before);
  expect(stateOf(cli)).toEqual(before);
}

/** Settles the one by the command line, the other by the library, and takes both back. */
async function assertSameReceipts(cli: Scene, library: Scene, isAdopted: boolean): Promise<void> {
  const before = stateOf(cli);
  expect(stateOf(library)).toEqual(before);
  const adopt = isAdopted ? ["--adopt"] : [];
  const { json } = await cli.place.json(["settle", "--yes", ...adopt], { env: ANN });
  const asked: unknown[] = [];
  const ask = (plan: unknown): boolean => asked.push(plan) > 0;
  const receipt = plain(await byLibrary(library.place, (at) => at.settle({ isAdopted, ask })));
  expect(told(receipt)).toEqual(told(json));
  expect(receipt.commit === null).toBe(json.commit === null);
  expect(receipt.plan.id === null).toBe(json.plan.id === null);
  expect(stateOf(library)).toEqual(stateOf(cli));
  if (json.plan.id === null) return;
  expect(asked).toHaveLength(1);
  const undone = await cli.place.json(["undo", "--yes"], { env: ANN });
  const [back] = plain(await byLibrary(library.place, (at) => at.undo({ ask }))) as unknown as JsonObject[];
  expect(back).toMatchObject({ kind: "done", conflicts: undone.json.conflicts });
  expect(stateOf(library)).toEqual(before);
  expect(stateOf(cli)).toEqual(before);
}

const SOUND = "export const one = 1;\n";
const BROKEN = "export const one = (1;\n";

const SCENES: Readonly<Record<string, (at: Scene) => Promise<void>>> = {
  "a dead session that left two files": ({ place, repo }) => leftTwoFiles(place, repo),
  "a broken file, an ended operation and a turn that was cut off": async ({ place, repo }) => {
    for (const name of ["whole", "broken"]) repo.write(`src/${name}.mjs`, SOUND);
    repo.commit("base");
    await leftSession(place, repo, {
      operation: "add two",
      isTurnOpen: true,
      edits: {
        "src/whole.mjs": () => repo.write("src/whole.mjs", `${SOUND}export const two = 2;\n`),
        "src/broken.mjs": () => repo.write("src/broken.mjs", BROKEN),
      },
    });
  },
  "a tree that nobody recorded a session in": async ({ repo }) => {
    repo.write("a.mjs", SOUND);
    repo.commit("base");
    repo.write("a.mjs", BROKEN);
    repo.write("b.md", "A note.\n");
  },
};

/** Its file has times in it: made twice, it is another one. */
const SEEN_ONLY: typeof SCENES = {
  "a dead session in the middle of a workflow's step": async ({ place, repo }) => {
    for (const args of [
      ["state", "init"],
      ["step", "start", "1", "--owner", "ann"],
    ])
      expect((await place.refloat(args, { env: ANN })).code).toBe(0);
    await leftTwoFiles(place, repo);
    const { json } = await place.json(["handoff"], { env: ANN });
    expect(json.steps[0]).toMatchObject({ id: "1", status: "in_progress" });
  },
};

const isUnrecorded = (name: string): boolean => name.includes("nobody");

describe("what a tree's faces say of it is the same", { timeout: 240_000 }, () => {
  it.each(Object.entries({ ...SCENES, ...SEEN_ONLY }))("S7: verdicts and plan of %s", async (name, make) => {
    const at = scene();
    await make(at);
    const json = await assertSameInspection(at.place);
    expect(json.groups.length).toBeGreaterThan(0);
    await assertSamePlan(at.place, isUnrecorded(name));
    await assertSameOverMcp(at.place, isUnrecorded(name));
    await assertSameOverHttp(at.place, isUnrecorded(name));
  });

  it.each(Object.entries(SCENES))(
    "S7: the receipts of settling %s, and of taking it back",
    async (name, make) => {
      const [cli, library] = [scene(), scene()];
      for (const at of [cli, library]) await make(at);
      await assertSameReceipts(cli, library, isUnrecorded(name));
    },
  );

  it.each(Object.entries(SCENES).filter(([name]) => !isUnrecorded(name)))(
    "S7: the page's receipts of settling %s, and of taking it back",
    async (_name, make) => {
      const [cli, http] = [scene(), scene()];
      for (const at of [cli, http]) await make(at);
      await assertSameReceiptsOverHttp(cli, http);
    },
  );

  it("S7: whatever files a session left, in whatever state", async () => {
    const text = fc.constantFrom(SOUND, BROKEN, `${SOUND}export const two = 2;\n`, "", "A note.\n", "{");
    const name = fc.constantFrom("a.mjs", "src/b.mjs", "c.md", "package.json", "deep/er/d.json");
    const files = fc.dictionary(name, fc.tuple(fc.option(text), text), { minKeys: 1, maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(files, fc.boolean(), async (given, isTurnOpen) => {
        const made = async (): Promise<Scene> => {
          const at = scene();
          const { place, repo } = at;
          repo.write("base.txt", "base\n");
          for (const [path, [before]] of Object.entries(given)) if (before !== null) repo.write(path, before);
          repo.commit("base");
          const edits = Object.fromEntries(
            Object.entries(given).map(([path, [, after]]) => [path, () => repo.write(path, after)]),
          );
          await leftSession(place, repo, { edits, isTurnOpen });
          return at;
        };
        const [cli, library] = [await made(), await made()];
        await assertSameInspection(cli.place);
        await assertSamePlan(cli.place, false);
        await assertSameOverHttp(cli.place, false);
        await assertSameReceipts(cli, library, false);
      }),
      { numRuns: 3 },
    );
  });
});

describe("what the library does to a tree", { timeout: 240_000 }, () => {
  it("W1: nothing is changed unless whoever is asked says yes", async () => {
    const at = scene();
    await leftTwoFiles(at.place, at.repo);
    const before = stateOf(at);
    const [planned, declined] = await byLibrary(at.place, async (workspace) => [
      await workspace.settle(),
      await workspace.settle({ ask: () => false }),
    ]);
    expect([planned?.kind, declined?.kind]).toEqual(["planned", "declined"]);
    expect(declined?.plan.acts).toEqual(planned?.plan.acts);
    expect(stateOf(at)).toEqual(before);
  });

  it("parks and brings back, and does again what was taken back, as the command line would", async () => {
    const at = scene();
    await leftTwoFiles(at.place, at.repo);
    const before = stateOf(at);
    const ask = (): boolean => true;
    await byLibrary(at.place, async (workspace) => {
      const parked = await workspace.park({ ask });
      expect(parked).toMatchObject({ kind: "done", commit: null, conflicts: [] });
      expect(stateOf(at).status).toBe("");
      await workspace.undo({ ask });
      expect(stateOf(at)).toEqual(before);
      expect((await workspace.redo({ ask })).kind).toBe("done");
      expect(stateOf(at).status).toBe("");
    });
    const { json } = await at.place.json(["parked"], { env: ANN });
    const [{ name }] = json.parked;
    await byLibrary(at.place, (workspace) => workspace.unpark(name, { ask }));
    expect(stateOf(at).status).not.toBe("");
  });

  it("L4: stop ends a session whose owner is dead, as `refloat stop` does; `store.stop` only gives the order", async () => {
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    await place.withStore(async (store) => {
      await store.stop("left-session", "only the order");
      expect((await store.sessions())[0]?.state).not.toBe("finished");
    });
    const stopped = await byLibrary(place, (workspace) => workspace.stop("left-session"));
    expect(stopped).toMatchObject({ kind: "stopped", summary: { state: "finished", cause: "signal" } });
    const { json } = await place.json(["stop", "left-session"], { env: ANN });
    expect(json).toMatchObject({ state: "finished", cause: "signal", done: false });
  });
});
