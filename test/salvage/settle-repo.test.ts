/** `settle --repo`: every unsettled session of a repository and its work trees, one plan, one undo (DESIGN 10, S5). */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { atTerminal } from "../support/at-terminal.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { treeState } from "../support/tree-state.ts";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly linked: string;
  run(...args: string[]): Promise<{ code: number | null; json: JsonObject }>;
  /** Trees, indexes and refs of both. */
  state(): unknown;
}

/** Two sessions here and one in a linked work tree, each with a journal line; one has an operation that was cut off, too. */
async function scene(config: object | null = null): Promise<Scene> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("journal/log.md", "Began.\n");
  repo.write("config/a.yml", "a: 1\n");
  if (config) repo.write("refloat.json", JSON.stringify(config));
  repo.commit("base");
  const linked = join(temporaryFolder(), "linked tree");
  repo.git("worktree", "add", "-q", "-b", "topic", linked);
  const there = testRepositoryAt(repo, linked);
  const line = (root: string, text: string) => (): void => appendFileSync(join(root, "journal/log.md"), text);
  await leftSession(place, repo, {
    id: "older",
    edits: { "journal/log.md": line(repo.root, "One.\n") },
  });
  await leftSession(place, there, {
    id: "linked",
    edits: {
      "journal/log.md": line(linked, "Two.\n"),
      "config/a.yml": () => writeFileSync(join(linked, "config/a.yml"), "a: 2\n"),
    },
    isTurnOpen: true,
  });
  return {
    place,
    repo,
    linked,
    run: (...args) => place.json(args, { env: ANN }),
    state: () => [treeState(repo), treeState(there)],
  };
}

const testRepositoryAt = (repo: TestRepository, root: string): TestRepository => ({
  ...repo,
  root,
  git: (...args: string[]) => repo.git("-C", root, ...args),
});

it("S5: settles each as its own settle would, commits in each work tree, and one undo takes all of it back", async () => {
  const { repo, linked, run, state } = await scene();
  const before = state();
  const dry = await run("settle", "--repo", "--dry-run");
  expect([dry.code, dry.json.done, dry.json.undo]).toEqual([0, false, null]);
  expect(state(), "a dry run changes nothing").toEqual(before);
  const unasked = await run("settle", "--repo");
  expect([unasked.code, unasked.json.code]).toEqual([1, "E_NEEDS_YES"]);
  expect(unasked.json.plan.acts).toEqual(dry.json.plan.acts);
  const { code, json } = await run("settle", "--repo", "--yes");
  expect([code, json.done]).toEqual([0, true]);
  expect(json.plan.acts).toEqual(dry.json.plan.acts);
  expect(new Set(json.plan.acts.map(({ session }: JsonObject) => session))).toEqual(
    new Set(["older", "linked"]),
  );
  expect(json.commits.map(({ workspace }: JsonObject) => workspace)).toEqual([repo.root, linked]);
  expect(repo.git("log", "-1", "--format=%s")).not.toBe("base");
  expect(repo.git("-C", linked, "log", "-1", "--format=%s")).not.toBe("base");
  expect(
    (await run("settle", "--repo", "--yes")).json.plan.acts.filter(({ act }: JsonObject) => act !== "leave"),
  ).toEqual([]);
  const [, ...undo] = String(json.undo).split(" ");
  const back = await run(...undo, "--yes");
  expect([back.code, back.json.done]).toEqual([0, true]);
  expect(state()).toEqual(before);
  expect((await run(...undo, "--yes")).code, "once").toBe(1);
}, 300_000);

it("S5: bare undo takes the whole order back, and what one tree keeps from it stays to be taken back", async () => {
  const { repo, run, state } = await scene();
  const before = state();
  const { json } = await run("settle", "--repo", "--yes", "--policy", "park-all");
  repo.write("journal/log.md", "Mine.\n");
  const half = await run("undo", "--yes");
  expect([half.code, half.json.conflicts.length]).toEqual([3, 1]);
  repo.git("checkout", "-q", "journal/log.md");
  expect((await run("undo", "--plan", json.plan.id, "--yes")).code).toBe(0);
  expect(state()).toEqual(before);
}, 300_000);

it("T1: asked and told no, it says that nothing was changed, and so does the undo of the order", async () => {
  const { place, run, state } = await scene();
  const declined = async (...args: string[]): Promise<void> => {
    const before = state();
    const terminal = atTerminal(place, args, { env: ANN });
    await terminal.until(() => terminal.text().includes("Do it?"), "to be asked");
    terminal.type("n\r");
    expect((await terminal.ended).exitCode).toBe(1);
    expect(terminal.text()).toContain("Nothing was changed.");
    expect(state()).toEqual(before);
  };
  await declined("settle", "--repo");
  await run("settle", "--repo", "--yes", "--policy", "park-all");
  await declined("undo");
}, 300_000);

it("T1: of each session it says once what becomes of the check, though it looks at it for the plan and to carry it out", async () => {
  const { place } = await scene({ verify: "true", nonsense: 1 });
  const { stderr } = await place.refloat(["settle", "--repo", "--yes", "--policy", "park-all"], { env: ANN });
  for (const said of ["The configured check was not run", "nonsense"])
    expect([said, stderr.split(said).length - 1]).toEqual([said, 2]);
}, 300_000);

it("S7: runs the user's check once on each session's work, and again only where a commit before it made that another", async () => {
  const ran = join(temporaryFolder(), "ran");
  const check = `echo x >> '${ran}'`;
  const { place, run } = await scene({ verify: check });
  await place.refloat(["trust", "--yes"], { env: ANN });
  const runs = (): number => (existsSync(ran) ? readFileSync(ran, "utf8").length : 0);
  const dry = await run("settle", "--repo", "--dry-run");
  const once = runs();
  expect(once).toBeGreaterThan(0);
  const { code, json } = await run("settle", "--repo", "--yes");
  expect([code, json.plan.acts.map(({ act }: JsonObject) => act)]).toEqual([
    0,
    dry.json.plan.acts.map(({ act }: JsonObject) => act),
  ]);
  // The plan ran it as the dry run did; what was agreed to was carried out by what it had said.
  expect(runs()).toBe(2 * once);
}, 300_000);

it("is about all of them: an ID, --group and --adopt are usage errors, and where nothing is unsettled it says so", async () => {
  const { run } = await scene();
  expect((await run("settle", "older", "--repo", "--yes")).code).toBe(64);
  expect((await run("settle", "--repo", "--group", "g", "--yes")).code).toBe(64);
  expect((await run("settle", "--repo", "--adopt", "--yes")).code).toBe(64);
  expect((await run("settle", "--repo", "--policy", "park-all", "--yes")).code).toBe(0);
  const again = await run("settle", "--repo", "--yes");
  expect([again.code, again.json.plan.acts]).toEqual([0, []]);
}, 300_000);

it("T1: what its plan left in conflict is left for that reason, is named as a conflict, and ends with 3", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write(".gitattributes", "*.md filter=strange\n");
  repo.write("journal/log.md", "Began.\n");
  repo.commit("base");
  repo.git("config", "filter.strange.clean", "cat");
  await leftSession(place, repo, {
    edits: { "journal/log.md": () => appendFileSync(join(repo.root, "journal/log.md"), "One.\n") },
  });
  const run = (...args: string[]) => place.json(args, { env: ANN });
  const dry = await run("settle", "--repo", "--dry-run");
  const { code, json } = await run("settle", "--repo", "--yes");
  expect(dry.json.conflicts).toMatchObject([{ path: "journal/log.md" }]);
  expect([code, json.conflicts]).toMatchObject([3, dry.json.conflicts]);
  const [act] = json.plan.acts;
  expect(act).toMatchObject({ act: "leave", why: dry.json.plan.acts[0].why });
});
