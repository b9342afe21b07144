/** Which work trees are held before a command, where there are more of them than there is room for: those that it takes away come first. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UNNAMED } from "../../src/agents/commands/destructive.ts";
import { type HeldFile, parseHeldFile } from "../../src/agents/inbox/held-format.ts";
import { HOLD_WORDS } from "../../src/model/limits.ts";
import type { JsonObject } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type HoldingPlace, holdingPlace } from "./holding-place.ts";
import { heldNames } from "./recorder.ts";

const NEIGHBOURS = ["a1", "a2", "a3", "a4", "a5"];

/** A folder with clones in it, each with work that only it has. */
function siblings(place: HoldingPlace, names: readonly string[], folder = temporaryFolder()): string {
  for (const name of names) {
    place.repo.git("clone", "-q", place.workspace, join(folder, name));
    writeFileSync(join(folder, name, "only.txt"), `${name}\n`);
  }
  return folder;
}

/** What the holder wrote down, before anybody reads what it is for. */
function heldFile({ home, inbox }: HoldingPlace): HeldFile {
  const [name = ""] = heldNames(home);
  const parsed = parseHeldFile(readFileSync(join(inbox, name)));
  if (parsed.kind !== "held") throw new Error(`${name} is ${parsed.kind}`);
  return parsed.held;
}

interface Said {
  readonly kind: string;
  /** The trees of the captures that the call names, in its order. */
  readonly trees: readonly string[];
  readonly without: readonly string[];
  readonly reason: unknown;
}

/** What the next process makes of it: what the call's record says. */
async function saidOf(place: HoldingPlace): Promise<Said> {
  await place.sessions();
  const bodies = await place.withStore(async ({ raw }) => {
    const found: JsonObject[] = [];
    for (const { id } of await raw.sessions())
      for (const { body } of await raw.records({ session: id, kinds: ["capture.taken", "agent.observed"] }))
        found.push(body);
    return found;
  });
  const roots = new Map(
    bodies.map(({ capture, workspace }) => [capture, (workspace as JsonObject | undefined)?.path]),
  );
  const before = bodies.find((body) => body.before && body.event === "PreToolUse")?.before as JsonObject;
  const { kind, capture, also = [], without = [], reason } = before;
  const ids = capture === undefined ? [] : [capture, ...(also as string[])];
  return {
    kind: String(kind),
    trees: ids.map((id) => String(roots.get(id))),
    without: without as string[],
    reason,
  };
}

/** A command, and where it stands. */
const ABOUT_B = [
  ["cd FOLDER && rm -rf b", "outside"],
  ["cd .. && rm -rf b", "a1"],
  ["rm -rf ../b", "a1"],
  ["rm -rf FOLDER/b", "outside"],
  ["(cd FOLDER; rm -rf b)", "a1"],
  ["sh -c 'cd FOLDER && rm -rf b'", "outside"],
  ["git status; cd FOLDER; ls a1 a2 a3 a4 a5; rm -rf b", "outside"],
  ["cd FOLDER && rm -rf [!a]*", "outside"],
  ["cd FOLDER && rm -rf {b,c}", "outside"],
  ["cd FOLDER && rm -rf ./b/", "outside"],
  ["cd FOLDER/a1/.. && rm -rf 'b'", "outside"],
  ["python3 -c 'import shutil; shutil.rmtree(\"FOLDER/b\")'", "outside"],
  ["git -C FOLDER/b clean -fdx", "outside"],
  ["cd FOLDER/b && git checkout -- .", "outside"],
] as const;

describe("of six clones beside each other", () => {
  it("W8: the one that a command is about comes first, whole, and no neighbour in its place", () => {
    const place = holdingPlace();
    const folder = siblings(place, [...NEIGHBOURS, "b"]);
    for (const [command, stands] of ABOUT_B) {
      const cwd = stands === "outside" ? place.workspace : join(folder, stands);
      place.about(command.replaceAll("FOLDER", folder), { cwd });
      const { trees, unheld } = heldFile(place);
      expect([trees[0]?.root, unheld], command).toEqual([join(folder, "b"), []]);
      const paths = trees[0]?.entries.map(({ path }) => Buffer.from(path).toString());
      expect(paths, command).toContain("only.txt");
      for (const name of heldNames(place.home)) rmSync(join(place.inbox, name));
    }
  });

  it.each(["cd FOLDER && rm -rf b", "cd .. && rm -rf b"])(
    "T1: `%s` names the capture of what goes, and says held of nothing else",
    async (command) => {
      const place = holdingPlace();
      const folder = siblings(place, [...NEIGHBOURS, "b"]);
      place.about(command.replaceAll("FOLDER", folder), { cwd: join(folder, "a1") });
      const said = await saidOf(place);
      expect(said).toMatchObject({ kind: "held", without: [] });
      expect(said.trees).toEqual([join(folder, "b"), join(folder, "a1")]);
    },
  );

  it("T1: a plain folder in which a command stands, there or behind a link, is held by no other tree's capture", async () => {
    const plain = temporaryFolder();
    mkdirSync(join(plain, "cache"));
    const place = holdingPlace();
    place.about(`cd ${plain} && terraform apply`);
    expect(await saidOf(place)).toMatchObject({ kind: "none", reason: `nothing was held of ${plain}` });
    const linked = holdingPlace();
    symlinkSync(plain, join(linked.workspace, "data"));
    linked.about("cd data && rm -rf cache");
    expect(await saidOf(linked)).toMatchObject({
      kind: "none",
      reason: `nothing was held of ${plain}/cache`,
    });
  });

  it("W8: a tree is held that a command reaches by a link, and a link that goes is of the tree it lies in", async () => {
    const way = join(temporaryFolder(), "way");
    const place = holdingPlace();
    symlinkSync(place.workspace, way);
    place.about(`cd ${way} && rm -rf src`, { cwd: temporaryFolder() });
    expect(await saidOf(place)).toMatchObject({ kind: "held", trees: [place.workspace] });
    const own = holdingPlace();
    symlinkSync(temporaryFolder(), join(own.workspace, "link"));
    own.about("rm -rf link");
    expect(await saidOf(own)).toMatchObject({ kind: "held", trees: [own.workspace] });
  });

  it("T1: more than there is room for are named by the call as not held, each of them", async () => {
    const place = holdingPlace();
    const folder = siblings(place, [...NEIGHBOURS, "b"]);
    place.about(`rm -rf ${folder}/a* ${folder}/b`);
    const { kind, trees, without } = await saidOf(place);
    expect(kind).toBe("held");
    expect(without).toHaveLength(2);
    expect([...trees, ...without].toSorted()).toEqual([...NEIGHBOURS, "b"].map((name) => join(folder, name)));
    const [session] = await place.sessions();
    const { json } = await place.json(["show", String(session?.id)]);
    expect(JSON.stringify(json)).toContain(JSON.stringify(without));
  });

  it("where it stands comes before what is only mentioned", () => {
    const place = holdingPlace();
    const folder = siblings(place, NEIGHBOURS);
    place.about(`ls ${NEIGHBOURS.map((name) => join(folder, name)).join(" ")}; git clean -fd`);
    expect(heldFile(place).trees[0]?.root).toBe(place.workspace);
  });

  it("W8: of a folder that goes whole its clones are held, and what lies loose in it is named as not held", async () => {
    const place = holdingPlace();
    const folder = siblings(place, ["a1", "b"]);
    writeFileSync(join(folder, "loose.txt"), "loose\n");
    place.about(`rm -rf ${folder}`);
    const { trees, without } = await saidOf(place);
    expect(trees).toEqual([join(folder, "a1"), join(folder, "b"), place.workspace]);
    expect(without).toEqual([folder]);
  });
});

describe("T1: a place that no capture covers", () => {
  it("is named where only the shell knows it, or where there is more than is looked at", async () => {
    const place = holdingPlace();
    place.about('rm -rf "$BUILD"');
    expect(await saidOf(place)).toMatchObject({ kind: "held", without: [UNNAMED] });
    const many = holdingPlace();
    const folder = temporaryFolder();
    for (let i = 0; i <= HOLD_WORDS; i++) writeFileSync(join(folder, `${i}.txt`), "x");
    many.about(`rm ${folder}/*`);
    expect((await saidOf(many)).without).toContain(UNNAMED);
  });

  it("is no before-image, although where it stands was held", async () => {
    const place = holdingPlace();
    const plain = temporaryFolder();
    writeFileSync(join(plain, "notes.txt"), "notes\n");
    place.about(`rm -rf ${plain}`);
    expect(await saidOf(place)).toMatchObject({ kind: "none", reason: `nothing was held of ${plain}` });
    const found = holdingPlace();
    found.about(`find ${plain} -delete`);
    expect(await saidOf(found)).toMatchObject({ kind: "none", reason: `nothing was held of ${plain}` });
    expect(await place.captures()).toHaveLength(1);
  });

  it("is no before-image where the command cannot be read, or gets there by a name that is quoted by half", async () => {
    const place = holdingPlace();
    const plain = temporaryFolder();
    mkdirSync(join(plain, "my clone"));
    writeFileSync(join(plain, "my clone/src"), "x");
    place.about(`cat <<E\ndon't\nE\nrm -rf ${plain}`);
    expect((await saidOf(place)).without).toEqual([UNNAMED, plain]);
    const other = holdingPlace();
    other.about(`cd ${plain}/my\\ clone && rm -rf src`);
    const reason = `nothing was held of ${plain}/my clone/src`;
    expect(await saidOf(other)).toMatchObject({ kind: "none", reason });
  });

  it("is a tree that is left alone: the others' captures have nothing of it", async () => {
    const place = holdingPlace();
    const folder = siblings(place, ["a1", "b"]);
    writeFileSync(join(folder, "b/refloat.json"), '{ "ignore": true }');
    place.repo.git("-C", join(folder, "b"), "add", "refloat.json");
    place.repo.git("-C", join(folder, "b"), "commit", "-q", "-m", "left alone");
    place.about(`rm -rf ${folder}/a1 ${folder}/b`);
    const { kind, trees, without } = await saidOf(place);
    expect([kind, trees[0], without]).toEqual(["held", join(folder, "a1"), [join(folder, "b")]]);
  });

  it("is nothing to hold where nothing is there: what stands there is held", async () => {
    const place = holdingPlace();
    place.about(`mv new.txt ${join(temporaryFolder(), "new.txt")}; rm -rf ./new.txt ../nothing.txt`);
    expect(await saidOf(place)).toMatchObject({ kind: "held", trees: [place.workspace], without: [] });
  });
});

it("an odd neighbour keeps nobody from being held: a .git that is a link, one that leads nowhere, one with a broken index", async () => {
  const place = holdingPlace();
  const folder = siblings(place, ["a3", "b"]);
  for (const name of ["a1", "a2"]) mkdirSync(join(folder, name));
  symlinkSync(join(place.workspace, ".git"), join(folder, "a1/.git"));
  writeFileSync(join(folder, "a2/.git"), "gitdir: /nonexistent\n");
  writeFileSync(join(folder, "a3/.git/index"), "no index");
  place.about(`rm -rf ${folder}`);
  const { trees, without } = await saidOf(place);
  expect(trees).toEqual([join(folder, "b"), place.workspace]);
  expect(without).toEqual(["a1", "a2", "a3"].map((name) => join(folder, name)));
});
