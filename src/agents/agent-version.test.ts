import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { installedVersion, untriedVersion } from "./agent-version.ts";
import { agentNamed } from "./registry.ts";
import type { AgentAdapter } from "./words/adapter.ts";

const codex = agentNamed("codex") as AgentAdapter;

/** The program below a folder, called from a `bin` that is on the path; and what lies beside it. */
function installed(path: string, beside: Readonly<Record<string, string>> = {}): string | null {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries({ ...beside, [path]: "#!/bin/sh\nexit 1\n" })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  chmodSync(join(folder, path), 0o755);
  mkdirSync(join(folder, "on-path"));
  symlinkSync(join(folder, path), join(folder, "on-path/codex"));
  return installedVersion(codex, { place: folder, env: { PATH: join(folder, "on-path") } });
}

const NPM = "node/v22.23.3/lib/node_modules/@openai/codex";

it.each([
  ["npm's package", `${NPM}/bin/codex.js`, { [`${NPM}/package.json`]: '{"version":"0.170.1"}' }, "0.170.1"],
  ["a folder for each version", "Cellar/codex/0.170.1/bin/codex", {}, "0.170.1"],
  ["a file for each version", "share/codex/versions/0.170.1", {}, "0.170.1"],
  [
    "a script of somebody's own",
    "project/bin/codex",
    { "project/package.json": '{"version":"3.0.0"}' },
    null,
  ],
  ["a package whose manifest is damaged", `${NPM}/bin/codex.js`, { [`${NPM}/package.json`]: "{" }, null],
  ["a package without one", `${NPM}/bin/codex.js`, {}, null],
])(
  "the version of an agent is read from where it lies, and it is not started: %s",
  (_, path, beside, found) => {
    expect(installed(path, beside)).toBe(found);
  },
);

it("an agent that is not there has none", () => {
  expect(installedVersion(codex, { place: "/", env: { PATH: temporaryFolder() } })).toBeNull();
});

it("only what is newer than every version that was tried is named (T6)", () => {
  const tried = codex.versions.at(-1) ?? "";
  expect(untriedVersion(codex, "99.0.0")).toEqual({ version: "99.0.0", tried });
  for (const version of [tried, codex.versions[0] ?? "", "0.1.0", "built by hand", null])
    expect(untriedVersion(codex, version)).toBeNull();
});
