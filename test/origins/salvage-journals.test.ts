/** "A # BEGIN / # END wrapper in the journal would let the next session know what the previous one was doing and how far it got." */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject } from "../support/cli.ts";
import { ANN } from "../support/left-session.ts";
import { ORIGIN, type OriginTree, originTree } from "../support/origin-tree.ts";

const LONG = { timeout: 300_000 };
const LABEL = "sync-precommit-config-with-template";
const JOURNAL = "journal/2026-04-15.md";
const OP = `'${process.execPath}' '${BIN}' op`;

/** The origin's tree with lines that its agent added to its journal. */
function journalled(...lines: readonly string[]): OriginTree {
  const tree = originTree();
  tree.leave();
  appendFileSync(join(tree.repo.root, JOURNAL), `${lines.join("\n")}\n`);
  return tree;
}

const groupOf = (groups: readonly JsonObject[], path: string): JsonObject | undefined =>
  groups.find(({ changes }) => changes.some((one: JsonObject) => one.path === path));

const rulesOf = (group: JsonObject | undefined): string[] =>
  (group?.reasons ?? []).map(({ rule }: JsonObject) => rule);

describe("markers in a journal where no session was recorded", LONG, () => {
  it("origin 000.65: a BEGIN without its END names the operation, and what may be of it is one risky group; journals and records stay safe (S3, S4)", async () => {
    const { place } = journalled(`# BEGIN: ${LABEL}`, "- took the hooks over");
    const { json } = await place.json(["inspect"]);
    expect(json.operations).toMatchObject([{ label: LABEL, state: "open", paths: [] }]);
    const group = groupOf(json.groups, ".pre-commit-config.yaml");
    expect(group?.verdict).toBe("risky");
    expect(rulesOf(group)).toContain("open-operation");
    for (const path of ORIGIN.risky) expect(groupOf(json.groups, path)?.id).toBe(group?.id);
    for (const path of ORIGIN.safe) expect(groupOf(json.groups, path)?.verdict).toBe("safe");
    const { stdout } = await place.refloat(["inspect"]);
    expect(stdout).toContain(`Begun and never ended: ${LABEL}`);
  });

  it("origin 000.65: an END ends the operation and closes nothing: every verdict is as it was without markers (T2)", async () => {
    const { place } = journalled(`# BEGIN: ${LABEL}`, "Half of it.", `# END: ${LABEL}`);
    const { json } = await place.json(["inspect"]);
    expect(json.operations).toMatchObject([{ label: LABEL, state: "ended" }]);
    for (const path of ORIGIN.risky) expect(groupOf(json.groups, path)?.verdict).toBe("risky");
    for (const path of ORIGIN.unknown) expect(groupOf(json.groups, path)?.verdict).toBe("unknown");
  });

  it("origin 000.65: lines that HEAD already has mark nothing: they are an earlier session's, and committed", async () => {
    const { place, repo } = journalled(`# BEGIN: ${LABEL}`);
    repo.git("add", JOURNAL);
    repo.git("commit", "-q", "-m", "journal");
    const { json } = await place.json(["inspect"]);
    expect(json.operations).toEqual([]);
    expect(rulesOf(groupOf(json.groups, "Makefile"))).not.toContain("open-operation");
  });

  it("origin 000.66: how far it got: what may be of it, and what was noted last below its BEGIN", async () => {
    const { place } = journalled(`# BEGIN: ${LABEL}`, "- took the hooks over", "- Makefile is next", "");
    const { json } = await place.json(["inspect"]);
    const [operation] = json.operations;
    expect(operation.so_far).toMatchObject({
      changed: ORIGIN.risky.length + ORIGIN.unknown.length,
      uncertain: true,
      note: "- Makefile is next",
    });
    const { stdout } = await place.refloat(["inspect"]);
    expect(stdout.replace(/\s+/g, " ")).toContain("8 changes may be of it; noted last: - Makefile is next");
  });

  it("a secret in such a note is in no manifest, wherever the line is cut (T4)", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const { place } = journalled(`# BEGIN: ${LABEL}`, `${"x ".repeat(95)}${token}`);
    const { json } = await place.json(["inspect"]);
    expect(JSON.stringify(json)).not.toContain(token.slice(0, 9));
  });
});

describe("operations of a recorded session", LONG, () => {
  it("origin 000.66: how far one got that named its files: what is in it, what it did not touch, what ended inside of it", async () => {
    const { place, repo } = originTree();
    const script = [
      `${OP} begin sync --path Makefile --path .pre-commit-config.yaml --path '.b*'`,
      `${OP} begin dotfiles --path .bashrc`,
      "echo 'set new' > .bashrc",
      `${OP} end dotfiles`,
      "echo 'all:' > Makefile",
      "kill -9 $$",
    ].join("\n");
    await place.refloat(["run", "--", "/bin/sh", "-c", script], { env: ANN });
    expect(repo.read("Makefile")).toBe("all:\n");
    const { json } = await place.json(["inspect"]);
    const sync = json.operations.find(({ label }: JsonObject) => label === "sync");
    expect(sync).toMatchObject({
      state: "open",
      so_far: {
        changed: 2,
        uncertain: false,
        untouched: [".pre-commit-config.yaml"],
        ended_inside: ["dotfiles"],
        note: null,
      },
    });
    const brief = (await place.refloat(["handoff"])).stdout;
    expect(brief).toContain(
      "2 changes in it; not touched: `.pre-commit-config.yaml`; ended inside it: `dotfiles`",
    );
    expect(json.operations.find(({ label }: JsonObject) => label === "dotfiles")).not.toHaveProperty(
      "so_far",
    );
  });
});

describe("work across files that was cut off, and work that was not", LONG, () => {
  const FILES = ["one.cfg", "two.cfg", "three.cfg", "four.cfg"];

  /** A template of four files, of which two are taken over when the agent dies. */
  async function halfSynced(...marks: readonly string[]): Promise<OriginTree> {
    const tree = originTree();
    for (const name of FILES) tree.repo.write(name, "old = 1\n");
    tree.repo.commit("configuration");
    const script = [
      ...marks,
      "echo 'new = 2' > one.cfg",
      "echo 'new = 2' > two.cfg",
      "sleep 0.5",
      "kill -9 $$",
    ];
    await tree.place.refloat(["run", "--", "/bin/sh", "-c", script.join("\n")], { env: ANN });
    return tree;
  }

  it("origin 000.56: a sync that was cut off is one risky group where it was marked, and goes as one (S4)", async () => {
    const { place, repo } = await halfSynced(`echo '# BEGIN: ${LABEL}'`);
    const { groups } = (await place.json(["inspect"])).json;
    expect(groupOf(groups, "one.cfg")).toMatchObject({ verdict: "risky" });
    expect(groupOf(groups, "one.cfg")?.id).toBe(groupOf(groups, "two.cfg")?.id);
    expect((await place.refloat(["settle", "--yes"], { env: ANN })).code).toBe(0);
    for (const name of FILES) expect(repo.read(name)).toBe("old = 1\n");
    expect(repo.git("log", "-1", "--format=%s")).toBe("configuration");
  });

  it("origin 000.56: where nothing said what it was, the chimera is not called safe, and no policy commits it (S3)", async () => {
    const { place, repo } = await halfSynced();
    const { groups } = (await place.json(["inspect"])).json;
    for (const name of ["one.cfg", "two.cfg"]) expect(groupOf(groups, name)?.verdict).not.toBe("safe");
    await place.refloat(["settle", "--yes"], { env: ANN });
    expect(repo.git("log", "-1", "--format=%s")).toBe("configuration");
  });

  it("origin 000.64: a finished operation of three files is committed while the session goes on, where the user asked for that; what is cut off later is not in it", async () => {
    const { place, repo } = originTree();
    repo.write("refloat.json", '{ "commit": { "at": "operation-end" } }\n');
    repo.write("src/base.js", "export const base = 1;\n");
    repo.commit("source");
    const write = (name: string, ...lines: string[]): string =>
      `cat > src/${name} <<'END_OF_FILE'\n${lines.join("\n")}\nEND_OF_FILE`;
    const script = [
      `${OP} begin feature`,
      write(
        "price.js",
        'import { base } from "./base.js";',
        "",
        "export function price(n) {",
        "  return n * base;",
        "}",
      ),
      write(
        "cart.js",
        'import { price } from "./price.js";',
        "",
        "export function total(all) {",
        "  return all.map(price);",
        "}",
      ),
      write("index.js", 'import { total } from "./cart.js";', "", "console.log(total([1, 2]));"),
      `${OP} end`,
      `i=0; while [ "$(git log -1 --format=%s)" = source ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done`,
      `${OP} begin half`,
      "printf 'export const x = ' > src/half.js",
      "kill -9 $$",
    ].join("\n");
    await place.refloat(["run", "--", "/bin/sh", "-c", script], { env: ANN });
    expect(repo.git("log", "--format=%s")).toBe("feature\nsource\nbase");
    const committed = repo.git("show", "--name-only", "--format=", "HEAD").split("\n");
    expect(committed.sort()).toEqual(["src/cart.js", "src/index.js", "src/price.js"]);
    const { groups } = (await place.json(["inspect"])).json;
    expect(groupOf(groups, "src/half.js")?.verdict).toBe("risky");
  });
});
