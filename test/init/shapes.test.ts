/** `init` then `uninstall` on settings as people have them: byte for byte what it was, or refused with the reason and nothing changed. */
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { jsonOf, readJsonTree } from "../../src/text/json-tree.ts";
import {
  type AgentsHome,
  agentsHome,
  JSON_FILES,
  OWN_FILES,
  TOML_FILE,
  treeOf,
  YAML_FILE,
} from "./agents-home.ts";

const OTHERS = {
  hooks: [{ type: "command", command: "echo mine" }],
};

/** Ten files of it are read and written some twenty times each: most of a minute where all are wanted. */
const ENTRIES = process.env.REFLOAT_SWEEP === "full" ? 40_000 : 6_000;

/** Everything a settings file may look like that still is one. */
const SHAPES: Readonly<Record<string, string | Uint8Array>> = {
  "an empty file": "",
  "blanks only": "\n\n",
  "an empty object": "{}",
  "an empty object with a line end": "{}\n",
  "two spaces": '{\n  "model": "x",\n  "nested": { "a": [1, 2] }\n}\n',
  tabs: '{\n\t"model": "x",\n\t"hooks": {}\n}\n',
  "four spaces": '{\n    "model": "x"\n}\n',
  "Windows line ends": '{\r\n  "model": "x",\r\n  "list": [\r\n    1\r\n  ]\r\n}\r\n',
  "a byte order mark": '\uFEFF{\n  "model": "x"\n}\n',
  "no final newline": '{\n  "model": "x"\n}',
  "on one line": '{"model":"x","nested":{"a":1}}',
  comments: '// top\n{\n  // of the model\n  "model": "x" /* here */\n  // the end\n}\n// below\n',
  "comments and a trailing comma":
    '// top\n{\n  // of the model\n  "model": "x", /* here */\n  // the end\n}\n// below\n',
  "a trailing comma": '{\n  "model": "x",\n}\n',
  "hooks of others in the same events": `${JSON.stringify({ hooks: { PreToolUse: [OTHERS], Stop: [OTHERS, OTHERS] } }, null, 2)}\n`,
  "hooks of others, on one line": JSON.stringify({ hooks: { PreToolUse: [OTHERS], BeforeTool: [OTHERS] } }),
  "servers of others": `${JSON.stringify({ mcpServers: { other: { command: "x" } }, mcp: { other: { type: "local", command: ["x"] } } }, null, 2)}\n`,
  "the same name twice": '{\n  "hooks": {},\n  "model": "x",\n  "hooks": { "Stop": [] }\n}\n',
  "deeply nested": `{"a":${"[".repeat(150)}${"]".repeat(150)}}`,
  huge: `${JSON.stringify({ list: Array.from({ length: ENTRIES }, (_, i) => `entry ${i}`) }, null, 2)}\n`,
  "far to the right": `${" ".repeat(9000)}{}\n`,
  "a line far to the right": `{\n${"\t".repeat(9000)}"model": "x"${" ".repeat(9000)}\n}\n`,
  "odd text": '{\n  "a": "é \\u00e9 🙂 \\" \\\\ // no comment, /* nor here */"\n}\n',
};

/** Their agents read plain JSON: one with comments is refused, see below. */
const STRICT: ReadonlySet<string> = new Set([".claude/settings.json", ".claude.json", ".codex/hooks.json"]);
/** Gemini CLI and Qwen Code read comments, and end at a comma before the end of a list. */
const NO_COMMAS: ReadonlySet<string> = new Set([...STRICT, ".gemini/settings.json", ".qwen/settings.json"]);
const UNREAD: Readonly<Record<string, ReadonlySet<string>>> = {
  comments: STRICT,
  "a trailing comma": NO_COMMAS,
  "comments and a trailing comma": NO_COMMAS,
};
const filesWith = (shape: string): readonly string[] =>
  JSON_FILES.filter((name) => !UNREAD[shape]?.has(name));

function write(place: AgentsHome, text: string | Uint8Array, files: readonly string[] = JSON_FILES): void {
  for (const name of files) {
    mkdirSync(dirname(place.path(name)), { recursive: true });
    writeFileSync(place.path(name), text);
  }
  writeFileSync(place.path(TOML_FILE), '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n');
}

const readValue = (path: string): unknown => {
  const text = readFileSync(path, "utf8");
  const tree = readJsonTree(text.trim() === "" ? "{}" : text, { comments: true });
  if (tree.kind === "broken") throw new Error(`${path}: ${tree.why}`);
  return jsonOf(tree.root);
};

describe("init, then uninstall", () => {
  for (const [name, text] of Object.entries(SHAPES))
    it(`gives every agent's file back byte for byte, with nothing beside it: ${name}`, async () => {
      const place = agentsHome();
      const files = filesWith(name);
      write(place, text, files);
      const before = treeOf(place.home);
      const ended = await place.init();
      expect(ended.plan.files.filter(({ kind }) => kind === "refused")).toEqual([]);
      for (const file of files) {
        const raw = readFileSync(place.path(file), "utf8");
        expect(raw).toMatch(/refloat/);
        expect(raw.trimEnd().endsWith(typeof text === "string" ? text.trimEnd().slice(-1) : "}")).toBe(true);
        if (typeof text === "string" && text.includes("// top")) {
          expect(raw).toContain("// of the model");
          expect(raw).toContain("/* here */");
          expect(raw).toContain("// the end");
        }
        if (name === "Windows line ends") expect(raw.replaceAll("\r\n", "")).not.toContain("\n");
        if (name === "a byte order mark") expect(raw.startsWith("\uFEFF{")).toBe(true);
      }
      for (const file of OWN_FILES) expect(readFileSync(place.path(file), "utf8")).toContain("refloat");
      expect((await place.init()).kind).toBe("nothing");
      expect(await place.uninstall()).toMatchObject({ kind: "done", refused: [] });
      expect(treeOf(place.home)).toEqual(before);
      expect((await place.uninstall()).kind).toBe("nothing");
    });

  it("leaves no folder behind where no agent had one yet", async () => {
    const place = agentsHome([]);
    const before = treeOf(place.home);
    const agents = ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "pi", "continue"];
    await place.init({ agents });
    for (const file of [...JSON_FILES, TOML_FILE, ...OWN_FILES])
      expect(readFileSync(place.path(file), "utf8")).toContain("refloat");
    await place.uninstall();
    expect(treeOf(place.home)).toEqual(before);
  });

  it("keeps the mode of a file, and every other hook where it stood", async () => {
    const place = agentsHome([".claude"]);
    const path = place.path(".claude/settings.json");
    writeFileSync(path, JSON.stringify({ hooks: { PreToolUse: [OTHERS] } }, null, 2));
    chmodSync(path, 0o640);
    const before = treeOf(place.home);
    await place.init();
    expect(treeOf(place.home)[".claude/settings.json"]).toMatch(/^file 640 /);
    const hooks = (readValue(path) as { hooks: Record<string, unknown[]> }).hooks;
    expect(hooks.PreToolUse?.[0]).toEqual(OTHERS);
    expect(hooks.PreToolUse).toHaveLength(2);
    await place.uninstall();
    expect(treeOf(place.home)).toEqual(before);
  });

  it("writes through a symlinked file and a symlinked folder to where they lead, and the links stay", async () => {
    const place = agentsHome([".claude", "dotfiles/qwen"]);
    writeFileSync(place.path("dotfiles/claude.json"), '{\n  "a": 1\n}\n');
    symlinkSync("../dotfiles/claude.json", place.path(".claude/settings.json"));
    symlinkSync("dotfiles/qwen", place.path(".qwen"));
    const before = treeOf(place.home);
    await place.init({ agents: ["claude", "qwen"] });
    expect(readFileSync(place.path("dotfiles/claude.json"), "utf8")).toContain("refloat-hook");
    expect(readFileSync(place.path("dotfiles/qwen/settings.json"), "utf8")).toContain("refloat-hook");
    expect(treeOf(place.home)[".claude/settings.json"]).toBe("link ../dotfiles/claude.json");
    await place.uninstall();
    expect(treeOf(place.home)).toEqual(before);
  });
});

describe("a config in YAML", () => {
  it("gets its server as marked lines at its end, and is the same again; one with servers of its own is left alone", async () => {
    const place = agentsHome([".continue"]);
    const path = place.path(YAML_FILE);
    for (const text of [
      "name: mine\nschema: v1\nmodels:\n  - name: x",
      "# top\n---\nname: mine\n",
      "name: mine\r\nversion: 1\r\n",
    ]) {
      writeFileSync(path, text);
      const before = treeOf(place.home);
      await place.init();
      const { mcpServers, name } = parse(readFileSync(path, "utf8"));
      expect(name).toBe("mine");
      expect(mcpServers).toMatchObject([{ name: "refloat", args: ["mcp"] }]);
      expect((await place.init()).kind).toBe("nothing");
      await place.uninstall();
      expect(treeOf(place.home)).toEqual(before);
    }
    for (const text of ["name: mine\nmcpServers:\n  - name: other\n", "{ name: mine }\n", "- a\n", ""]) {
      writeFileSync(path, text);
      await place.init();
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });
});

describe("init refuses, says why, and changes nothing of", () => {
  const refused = async (
    prepare: (path: string, place: AgentsHome) => void,
  ): Promise<{ readonly why: string; readonly isSame: boolean }> => {
    const place = agentsHome([".claude"]);
    prepare(place.path(".claude/settings.json"), place);
    const before = treeOf(place.path(".claude"));
    const ended = await place.init({ hasServer: false });
    const [file] = ended.plan.files;
    const why = file?.kind === "refused" ? file.why : `not refused: ${file?.kind}`;
    const isSame = JSON.stringify(treeOf(place.path(".claude"))) === JSON.stringify(before);
    await place.uninstall();
    return {
      why,
      isSame: isSame && JSON.stringify(treeOf(place.path(".claude"))) === JSON.stringify(before),
    };
  };
  const cases: readonly (readonly [string, (path: string, place: AgentsHome) => void, RegExp])[] = [
    ["an invalid file", (path) => writeFileSync(path, '{\n  "a": 1\n  "b": 2\n}\n'), /^line 3: /],
    [
      "a file cut off in the middle",
      (path) => writeFileSync(path, '{\n  "a": [1,'),
      /^line 2: it ends too early/,
    ],
    [
      "a file with comments that its agent would not read (T1)",
      (path) => writeFileSync(path, '{\n  "model": "x",\n  // mine\n  "a": 1\n}\n'),
      /^line 3: a comment or a comma too many: with it the agent ignores the whole file/,
    ],
    [
      "a file with a comma too many that its agent would not read (T1)",
      (path) => writeFileSync(path, '{\n  "model": "x",\n}\n'),
      /^line [23]: a comment or a comma too many/,
    ],
    ["a list", (path) => writeFileSync(path, "[]"), /^line 1: it is not an object/],
    ["a text", (path) => writeFileSync(path, '"x"'), /^line 1: it is not an object/],
    [
      "hooks that are no object",
      (path) => writeFileSync(path, '{\n "hooks": []\n}'),
      /^line 2: hooks is not an object/,
    ],
    [
      "an event that is no list",
      (path) => writeFileSync(path, '{\n "hooks": {\n "Stop": {} } }'),
      /^line 3: hooks.Stop is not a list/,
    ],
    [
      "nesting without end",
      (path) => writeFileSync(path, `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`),
      /nested deeper/,
    ],
    [
      "bytes that are no text",
      (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])),
      /not text in UTF-8/,
    ],
    [
      "a read-only file",
      (path) => {
        writeFileSync(path, "{}");
        chmodSync(path, 0o444);
      },
      /it is read-only/,
    ],
    ["a link that leads nowhere", (path) => symlinkSync("nowhere.json", path), /leads nowhere/],
    ["a link in a circle", (path) => symlinkSync("settings.json", path), /leads nowhere/],
    ["a folder of that name", (path) => mkdirSync(path), /it is no file/],
    [
      "a file with two names",
      (path, place) => {
        writeFileSync(path, "{}");
        linkSync(path, place.path("other"));
      },
      /2 names \(hard links\)/,
    ],
    ["five megabytes", (path) => writeFileSync(path, `{"a":"${"x".repeat(5_000_000)}"}`), /larger than/],
  ];
  for (const [name, prepare, why] of cases)
    it(name, async () => {
      const found = await refused(prepare);
      expect(found.why).toMatch(why);
      expect(found.isSame).toBe(true);
    });

  it.each([".gemini", ".qwen"])(
    "T1: %s: a comma before the end of a list, with its line, for the agent does not start with it; comments are kept",
    async (folder) => {
      const place = agentsHome([folder]);
      const path = place.path(`${folder}/settings.json`);
      const bad = '{\n  // mine\n  "model": {\n    "name": "x",\n  }\n}\n';
      writeFileSync(path, bad);
      const refused = (await place.init()).plan.files;
      expect(refused).toMatchObject([
        { kind: "refused", why: expect.stringMatching(/^line 5: a comma before/) },
      ]);
      expect(readFileSync(path, "utf8")).toBe(bad);
      const good = bad.replace('"x",', '"x"');
      writeFileSync(path, good);
      expect((await place.init()).plan.files).toMatchObject([{ kind: "change" }]);
      expect(readFileSync(path, "utf8")).toContain("// mine");
      await place.uninstall();
      expect(readFileSync(path, "utf8")).toBe(good);
    },
  );

  it("TOML that says what servers there are in one line, with that line; its hooks are set up", async () => {
    const place = agentsHome([".codex"]);
    writeFileSync(place.path(TOML_FILE), 'a = 1\nmcp_servers = { x = { command = "y" } }\n');
    const ended = await place.init();
    expect(ended.plan.files).toMatchObject([
      { kind: "change" },
      { kind: "refused", why: expect.stringMatching(/^line 2: /) },
    ]);
    expect(readFileSync(place.path(TOML_FILE), "utf8")).toBe(
      'a = 1\nmcp_servers = { x = { command = "y" } }\n',
    );
  });
});

describe("uninstall, where somebody touched a file in between", () => {
  it("takes only ours out, and leaves what he did, byte for byte", async () => {
    const place = agentsHome();
    write(place, '{\n  "model": "x",\n  "hooks": {}\n}\n');
    await place.init();
    for (const name of JSON_FILES) {
      const text = readFileSync(place.path(name), "utf8");
      writeFileSync(
        place.path(name),
        text.replace('"model": "x"', '"model": "changed", // by me\n  "more": [1]'),
      );
    }
    writeFileSync(place.path(TOML_FILE), `${readFileSync(place.path(TOML_FILE), "utf8")}\n[later]\nb = 2\n`);
    await place.uninstall();
    for (const name of JSON_FILES)
      expect(readFileSync(place.path(name), "utf8"), name).toBe(
        '{\n  "model": "changed", // by me\n  "more": [1],\n  "hooks": {}\n}\n',
      );
    expect(readFileSync(place.path(TOML_FILE), "utf8")).toBe(
      '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n\n[later]\nb = 2\n',
    );
  });

  it("takes our hook out of a group that he put another hook into, and leaves that", async () => {
    const place = agentsHome([".claude"]);
    await place.init({ hasServer: false });
    const path = place.path(".claude/settings.json");
    const settings = readValue(path) as { hooks: Record<string, { hooks: unknown[] }[]> };
    settings.hooks.Stop?.[0]?.hooks.push({ type: "command", command: "echo mine" });
    writeFileSync(path, JSON.stringify(settings, null, 2));
    await place.uninstall();
    expect(readValue(path)).toEqual({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "echo mine" }] }] },
    });
  });

  it("takes out what init found there already, and what no note is about: nothing of ours stays", async () => {
    const place = agentsHome([".claude", ".gemini"]);
    await place.init();
    const settings = readFileSync(place.path(".claude/settings.json"));
    await place.uninstall();
    writeFileSync(place.path(".claude/settings.json"), settings);
    writeFileSync(place.path(".gemini/settings.json"), '{ "a": 1 }');
    expect((await place.uninstall()).plan.files).toHaveLength(1);
    expect(readValue(place.path(".claude/settings.json"))).toEqual({});
    writeFileSync(place.path(".claude/settings.json"), settings);
    const again = await place.init();
    expect(again.plan.files.find(({ path }) => path.endsWith(".claude/settings.json"))?.kind).toBe("same");
    await place.uninstall();
    expect(readValue(place.path(".claude/settings.json"))).toEqual({});
    expect(readFileSync(place.path(".gemini/settings.json"), "utf8")).toBe('{ "a": 1 }');
  });

  it("leaves a file alone that he removed, or that cannot be read any more, says so, and the recorder stays for it", async () => {
    const place = agentsHome([".claude", ".gemini"]);
    await place.init({ hasServer: false });
    renameSync(place.path(".gemini/settings.json"), place.path("moved"));
    writeFileSync(
      place.path(".claude/settings.json"),
      `${readFileSync(place.path(".claude/settings.json"), "utf8")} broken`,
    );
    const ended = await place.uninstall();
    expect(ended).toMatchObject({ kind: "done", refused: [{ path: place.path(".claude/settings.json") }] });
    expect(treeOf(place.own)["bin/refloat-hook"]).toBeDefined();
    writeFileSync(place.path(".claude/settings.json"), "{}");
    expect(await place.uninstall()).toMatchObject({ kind: "done", refused: [] });
    expect(treeOf(place.home)[join(".local/state/refloat", "bin")]).toBeUndefined();
  });

  it("after a second init with another refloat gives back what was there before the first", async () => {
    const place = agentsHome([".claude"]);
    writeFileSync(place.path(".claude/settings.json"), '{"a":1}');
    const before = treeOf(place.path(".claude"));
    await place.init({ hasServer: false });
    const path = place.path(".claude/settings.json");
    const text = readFileSync(path, "utf8");
    expect(text).toContain("timeout");
    await place.init({ hasServer: true });
    await place.uninstall();
    expect(treeOf(place.path(".claude"))).toEqual(before);
  });
});
