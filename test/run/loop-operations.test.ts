/**
 * The first seed's own story, through the built program: a loop over an agent that wraps each piece of work in `op begin` and
 * `op end` and is killed at every place between its steps. What it ended is a witness of its end and is committed; what it did
 * not end never is (S3).
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Where the agent dies, and whether its piece is then to be committed. */
const DEATHS = {
  "after the begin": false,
  "after the first file": false,
  "in the second file": false,
  "after the second file": false,
  "after the end": true,
  "in an edit after the end": false,
  "after the journal": true,
  never: true,
} as const;
type Death = keyof typeof DEATHS;

/** Two small whole modules each, the second takes the first, neither named after what it gives. */
const AGENT = `
refloat() { "$NODE" "$BIN" "$@" >>"$NOTES/said"; }
n=$(( $(cat "$NOTES/n") + 1 )); echo $n > "$NOTES/n"
death=$(sed -n "$n"p "$NOTES/deaths")
dies() { if [ "$death" = "$1" ]; then kill -9 $$; fi; }
refloat op begin "feature $n" --path "src/f$n*.js"
dies "after the begin"
printf 'export function double%s(x) {\\n  const y = x * 2;\\n  return y + 1;\\n}\\n' $n > src/f$n.js
dies "after the first file"
printf 'import { double%s } from "./f%s.js";\\n\\nexport function more%s(x) {\\n' $n $n $n > src/f"$n"b.js
dies "in the second file"
printf '  return double%s(x) + 2;\\n}\\n' $n >> src/f"$n"b.js
dies "after the second file"
refloat op end
dies "after the end"
if [ "$death" = "in an edit after the end" ]; then
  printf '\\nexport function most%s(x) {\\n  return more%s(x) + 3;\\n}\\n' $n $n >> src/f"$n"b.js; kill -9 $$
fi
echo "feature $n" >> journal/log.md
dies "after the journal"
exit 0
`;

describe("a loop over an agent that is killed between its steps", { timeout: 10 * 60_000 }, () => {
  it("commits every ended operation whose files are as its end's capture has them, and none of the others (S3)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("package.json", '{ "type": "module" }\n');
    repo.write("src/index.js", "export const zero = 0;\n");
    repo.write("journal/log.md", "begin\n");
    repo.commit("base");
    const notes = temporaryFolder();
    const all = Object.keys(DEATHS) as Death[];
    const deaths: Death[] = [...all, "after the second file", "after the end", "in the second file", "never"];
    writeFileSync(join(notes, "deaths"), `${deaths.join("\n")}\n`);
    writeFileSync(join(notes, "n"), "0\n");
    writeFileSync(join(notes, "agent.sh"), AGENT);
    const env = { ...ANN, NODE: process.execPath, BIN, NOTES: notes };
    const flags = ["--max", String(deaths.length), "--settle", "default", "--backoff", "1ms"];
    const ran = await place.refloat(
      ["loop", ...flags, "--suspend-after", "never", "--", "bash", join(notes, "agent.sh")],
      { env },
    );
    expect(ran.stderr).toContain(`stops after ${deaths.length} sessions`);

    const pieces = deaths.map((death, at) => ({ n: at + 1, death, isWhole: DEATHS[death] }));
    const whole = pieces
      .filter(({ isWhole }) => isWhole)
      .flatMap(({ n }) => [`src/f${n}.js`, `src/f${n}b.js`]);
    const tracked = repo.git("ls-files", "src/f*").split("\n");
    expect(tracked.sort()).toEqual(whole.sort());
    const lines = pieces.filter(({ death }) => death === "after the journal" || death === "never");
    expect(repo.git("show", "HEAD:journal/log.md").split("\n")).toEqual([
      "begin",
      ...lines.map(({ n }) => `feature ${n}`),
    ]);

    // What was never ended was risky and is parked; what changed after its end is nobody's word and stays where it is.
    const parked = (await place.json(["parked"], { env })).json.parked as JsonObject[];
    const half = pieces.filter(({ death }) => /first file|second file/.test(death));
    expect(parked).toHaveLength(half.length);
    const edited = pieces.filter(({ death }) => death === "in an edit after the end");
    expect(repo.git("status", "--porcelain").split("\n").sort()).toEqual(
      edited.flatMap(({ n }) => [`?? src/f${n}.js`, `?? src/f${n}b.js`]).sort(),
    );
    const sessions = (await place.json(["sessions"], { env })).json.sessions as JsonObject[];
    const left = sessions.filter(({ unsettled }) => unsettled);
    expect(left).toHaveLength(edited.length);
    for (const { id } of left) {
      const { groups } = (await place.json(["inspect", id], { env })).json;
      expect(groups.map(({ verdict }: JsonObject) => verdict)).toEqual(["unknown"]);
    }
  });
});
