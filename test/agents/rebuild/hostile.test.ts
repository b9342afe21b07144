/** Transcripts are untrusted (T3): whatever they name, a rebuilt tree stays in its folder, and nothing that is there is written over. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pi } from "../../../src/agents/pi/agent.ts";
import { type RebuildOrder, rebuild } from "../../../src/app/agents/rebuild.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { type Fate, PiScribe } from "./scribes.ts";
import { ROOT, type ScriptedCall, type Tree } from "./world.ts";

function orderOf(
  calls: readonly ScriptedCall[],
  { last = "ended", ...more }: Partial<RebuildOrder> & { readonly last?: Fate } = {},
): RebuildOrder {
  const folder = temporaryFolder();
  const scribe = new PiScribe();
  const tree: Tree = new Map();
  for (const [n, call] of calls.entries()) scribe.call(tree, call, n === calls.length - 1 ? last : "ended");
  const sources = [{ adapter: pi, path: scribe.finish(folder), nativeId: null }];
  return { sources, atCall: null, to: join(folder, "to"), isDryRun: false, ...more };
}

const write = (path: string, after: string): ScriptedCall => ({ what: "write", path, after });
const replace = (path: string, old: string, put: string): ScriptedCall => ({
  ...{ what: "replace", path },
  replace: { old, put, isEverywhere: false },
});

describe("a rebuilt tree", () => {
  it("stays in its folder, whatever the transcript names (W3, T3)", async () => {
    const names = [
      "../../up.txt",
      "/etc/refloat-test",
      "a/../../../b",
      ".git/hooks/post-checkout",
      "x/.GIT/config",
      "git~1/config",
    ];
    const odd = [
      "nul\0name",
      "~/home.txt",
      "file:///etc/x",
      "n".repeat(300),
      "",
      "bare/HEAD",
      "bare/objects/x",
      "bare/refs/y",
      "f",
      "f/below",
    ];
    const order = orderOf([...names, ...odd].map((name) => write(name, "text\n")));
    const { files, refused, to } = await rebuild(order);
    expect(
      readdirSync(to, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map((one) => join(one.parentPath, one.name).slice(to.length + 1))
        .sort(),
    ).toEqual(files.map(({ place }) => place as string).sort());
    expect(files.map(({ place }) => place)).toEqual([
      "_outside/etc/refloat-test",
      "_outside/srv/b",
      "_outside/srv/up.txt",
      "f",
    ]);
    const whys = refused.map(({ why }) => why);
    const times = (why: string): number => whys.filter((one) => one === why).length;
    expect(times("its name is git's own")).toBe(3);
    expect(times("its folder would be a git repository")).toBe(3);
    expect(times("a file has the name of its folder")).toBe(1);
    expect(whys.length).toBe(12);
    expect(existsSync("/etc/refloat-test")).toBe(false);
  });

  it("is written into a new or empty folder only, never through a link (W3)", async () => {
    const order = orderOf([write("a.txt", "a\n")]);
    mkdirSync(order.to);
    writeFileSync(join(order.to, "mine"), "mine");
    await expect(rebuild(order)).rejects.toMatchObject({ code: "E_NOT_EMPTY" });
    symlinkSync(order.to, `${order.to}-link`);
    await expect(rebuild({ ...order, to: `${order.to}-link` })).rejects.toMatchObject({
      code: "E_NOT_EMPTY",
    });
    expect(readdirSync(order.to)).toEqual(["mine"]);
    const { to } = await rebuild({ ...order, to: `${order.to}-new` });
    expect(readFileSync(join(to, "a.txt"), "utf8")).toBe("a\n");
  });

  it("is as of the call that was named, also of one that never ended", async () => {
    const path = `${ROOT}/a.txt`;
    const calls = [write(path, "one\n"), replace(path, "one", "two"), replace(path, "two", "three")];
    const at = async (atCall: string): Promise<unknown> => {
      const [file] = (await rebuild(orderOf(calls, { atCall, isDryRun: true, last: "no result" }))).files;
      return [file?.text, file?.label, file?.calls];
    };
    expect(await at("call_1")).toEqual(["one\n", "exact", ["call_1"]]);
    expect(await at("call_2")).toEqual(["two\n", "exact", ["call_1", "call_2"]]);
    expect(await at("call_3")).toEqual(["two\n", "partial", ["call_1", "call_2", "call_3"]]);
    await expect(at("call_9")).rejects.toMatchObject({ code: "E_NO_CALL" });
  });

  it("does not believe what a command may have changed, nor what stands behind a damaged record (T1)", async () => {
    const path = `${ROOT}/a.txt`;
    const labels = async (command: string): Promise<unknown> => {
      const order = orderOf([write(path, "one\n"), { what: "shell", path, command }], { isDryRun: true });
      return (await rebuild(order)).files[0]?.label;
    };
    expect(await labels("ls -la && git status --short 2>/dev/null | head -5")).toBe("exact");
    expect(await labels("rm b.txt; echo x > sub/c.txt")).toBe("exact");
    for (const command of [
      "echo x >> a.txt",
      "rm ./a.txt",
      "npm test",
      "x=$(rm a.txt)",
      "ls > a.txt",
      "sed -i s/o/0/ a.txt",
      "cat <<E > a.txt\nx\nE",
      "(rm a.txt)",
      "rm *.txt",
      "rm -rf .",
      "ls & rm a.txt",
    ])
      expect([command, await labels(command)]).toEqual([command, "partial"]);
    const torn = orderOf([write(path, "one\n")], { isDryRun: true });
    writeFileSync(torn.sources[0]?.path ?? "", '{"type":"message","id":"zz","par', { flag: "a" });
    expect((await rebuild(torn)).files[0]?.label).toBe("partial");
  });

  it("comes of thousands of edits and files in bounded work (T5)", async () => {
    const path = `${ROOT}/long.txt`;
    const edits = Array.from({ length: 5000 }, (_, n) => replace(path, `at ${n}.`, `at ${n + 1}.`));
    const many = Array.from({ length: 5000 }, (_, n) => write(`${ROOT}/many/${n}.txt`, `${n}\n`));
    const order = orderOf([write(path, `${"line\n".repeat(20_000)}at 0.\n`), ...edits, ...many], {
      isDryRun: true,
    });
    const { files } = await rebuild(order);
    expect(files.length).toBe(5001);
    expect(files.filter(({ label }) => label === "exact").length).toBe(5001);
    expect(files[0]?.text?.endsWith("at 5000.\n")).toBe(true);
    expect(files[0]?.calls.length).toBe(1000);
  });
});
