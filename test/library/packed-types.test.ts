/**
 * What is packed, as strangers see it: their compiler, strict, every declaration looked at, in each way to resolve modules; publint; and
 * are-the-types-wrong. Packed once for all of them.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const PACKAGES = { refloat: ROOT, "@refloat/core": join(ROOT, "packages/core") } as const;
const exportsOf = (name: string): object =>
  JSON.parse(readFileSync(join(PACKAGES[name as keyof typeof PACKAGES], "package.json"), "utf8")).exports;
const DOORS = Object.keys(exportsOf("refloat")).filter((door) => door !== "./package.json");
const WAYS = [
  ["node16", "node16"],
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
] as const;

/** Unpacked beside what they depend on: no source of ours is near. */
let folder = "";
const tarballs: Record<string, string> = {};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "refloat-test-"));
  const modules = join(folder, "node_modules");
  for (const [name, from] of Object.entries(PACKAGES)) {
    const packing = spawnSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
      cwd: from,
      encoding: "utf8",
    });
    const [file = ""] = packing.stdout.trim().split("\n").slice(-1);
    tarballs[name] = join(folder, file);
    mkdirSync(join(modules, name), { recursive: true });
    spawnSync("tar", ["-xzf", join(folder, file), "--strip-components=1", "-C", join(modules, name)]);
    expect(existsSync(join(modules, name, "package.json")), packing.stderr).toBe(true);
  }
  const frameworks = ["@langchain", "ai", "@ai-sdk", "@openai", "openai", "@opentelemetry"];
  const needed = ["zod", "postgres", "@types", "undici-types", ...frameworks];
  for (const name of needed)
    if (existsSync(join(ROOT, "node_modules", name)))
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  // Of Mastra there is only what we say of it: test/adapters/mastra.test.ts has its own types.
  cpSync(join(ROOT, "src/adapters/mastra/mastra-core.d.ts"), join(folder, "mastra-core.d.ts"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = `
import { openStore, ownKind, type Part, type Session } from "@refloat/core";
import { openStore as openWhole } from "refloat";
export async function program(): Promise<string[]> {
  const store = await openStore();
  const session: Session = await store.begin({ agent: "a", workspace: "w", wait: true });
  const whole = await openWhole(undefined, { thread: false });
  await whole.close();
  const shown = (part: Part): string => (part.type === "text" ? part.text : part.type);
  // @ts-expect-error: a kind needs a schema
  ownKind("t.x");
  return session.view("model").items.flatMap((item) => (item.kind === "message" ? item.parts.map(shown) : []));
}
`;

/** What the compiler says of our own files; of what frameworks declare themselves nothing is ours to mend. */
function errorsIn(doors: readonly string[], module: string, moduleResolution: string): string {
  const imports = doors.map(
    (door, i) => `import * as door${i} from ${JSON.stringify(door)};\nexport const use${i} = door${i};`,
  );
  writeFileSync(join(folder, "program.ts"), `${imports.join("\n")}${PROGRAM}`);
  const compilerOptions = {
    module,
    moduleResolution,
    target: "es2023",
    lib: ["es2023", "dom", "esnext.disposable"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true, // the compiler's own
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts", "mastra-core.d.ts"] }),
  );
  const { stdout, stderr, status } = spawnSync(process.execPath, [TSC, "-p", "tsconfig.json"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status === null) return `the compiler did not end: ${stderr}`;
  const own = /^(?:program\.ts|tsconfig\.json|error|node_modules\/@?refloat)/;
  return stdout
    .split("\n")
    .filter((line) => own.test(line))
    .slice(0, 10)
    .join("\n");
}

describe("the packed packages", () => {
  test.for(WAYS)(
    "type-check strictly and without skipLibCheck, every door of them, in %s resolved as %s",
    ([module, moduleResolution]) => {
      const doors = [...DOORS.map((door) => door.replace(/^\./, "refloat")), "@refloat/core"];
      expect(doors.length).toBeGreaterThan(1);
      expect(errorsIn(doors, module, moduleResolution)).toBe("");
    },
  );

  test.for(Object.keys(PACKAGES))("%s: publint has nothing to say of it", async (name) => {
    const { messages } = await publint({
      pkgDir: join(folder, "node_modules", name),
      pack: false,
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  test.for(Object.keys(PACKAGES))(
    "%s: are-the-types-wrong finds nothing wrong for what is ESM alone",
    async (name) => {
      const found = await checkPackage(createPackageFromTarballData(readFileSync(tarballs[name] ?? "")));
      if (!found.types) throw new Error(`${name} has no types`);
      expect(Object.keys(found.entrypoints).sort()).toEqual(Object.keys(exportsOf(name)).sort());
      // Its profile "esm-only": that the oldest way of resolving knows no doors, and that CommonJS must import(), is what ESM alone means.
      const meant = ["NoResolution node10", "CJSResolvesToESM node16-cjs"];
      const problems = found.problems.map((problem) =>
        "resolutionKind" in problem ? `${problem.kind} ${problem.resolutionKind}` : problem.kind,
      );
      expect(problems.filter((problem) => !meant.includes(problem))).toEqual([]);
    },
  );
});
