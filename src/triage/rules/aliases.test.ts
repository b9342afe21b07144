/** References by other names than a file's own: what a configuration means by them is followed like a path. On both sides. */
import { describe, expect, it } from "vitest";
import { type Case, COMPLETED, ENDED, judge, rulesOf } from "../../../test/support/triage-facts.ts";

const done = { operations: [ENDED], turns: [COMPLETED] };
const LOAD = "export function loadUser(a: number) {\n  return a;\n}\n\nexport const last = 1;\n";
const RENAMED = LOAD.replace("loadUser", "fetchUser");
const wants = (specifier: string, name = "loadUser"): string =>
  `import { ${name} } from "${specifier}";\n\nexport const x = ${name}(1);\n\nexport const last = 1;\n`;

/** A way to name files: what says so, the file it means, its name, and that of one that is not there. */
interface Way {
  readonly configs: Readonly<Record<string, string>>;
  readonly file: string;
  readonly from: string;
  readonly name: string;
  readonly absent: string;
  /** What it means is only guessed. */
  readonly isGuess?: true;
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
const compiler = (compilerOptions: object): string => json({ compilerOptions });
const local = { file: "src/load.ts", from: "src/b.ts" };
const at = { ...local, name: "@/load", absent: "@/save" };
const PATHS = { "@/*": ["src/*"] };
const workspace = { "package.json": json({ name: "all", private: true, workspaces: ["packages/*"] }) };
const user = json({ name: "@x/b", dependencies: { "@x/a": "workspace:*" } });
const across = { from: "packages/b/index.ts", name: "@x/a", absent: "@x/a/save" };

const WAYS: readonly (readonly [string, Way])[] = [
  ["paths of a compiler", { ...at, configs: { "tsconfig.json": compiler({ baseUrl: ".", paths: PATHS }) } }],
  [
    "paths without a base, with comments",
    { ...at, configs: { "tsconfig.json": `// ours\n${compiler({ paths: PATHS })}` } },
  ],
  ["paths of a variant beside", { ...at, configs: { "tsconfig.app.json": compiler({ paths: PATHS }) } }],
  [
    "paths that a configuration takes from another",
    {
      ...at,
      configs: {
        "tsconfig.json": json({ extends: "./config/tsconfig.base.json" }),
        "config/tsconfig.base.json": compiler({ paths: { "@/*": ["../src/*"] } }),
      },
    },
  ],
  [
    "a whole name that says nothing of the path",
    {
      ...local,
      name: "@users",
      absent: "@users/save",
      configs: {
        "tsconfig.json": compiler({ paths: { "@users": ["./src/load.ts"], "@users/*": ["./src/*"] } }),
      },
    },
  ],
  [
    "the base of a compiler",
    {
      file: "src/lib/load.ts",
      from: "src/b.ts",
      name: "lib/load",
      absent: "lib/save",
      configs: { "tsconfig.json": compiler({ baseUrl: "src" }) },
    },
  ],
  [
    "imports of a package",
    {
      ...local,
      name: "#lib/load",
      absent: "#lib/save",
      configs: { "package.json": json({ name: "me", imports: { "#lib/*": "./src/*.ts" } }) },
    },
  ],
  [
    "the package's own name",
    {
      ...local,
      name: "me/load",
      absent: "me/save",
      configs: { "package.json": json({ name: "me", exports: { "./*": { default: "./src/*.ts" } } }) },
    },
  ],
  [
    "a package of the workspace",
    {
      ...across,
      file: "packages/a/index.ts",
      configs: {
        ...workspace,
        "packages/a/package.json": json({ name: "@x/a", main: "./index.ts" }),
        "packages/b/package.json": user,
      },
    },
  ],
  [
    "a package of the workspace that is built",
    {
      ...across,
      file: "packages/first/src/index.ts",
      isGuess: true,
      configs: {
        ...workspace,
        "packages/first/package.json": json({ name: "@x/a", exports: { ".": "./dist/index.js" } }),
        "packages/b/package.json": user,
      },
    },
  ],
  ["a name that nothing here explains", { ...at, configs: {}, isGuess: true }],
];

const caseOf = (way: Way, head: Case["head"], now: Case["now"]): Case => ({
  head: { ...way.configs, ...head },
  now,
  facts: done,
});
const moved = (file: string): string => file.replace(/\w+\.ts$/, "fetch.ts");

describe.each(WAYS)("by %s", (_, way) => {
  const both = { [way.file]: LOAD, [way.from]: wants(way.name) };
  const risky = way.isGuess ? "unseen-name" : "missing-export";

  it("an unchanged file wants a name that went: never safe (S3)", async () => {
    const groups = await judge(caseOf(way, both, { [way.file]: RENAMED }));
    expect(groups.flatMap(rulesOf)).toContain(risky);
    expect(groups.map(({ verdict }) => verdict)).toEqual([way.isGuess ? "unknown" : "risky"]);
  });

  it("an unchanged file wants a name that went behind another file: never safe (S3)", async () => {
    const inner = way.file.replace(/\w+\.ts$/, "inner.ts");
    const head = { ...both, [way.file]: 'export * from "./inner";\n', [inner]: LOAD };
    const groups = await judge(caseOf(way, head, { [inner]: RENAMED }));
    expect(groups.flatMap(rulesOf)).toContain(risky);
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it("an unchanged file names a file that moved: never safe (S3)", async () => {
    const groups = await judge(caseOf(way, both, { [way.file]: null, [moved(way.file)]: LOAD }));
    expect(groups.flatMap(rulesOf).some((rule) => rule === "missing-file" || rule === "unseen-name")).toBe(
      true,
    );
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it("a new file names one that is not there: never safe (S3)", async () => {
    const groups = await judge(caseOf(way, { [way.file]: LOAD }, { [way.from]: wants(way.absent) }));
    expect(groups.flatMap(rulesOf).some((rule) => rule === "missing-file" || rule === "unseen-name")).toBe(
      true,
    );
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it("a new file wants a name that is not given: never safe (S3)", async () => {
    const groups = await judge(
      caseOf(way, { [way.file]: LOAD }, { [way.from]: wants(way.name, "saveUser") }),
    );
    expect(groups.flatMap(rulesOf)).toContain(risky);
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it("not so: both sides together, and what is there", async () => {
    const now = { [way.file]: RENAMED, [way.from]: wants(way.name, "fetchUser") };
    const together = await judge(caseOf(way, both, now));
    expect(together.map(({ verdict }) => verdict)).toEqual(["safe"]);
    const other = way.from.replace(/\w+\.ts$/, "c.ts");
    const more = { [way.file]: `${LOAD}\nexport const more = 1;\n`, [other]: wants(way.name) };
    const rules = (await judge(caseOf(way, both, more))).flatMap(rulesOf);
    for (const rule of ["missing-file", "missing-export", "unseen-name"]) expect(rules).not.toContain(rule);
  });
});

describe("what is not ours stays as it is", () => {
  const configs = {
    "tsconfig.json": compiler({ baseUrl: ".", paths: { ...PATHS, "*": ["types/*"] } }),
    "package.json": json({
      name: "me",
      dependencies: { react: "^18.0.0", "@y/z": "1.0.0", lodash: "4.0.0" },
    }),
    "src/load.ts": LOAD,
    "lodash/fp.ts": "export const other = 1;\n",
    "test/fixtures/react/package.json": json({ name: "react", main: "index.js" }),
    "test/fixtures/react/index.js": "exports.nothing = 1;\n",
  };

  it.each(["react", "react/jsx-runtime", "@y/z", "@y/z/deep", "lodash/fp", "fs", "node:fs", "fs/promises"])(
    "%s: declared or Node's own, so the group is safe",
    async (specifier) => {
      const groups = await judge({
        head: configs,
        now: { "src/load.ts": `${wants(specifier, "any")}\n${LOAD}` },
        facts: done,
      });
      expect(groups.map(({ verdict }) => verdict)).toEqual(["safe"]);
    },
  );

  it("a name that nobody could explain before is not noted again", async () => {
    const text =
      'import { a } from "#imports";\nimport { b } from "@/generated";\n\nexport const x = [a, b];\n';
    const groups = await judge({
      head: { "src/b.ts": text },
      now: { "src/b.ts": text.replace("[a, b]", "[b, a]") },
      facts: done,
    });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["safe"]);
  });
});
