/**
 * What is published: packed by npm, unpacked into an empty folder with only what it depends on beside it, and used from
 * there. What the build forgot, or what only resolves inside this checkout, fails here.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testRepository } from "./support/git-repository.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SQLITE = "@photostructure/sqlite";

interface Manifest {
  readonly version: string;
  readonly bin: { readonly refloat: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly os: readonly string[];
}
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;

describe("the published package", () => {
  let app = "";
  let installed = "";

  beforeAll(() => {
    app = mkdtempSync(join(tmpdir(), "refloat-test-"));
    const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", app], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [{ filename } = { filename: "" }] = JSON.parse(packed) as { filename: string }[];
    installed = join(app, "node_modules/refloat");
    mkdirSync(installed, { recursive: true });
    execFileSync("tar", ["-xzf", join(app, filename), "--strip-components=1", "-C", installed]);
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
      const link = join(app, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      if (existsSync(join(ROOT, "node_modules", name))) symlinkSync(join(ROOT, "node_modules", name), link);
    }
  });

  afterAll(() => rmSync(app, { recursive: true, force: true }));

  /** As its user runs it: another folder, an empty home. */
  function refloat(home: string, cwd: string, ...args: string[]): string {
    const env = { PATH: process.env.PATH ?? "", HOME: home, REFLOAT_HOME: join(home, "refloat") };
    const ran = spawnSync(process.execPath, [join(installed, manifest.bin.refloat), ...args], {
      cwd,
      env,
      encoding: "utf8",
    });
    expect(ran).toMatchObject({ status: 0 });
    return ran.stdout;
  }

  it("has the recorder, the agents' plugins and what init copies, and sets an agent up from there", () => {
    for (const folder of ["hooks", "plugins"])
      for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isFile())
          expect(readFileSync(join(installed, relative(ROOT, path))).equals(readFileSync(path)), path).toBe(
            true,
          );
      }
    const [home, folder] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(home, ".claude"));
    refloat(home, folder, "init", "--yes");
    expect(readFileSync(join(home, "refloat/bin/refloat-program"), "utf8")).toContain(installed);
    refloat(home, folder, "uninstall", "--yes");
    expect(readdirSync(home)).toEqual([".claude"]);
  });

  it("says its version, its help and how things stand", () => {
    const [home, folder] = [temporaryFolder(), temporaryFolder()];
    expect(refloat(home, folder, "--version")).toBe(`${manifest.version}\n`);
    expect(refloat(home, folder, "--help")).toContain("refloat");
    expect(JSON.parse(refloat(home, folder, "--json"))).toMatchObject({ schema: "refloat.status/1" });
  });

  it("runs an agent with its store on a thread, and judges what it left with parsers of both kinds", () => {
    const home = temporaryFolder();
    const { root, write, commit } = testRepository();
    write("a.ts", "export const a = 1;\n");
    write("b.py", "def f():\n    return 1\n");
    commit();
    refloat(home, root, "run", "--", "sh", "-c", "echo 'export const = ;' > a.ts; echo 'def (:' > b.py");
    const sessions = JSON.parse(refloat(home, root, "sessions", "--json")) as { sessions: unknown[] };
    expect(sessions.sessions).toHaveLength(1);
    const { groups } = JSON.parse(refloat(home, root, "inspect", "--json")) as {
      groups: { reasons: { rule: string; evidence: string[] }[] }[];
    };
    const broken = groups.flatMap(({ reasons }) => reasons.filter(({ rule }) => rule === "parse"));
    expect(JSON.stringify(broken)).toContain("a.ts");
    expect(JSON.stringify(broken)).toContain("b.py");
  });

  it("is a library with types, whose store opens on its thread", () => {
    const script = `
      import { openStore, RefloatError } from "refloat";
      const store = await openStore(process.argv[1]);
      const session = await store.begin({ agent: "test", workspace: process.cwd() });
      await (await session.turn("go")).end("completed");
      await session.finish();
      console.log((await store.sessions()).length, typeof RefloatError);
      await store.close();`;
    const store = join(temporaryFolder(), "refloat.db");
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", script, "--", store], {
      cwd: app,
      encoding: "utf8",
    });
    expect(said).toBe("1 function\n");
    expect(readFileSync(join(installed, "dist/index.d.ts"), "utf8")).toContain("openStore");
  });

  it("names every package that its library imports: what only the program needs is in the program", () => {
    const { exports } = manifest;
    const entries = Object.values(exports).flatMap((one) => (typeof one === "string" ? [] : [one.default]));
    const threads = ["store/sqlite/worker.js", "salvage/analysis/worker.js", "salvage/analysis/process.js"];
    const toVisit = [...entries, ...threads.map((file) => `dist/${file}`)].map((file) =>
      join(installed, file),
    );
    const seen = new Set<string>();
    const named = new Set<string>();
    for (let file = toVisit.pop(); file !== undefined; file = toVisit.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
      for (const [, from, late] of code.matchAll(
        /^(?:import|export)\b[^"'=;]*\bfrom "([^"]+)";|\bimport(?: |\()"([^"]+)"/gm,
      )) {
        const to = from ?? late ?? "";
        if (to.startsWith(".")) toVisit.push(join(dirname(file), to));
        else if (!to.startsWith("node:")) named.add(/^(?:@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to);
      }
    }
    expect(seen.size).toBeGreaterThan(entries.length + threads.length);
    expect(named).toContain("zod");
    const { dependencies, optionalDependencies, peerDependencies = {} } = manifest;
    const known = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    expect([...named].filter((name) => !known.includes(name) && name !== "refloat")).toEqual([]);
  });

  it("names the licence of everything it carries a copy of", () => {
    const program = join(installed, "dist/program");
    const licenses = readFileSync(join(program, "LICENSES.txt"), "utf8");
    const text = readdirSync(program).map((name) => readFileSync(join(program, name), "utf8"));
    const copied = text.flatMap((code) => [
      ...code.matchAll(/^\/\/#region node_modules\/((?:@[^/]+\/)?[^/]+)/gm),
    ]);
    const names = new Set(copied.map(([, name]) => name));
    expect(names).toContain("zod");
    for (const name of names) expect(licenses).toMatch(new RegExp(`^${name} \\d`, "m"));
    const native = readFileSync(join(installed, "dist/sqlite/LICENSES.txt"), "utf8");
    for (const name of [SQLITE, "node-addon-api", "node-gyp-build"])
      expect(native).toMatch(new RegExp(`^${name} \\d`, "m"));
  });

  it("brings SQLite for each platform that it may be installed on, for no other, and no package with an install script", () => {
    const prebuilds = join(installed, "dist/sqlite/prebuilds");
    const platforms = readdirSync(prebuilds);
    expect(platforms.toSorted()).toEqual(
      manifest.os.flatMap((os) => [`${os}-arm64`, `${os}-x64`]).toSorted(),
    );
    for (const platform of platforms) {
      const variants = readdirSync(join(prebuilds, platform));
      const wanted = platform.startsWith("linux") ? ["glibc", "musl"] : ["glibc"];
      expect(variants.toSorted(), platform).toEqual(
        wanted.map((libc) => `@photostructure+sqlite.${libc}.node`),
      );
    }
    const beside = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    expect(beside).not.toContain(SQLITE);
    const scripts = beside.map((name) => {
      const file = join(ROOT, "node_modules", name, "package.json");
      const { scripts = {} } = JSON.parse(readFileSync(file, "utf8")) as { scripts?: object };
      return Object.keys(scripts).filter((script) => /^(?:pre|post)?install$/.test(script));
    });
    expect(scripts.flat()).toEqual([]);
  });

  describe.skipIf(isBuiltin("node:sqlite"))("on a Node without SQLite", () => {
    const opening = `
      import { openStore } from "refloat";
      const store = await openStore(process.argv[1], { thread: process.argv[2] === "thread" });
      await store.close();
      console.log("opened");`;
    const opened = (how = "direct") =>
      spawnSync(
        process.execPath,
        ["--input-type=module", "-e", opening, "--", join(temporaryFolder(), "s.db"), how],
        { cwd: app, encoding: "utf8" },
      );

    /** What an application has beside us under SQLite's name. */
    function beside(version: string): void {
      const folder = join(app, "node_modules", SQLITE);
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, "package.json"),
        JSON.stringify({ name: SQLITE, version, main: "index.cjs" }),
      );
      writeFileSync(join(folder, "index.cjs"), 'throw new Error("taken from beside");');
    }
    const carried = (): string =>
      (JSON.parse(readFileSync(join(installed, "dist/sqlite/package.json"), "utf8")) as Manifest).version;
    const noneBeside = (): void =>
      rmSync(join(app, "node_modules/@photostructure"), { recursive: true, force: true });

    it.each(["direct", "thread"])("opens a store by the one it brings (%s)", (how) => {
      expect(opened(how)).toMatchObject({ stderr: "", stdout: "opened\n" });
    });

    it("takes the same one from beside it, for two in one process undo each other's locks, and no other version", () => {
      try {
        beside(carried());
        expect(opened().stderr).toContain("taken from beside");
        beside("9.9.9");
        expect(opened()).toMatchObject({ stderr: "", stdout: "opened\n" });
      } finally {
        noneBeside();
      }
    });

    it.each(["direct", "thread"])("says on a platform it brings none for what to use instead (%s)", (how) => {
      const [here, away] = ["prebuilds", "prebuilds-away"].map((name) =>
        join(installed, "dist/sqlite", name),
      );
      renameSync(here ?? "", away ?? "");
      try {
        const { stderr } = opened(how);
        expect(stderr).toContain("E_UNSUPPORTED");
        expect(stderr).toContain("Node 22.13");
      } finally {
        renameSync(away ?? "", here ?? "");
      }
    });
  });
});

describe("the built program", () => {
  const dist = join(ROOT, "dist");

  /** What a file needs at once: modules by import, files of the program as CommonJS, and what starts the program by its name. */
  function neededBy(file: string): string[] {
    const code = readFileSync(file, "utf8");
    const found = (pattern: RegExp): string[] => [...code.matchAll(pattern)].map(([, to]) => to ?? "");
    return [
      ...found(/^import (?:[^"]* from )?"(\.[^"]+)"/gm).map((to) => join(dirname(file), to)),
      ...found(/^(?:\(function [^{]*\{)?(?:const \w+ = )?require\("(\.[^"]+)"\)/gm).map((to) =>
        join(dirname(file), to),
      ),
      ...found(/programLoader\(.*\)\("([^"]+)"\)/g).map((to) => join(dist, "program", to)),
    ];
  }

  /** The parts of the source that a file brings with it, by what it needs at once. */
  function regionsOf(file: string, seen = new Set<string>()): string[] {
    if (seen.has(file)) return [];
    seen.add(file);
    const regions = readFileSync(file, "utf8").matchAll(/^\/\/#region (\S+)/gm);
    return [
      ...[...regions].map(([, region]) => region ?? ""),
      ...neededBy(file).flatMap((to) => regionsOf(to, seen)),
    ];
  }

  it("loads nothing but one file to say its version, and no store and no schema to give help", () => {
    const bin = join(dist, "cli/bin.js");
    expect(neededBy(bin)).toEqual([]);
    const [, main = ""] = /import\("(\.[^"]+)"\)/.exec(readFileSync(bin, "utf8")) ?? [];
    expect(main).toBe("./main.js");
    const regions = regionsOf(join(dirname(bin), main));
    expect(regions).toContain("src/cli/commands/specs.ts");
    expect(
      regions.filter((name) => /^src\/(?:store|conversation|session|workspace|triage)\/|\/zod\//.test(name)),
    ).toEqual([]);
  });

  /** What a command does is loaded when it is run: its spec says from where. */
  function commandFiles(): string[] {
    const folder = join(ROOT, "src/cli/commands");
    const specs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith("/specs.ts"),
    );
    return specs.flatMap((name) =>
      [...readFileSync(join(folder, name), "utf8").matchAll(/import\("(\.[^"]+)"\)/g)].map(([, to]) =>
        join("src/cli/commands", dirname(name), to ?? ""),
      ),
    );
  }

  it("loads a protocol's SDK for `mcp` alone, and no command that a hook or an agent waits for brings it along", () => {
    const files = readdirSync(join(dist, "program")).map((name) => join(dist, "program", name));
    const withSdk = files.filter(
      (file) =>
        file.endsWith(".js") && /@(?:modelcontext|agentclient)protocol\//.test(readFileSync(file, "utf8")),
    );
    expect(withSdk).toHaveLength(1);
    const sdk = regionsOf(withSdk[0] ?? "");
    expect(sdk).toContain("src/server/mcp/serve.ts");
    const own = commandFiles().filter((command) => {
      const holder = files.find(
        (file) => file.endsWith(".js") && readFileSync(file, "utf8").includes(`//#region ${command}\n`),
      );
      return holder !== undefined && regionsOf(holder).includes("src/server/mcp/serve.ts");
    });
    expect(own).toEqual(["src/cli/commands/protocols/mcp.ts"]);
  });

  it("needs two files for the driver on its thread, and none of them is a command", () => {
    const regions = regionsOf(join(dist, "store/sqlite/worker.js"));
    expect(regions).toContain("src/store/sqlite/engine.ts");
    expect(regions.filter((name) => commandFiles().includes(name))).toEqual([]);
  });

  it("has every file that another of its files may load later", () => {
    const files = readdirSync(join(dist, "program")).filter((name) => name.endsWith(".js"));
    const later = files.flatMap((name) => {
      const code = readFileSync(join(dist, "program", name), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
      return [...code.matchAll(/\(\) => require\("(\.[^"]+)"\)/g)].map(([, to]) =>
        join(dist, "program", to ?? ""),
      );
    });
    expect(commandFiles().length).toBeGreaterThan(50);
    expect(later.length).toBeGreaterThan(commandFiles().length);
    expect(later.filter((path) => !existsSync(path))).toEqual([]);
  });
});
