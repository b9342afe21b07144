/** What is packed, as a stranger's compiler sees it: strict, every declaration looked at, in each way to resolve modules. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const DOORS = Object.keys(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).exports).filter(
  (door) => door !== "./package.json",
);

/** Unpacked beside what it depends on: no source of ours is near. */
function unpacked(): string {
  const folder = temporaryFolder();
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@refloat"), { recursive: true });
  for (const [from, to] of [
    [ROOT, "refloat"],
    [join(ROOT, "packages/core"), "@refloat/core"],
  ] as const) {
    const packing = spawnSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
      cwd: from,
      encoding: "utf8",
    });
    const [name = ""] = packing.stdout.trim().split("\n").slice(-1);
    spawnSync("tar", ["-xzf", join(folder, name), "-C", folder]);
    spawnSync("mv", [join(folder, "package"), join(modules, to)]);
    expect(existsSync(join(modules, to, "package.json")), packing.stderr).toBe(true);
  }
  const frameworks = ["@langchain", "ai", "@ai-sdk", "@openai", "openai", "@opentelemetry"];
  const needed = ["zod", "postgres", "@types", "undici-types", ...frameworks];
  for (const name of needed)
    if (existsSync(join(ROOT, "node_modules", name)))
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  return folder;
}

describe("the packed packages", () => {
  test("type-check strictly and without skipLibCheck in node16, nodenext and bundler, every door of them", () => {
    const folder = unpacked();
    const doors = [...DOORS.map((door) => door.replace(/^\./, "refloat")), "@refloat/core"];
    const own = doors.map(
      (door, i) => `import * as door${i} from ${JSON.stringify(door)};\nexport const use${i} = door${i};`,
    );
    writeFileSync(
      join(folder, "program.ts"),
      `${own.join("\n")}
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
`,
    );
    const found: Record<string, string> = {};
    for (const [module, moduleResolution] of [
      ["node16", "node16"],
      ["nodenext", "nodenext"],
      ["esnext", "bundler"],
    ] as const) {
      const config = {
        compilerOptions: {
          module,
          moduleResolution,
          target: "es2023",
          lib: ["es2023", "dom", "esnext.disposable"],
          types: ["node"],
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          skipLibCheck: false,
        },
        files: ["program.ts"],
      };
      writeFileSync(join(folder, `tsconfig.${moduleResolution}.json`), JSON.stringify(config));
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      const { stdout } = spawnSync(process.execPath, [TSC, "-p", `tsconfig.${moduleResolution}.json`], {
        cwd: folder,
        encoding: "utf8",
      });
      // Of what frameworks declare themselves nothing is ours to mend.
      const errors = stdout
        .split("\n")
        .filter((line) => /^(?:program\.ts|node_modules\/@?refloat)/.test(line));
      found[moduleResolution] = errors.slice(0, 10).join("\n");
    }
    expect(found).toEqual({ node16: "", nodenext: "", bundler: "" });
  });
});
