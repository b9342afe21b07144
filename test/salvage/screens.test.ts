/** What is left, at 80 and at 60 columns with the hard cases: nothing wider than the screen but a name one may want to copy. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/text/width.ts";
import { makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { leftSession } from "../support/left-session.ts";

const LONG_NAME = `${"very-".repeat(30)}long.py`;
const WIDE_NAME = `${"日本語".repeat(15)}.py`;

describe("the screens of what a session left", () => {
  it.each([80, 60])(
    "fit %i columns: reasons wrap, names lose their middle, colours and bars stay out of a pipe",
    async (columns) => {
      const place = makePlace();
      const repo = testRepository(place.workspace);
      repo.commit();
      const write = (name: string) => (): void => writeFileSync(join(repo.root, name), "def f(:\n");
      await leftSession(place, repo, {
        edits: { [LONG_NAME]: write(LONG_NAME), [WIDE_NAME]: write(WIDE_NAME) },
      });
      const env = { COLUMNS: String(columns), TERM: "dumb" };
      const { stdout: inspected } = await place.refloat(["inspect"], { env });
      const [group = ""] = /g[0-9a-f]{12}/.exec(inspected) ?? [];
      const reason =
        "because I have read it from its first to its last line and nothing in it is what it should be";
      for (const words of [
        ["status"],
        ["inspect"],
        ["settle", "--dry-run"],
        ["settle", "--dry-run", "--policy", "park-all"],
        ["judge", group, "risky", "--reason", reason],
        ["inspect"],
        ["why", LONG_NAME],
        ["park", "--all", "--yes", "-m", reason],
        ["parked"],
        ["undo", "--dry-run"],
        ["worktrees"],
      ]) {
        const { code, stdout, stderr } = await place.refloat(words, { env });
        expect({ words, code, stderr: code === 0 ? "" : stderr }).toEqual({ words, code: 0, stderr: "" });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: looking for them is the point.
        expect(stdout, words.join(" ")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
        const wide = stdout
          .split("\n")
          .filter((line) => displayWidth(line) > columns)
          .filter((line) => !line.includes(LONG_NAME) && !line.includes(repo.root));
        expect({ words, wide }).toEqual({ words, wide: [] });
      }
      // The end of a name tells it from others.
      expect(inspected).toMatch(/added +very-.*….*long\.py\n/);
      expect(inspected.replace(/\s+/g, " ")).toMatch(/- very-.*….*long\.py does not parse\./);
    },
    300_000,
  );
});
