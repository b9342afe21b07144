/** Long results at a terminal go through the user's own pager, and through no other (T2, T6). */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { atTerminal } from "../support/at-terminal.ts";
import { makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A pager that notes that it was asked, and shows what it got behind a mark. */
function pager(name = "pager"): { readonly command: string; readonly asked: string } {
  const folder = temporaryFolder();
  const [command, asked] = [join(folder, name), join(folder, "asked")];
  writeFileSync(command, `#!/bin/sh\necho paged >> ${asked}\nsed 's/^/| /'\n`);
  chmodSync(command, 0o755);
  return { command, asked };
}

async function shownAt(place: Place, args: string[], env: Record<string, string>): Promise<string> {
  const terminal = atTerminal(place, args, { env, rows: 12 });
  await terminal.ended;
  return terminal.text();
}

/** More than a screen of them. */
async function manyCaptures(place: Place): Promise<void> {
  const repo = testRepository(place.workspace);
  repo.write("f", "1\n");
  repo.commit();
  await place.withStore(async (store) => {
    const session = await store.begin({ agent: "t", workspace: place.workspace });
    for (let i = 0; i < 30; i++) {
      repo.write("f", `${i + 2}\n`);
      await session.capture(`capture ${i}`);
    }
    await session.finish();
  });
}

it("at a terminal what is longer than the screen is paged by the user's pager; what fits, JSON and an agent's output are not", async () => {
  const place = makePlace();
  const { command, asked } = pager();
  await manyCaptures(place);
  expect(await shownAt(place, ["captures"], { PAGER: command })).toContain("| ");
  expect(existsSync(asked)).toBe(true);
  const other = pager();
  for (const [args, env] of [
    [["sessions"], {}],
    [["captures", "--json"], {}],
    [["captures", "--no-input"], {}],
    [["captures"], { REFLOAT_SESSION: "s.1.r" }],
    [["captures"], { REFLOAT_PAGER: "cat" }],
  ] as [string[], Record<string, string>][])
    expect(await shownAt(place, args, { PAGER: other.command, ...env }), args.join(" ")).not.toContain("| ");
  expect(existsSync(other.asked)).toBe(false);
}, 300_000);

it("T2: a repository's core.pager is never started, and a pager that is not there hides nothing", async () => {
  const place = makePlace();
  const { command, asked } = pager();
  await manyCaptures(place);
  execFileSync("git", ["config", "core.pager", command], { cwd: place.workspace });
  const text = await shownAt(place, ["captures"], { PAGER: "no-such-pager" });
  expect(text).toContain("capture 15");
  expect(text).toContain("capture 29");
  expect(existsSync(asked)).toBe(false);
}, 300_000);
