/** Who said that it is done and who saw it, from the agent to the verdict (L7, S3, T2). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, deadOwner, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

const LONG = { timeout: 5 * 60_000 };
const WHOLE = "export function double(x) {\n  const y = x * 2;\n  return y + 1;\n}\n";
const OTHER =
  "export const list = [1, 2, 3];\n\nexport const sum = (all) => {\n  let at = 0;\n  for (const one of all) at += one;\n  return at;\n};\n";
const MORE = "\nexport function triple(x) {\n  return x * 3;\n}\n";

function scene(): { place: Place; repo: TestRepository; hasRun: () => boolean } {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  // A file outside of every tree: whoever runs the project's own check leaves it.
  const ran = join(place.home, "check-ran");
  const test = `touch '${ran}' && grep -q zero src/index.js`;
  repo.write("package.json", `${JSON.stringify({ type: "module", scripts: { test } })}\n`);
  repo.write("src/index.js", "export const zero = 0;\n");
  repo.commit("base");
  return { place, repo, hasRun: () => existsSync(ran) };
}

/** An agent without tags and without an adapter, as a few lines of shell. */
const run = (place: Place, script: string) =>
  place.refloat(["run", "--", "sh", "-c", script], { env: { ...ANN, NODE: process.execPath, BIN } });
const groupsOf = async (place: Place, ...args: string[]): Promise<JsonObject[]> =>
  (await place.json(["inspect", ...args], { env: ANN })).json.groups;
const rulesOf = (group: JsonObject | undefined): string[] =>
  (group?.reasons ?? []).map(({ rule }: JsonObject) => rule);

describe("an agent that says nothing but exits with 0", LONG, () => {
  it("closes no code: unknown, with what would tell and the command for it, which nobody runs unasked; nothing is committed by policy (L7, T2)", async () => {
    const { place, repo, hasRun } = scene();
    await run(place, "echo 'export const zero = 1;' > src/index.js");
    const { json } = await place.json(["inspect"], { env: ANN });
    expect(json.groups).toHaveLength(1);
    expect(json.groups[0]).toMatchObject({ verdict: "unknown" });
    expect(json.groups[0].reasons).toEqual([
      {
        rule: "no-evidence",
        message:
          "Nobody said that src/index.js is done: its agent only exited with 0; `--verify 'npm test'` would decide.",
        evidence: ["src/index.js: no ended operation, no end record"],
      },
    ]);
    expect(json.next).toEqual([
      `refloat inspect ${json.session.id} --verify 'npm test'`,
      `refloat settle ${json.session.id}`,
    ]);
    await place.refloat(["settle", "--yes"], { env: ANN });
    expect(repo.git("log", "--format=%s")).toBe("base");
    for (const looking of [["status"], ["handoff", json.session.id], ["settle", "--dry-run"]])
      await place.refloat(looking, { env: ANN });
    expect(hasRun()).toBe(false);
    // As it is printed.
    const checked = await groupsOf(place, json.session.id, "--verify", "npm test");
    expect(checked[0]).toMatchObject({ verdict: "safe" });
    expect(rulesOf(checked[0])).toEqual(["verified"]);
    expect(hasRun()).toBe(true);
  });

  it("closes prose, whose half does not run; data may be configuration, and is not told from it (L7)", async () => {
    const { place } = scene();
    await run(place, "echo '{\"a\": 1}' > data.json; echo 'A note.' > note.md");
    expect((await groupsOf(place)).map(({ verdict }) => verdict)).toEqual(["unknown", "safe"]);
  });
});

describe("an agent that says that work remains", LONG, () => {
  it("is believed, whatever it ended: its words are quoted, without secrets and without control characters (T2, T3, T4)", async () => {
    const { place } = scene();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    await run(
      place,
      `"$NODE" "$BIN" op begin one >/dev/null
       printf '%s' 'export const zero = 1;
' > src/index.js
       "$NODE" "$BIN" op end >/dev/null
       printf 'Stopping here for now, \\033[31mtoken ${secret}\\033[0m.\\n'`,
    );
    const { json } = await place.json(["inspect"], { env: ANN });
    const [group] = json.groups;
    expect([group.verdict, rulesOf(group)]).toEqual(["unknown", ["work-remains"]]);
    const { message } = group.reasons[0];
    expect(message).toContain('work remains: "Stopping here for now');
    // A check would not take it back, so none is asked for.
    expect(json.next).toEqual([`refloat settle ${json.session.id}`]);
    const { stdout } = await place.refloat(["inspect"], { env: ANN });
    expect(stdout).toContain("Stopping here for now");
    for (const text of [message, stdout]) expect(text).not.toContain(secret);
    expect(stdout).not.toContain("\u001b[31m");
  });
});

describe("the end of an operation", LONG, () => {
  const script = (begin: string, end: string, after = ""): string =>
    `${begin}\nprintf '%s' '${WHOLE}' > src/new.js\n${end}\n${after}\nkill -9 $$`;
  const op = (words: string): string => `"$NODE" "$BIN" op ${words} >/dev/null`;

  it("by the command is a witness of these very bytes, and of no others; without it nothing saw the end (S3)", async () => {
    const verdicts: Record<string, unknown> = {};
    for (const [name, text] of Object.entries({
      ended: script(op("begin one"), op("end")),
      "edited since": script(op("begin one"), op("end"), `printf '%s' '${MORE}' >> src/new.js`),
      open: script(op("begin one"), ":"),
      aborted: script(op("begin one"), op("end --abort")),
    })) {
      const { place } = scene();
      await run(place, text);
      const [group] = await groupsOf(place);
      verdicts[name] = [group?.verdict, rulesOf(group)[0]];
    }
    expect(verdicts).toEqual({
      ended: ["safe", "closed-and-sound"],
      "edited since": ["unknown", "open-end"],
      open: ["risky", "open-operation"],
      aborted: ["risky", "open-operation"],
    });
  });

  it("by a marker on stdout is none: nobody waits for the capture after it (S3)", async () => {
    const { place } = scene();
    await run(place, `${script("echo '# BEGIN: one'", "echo '# END: one'", "sleep 3")}`);
    const [group] = await groupsOf(place);
    expect(group?.verdict).not.toBe("safe");
    expect(rulesOf(group)).toContain("open-end");
  });

  it("by the library is one: its author waits until the tree is held, so what comes next is not in it (S3)", async () => {
    const verdicts: unknown[] = [];
    for (const after of [null, `${WHOLE}${MORE}`]) {
      const { place, repo } = scene();
      await place.withStore(async (store) => {
        const owner = deadOwner();
        const session = await store.begin({ id: "lib", agent: "lib", workspace: repo.root, owner });
        const turn = await session.turn("go");
        const operation = await session.operation("one", { paths: ["src/new.js"] });
        const call = await turn.call({ tool: "edit", input: { path: "src/new.js" } });
        repo.write("src/new.js", WHOLE);
        await call.result("ok");
        await operation.end();
        const next = after === null ? null : await turn.call({ tool: "edit", input: { path: "src/new.js" } });
        if (after !== null) repo.write("src/new.js", after);
        await next?.result("ok");
      });
      const [group] = await groupsOf(place, "lib");
      verdicts.push([group?.verdict, rulesOf(group)]);
    }
    expect(verdicts).toEqual([
      ["safe", ["closed-and-sound"]],
      ["unknown", ["open-end"]],
    ]);
  });

  it("leaves the doubt to no file whose whole bytes a finished call recorded (S3)", async () => {
    const { place, repo } = scene();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "w", agent: "lib", workspace: repo.root, owner: deadOwner() });
      const turn = await session.turn("go");
      for (const [path, content] of [
        ["src/one.js", WHOLE],
        ["src/two.js", "export const pi = 3.14;\n"],
      ] as const) {
        const call = await turn.call({ tool: "write", input: { file_path: path, content } });
        // The second call says that it wrote something else than what is there.
        repo.write(path, path === "src/one.js" ? content : OTHER);
        await call.result("ok");
      }
      await turn.end("completed");
    });
    const verdicts = Object.fromEntries(
      (await groupsOf(place, "w")).map((group) => [group.changes[0].path, [group.verdict, rulesOf(group)]]),
    );
    expect(verdicts).toEqual({
      "src/one.js": ["safe", ["closed-and-sound"]],
      "src/two.js": ["unknown", ["open-end"]],
    });
  });
});

describe("a check for groups that need each other", LONG, () => {
  it("tries them together first: neither would pass alone, and both are safe (S3)", async () => {
    const { place } = scene();
    await run(
      place,
      "echo 'One.' > a.txt; echo 'Two.' > b.txt; echo 'export const zero = 2;' > src/index.js",
    );
    const both = "test ! -e a.txt -a ! -e b.txt || test -e a.txt -a -e b.txt";
    const good = await place.json(["inspect", "--verify", both], { env: ANN });
    expect(good.json.groups.map(({ verdict }: JsonObject) => verdict)).toEqual(["safe", "safe", "safe"]);
    expect(good.json.verify).toMatchObject({ together: "passed", not_together: [], untried: 0 });
    const strict = `(${both}) && grep -q 'zero = 0' src/index.js`;
    const { json } = await place.json(["inspect", "--verify", strict], { env: ANN });
    const verdicts = Object.fromEntries(
      json.groups.map((group: JsonObject) => [group.changes[0].path, group.verdict]),
    );
    expect(verdicts).toEqual({ "a.txt": "safe", "b.txt": "safe", "src/index.js": "unknown" });
  });
});
