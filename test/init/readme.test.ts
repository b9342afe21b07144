/** README.md's first minute, as it is typed: its own commands, at a terminal, in a home where nothing of refloat is. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { atTerminal } from "../support/at-terminal.ts";
import { BIN, makePlace } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SETTINGS = '{\n\t"model": "opus"\n}\n';

/** What a shell is given there, and what is typed later, as the text around it has it. */
function sixtySeconds(): { readonly block: readonly string[]; readonly text: string } {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const [, text = ""] = /^## Sixty seconds\n([\s\S]*?)^## /m.exec(readme) ?? [];
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(text) ?? [];
  return { block: block.trim().split("\n"), text };
}

const treeOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path, readFileSync(path, "utf8")]),
  );

it("T1: what README.md says for the first minute is all that is needed: installed, set up with one yes, taken back byte for byte", async () => {
  const { block, text } = sixtySeconds();
  expect(block).toEqual(["npm ci && npm run build && npm install -g .", "refloat init"]);
  expect(text).toContain("`refloat uninstall` gives every file back, byte for byte");
  const [home, prefix] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude/settings.json"), SETTINGS);
  const before = treeOf(home);
  const place = makePlace();
  const env = {
    ...{
      HOME: home,
      REFLOAT_HOME: join(home, ".local/state/refloat"),
      PATH: `${prefix}/bin:${process.env.PATH}`,
    },
    ...{ npm_config_prefix: prefix, npm_config_cache: join(prefix, "cache"), npm_config_offline: "true" },
  };
  // What comes before it in that line has made the program that this test finds.
  const [, , install = ""] = (block[0] ?? "").split(" && ");
  /** `asks`: it shows what it would do, and waits for a yes. */
  const typed = async (line: string, cwd: string, asks: boolean): Promise<void> => {
    const terminal = atTerminal(place, ["-c", line], { file: "/bin/sh", cwd, env });
    if (asks) {
      await terminal.until(() => terminal.text().includes("[y/N]"), `${line} asks`);
      terminal.type("y\r");
    }
    const { exitCode } = await terminal.ended;
    expect(exitCode, terminal.text()).toBe(0);
  };
  await typed(install, ROOT, false);
  expect(realpathSync(join(prefix, "bin/refloat"))).toBe(realpathSync(BIN));
  await typed(block[1] ?? "", place.workspace, true);
  expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).toContain("refloat-hook");
  await typed("refloat", place.workspace, false);
  await typed("refloat uninstall", place.workspace, true);
  expect(treeOf(home)).toEqual(before);
});
