/**
 * `# BEGIN:` and `# END:` in what an agent prints are read while it goes on: an END says that an operation is over, and not
 * which bytes were there by then (DESIGN 8, T2). `refloat op end` is waited for, and its capture is a witness.
 */
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

const LONG = { timeout: 240_000 };
const REFLOAT = `'${process.execPath}' '${BIN}'`;
const OP = `${REFLOAT} op`;
const WHOLE = "printf 'export const a = 2;\\n' > a.js";
/** The first of two places. */
const HALF = "printf 'export const one = 2;\\nexport const two = 1;\\n' > b.js";

interface Stage {
  readonly place: Place;
  readonly repo: TestRepository;
  groups(): Promise<JsonObject[]>;
}

async function killedAfter(...steps: readonly string[]): Promise<Stage> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.js", "export const a = 1;\n");
  repo.write("b.js", "export const one = 1;\nexport const two = 1;\n");
  repo.write("journal/today.md", "A day.\n");
  repo.commit("base");
  const ran = await place.refloat(["run", "--", "/bin/sh", "-c", [...steps, "kill -9 $$"].join("\n")]);
  expect(ran.code).toBe(137);
  return { place, repo, groups: async () => (await place.json(["inspect"])).json.groups };
}

const pathsIn = (groups: readonly JsonObject[], verdict: string): string[] =>
  groups
    .filter((group) => group.verdict === verdict)
    .flatMap(({ changes }) => changes.map(({ path }: JsonObject) => path))
    .sort();

/** `settle` by its default policy, and what it has committed. */
async function committedBy({ place, repo }: Stage): Promise<string[]> {
  const before = repo.git("rev-parse", "HEAD");
  await place.refloat(["settle", "--yes"], { env: ANN });
  return repo.git("diff", "--name-only", before, "HEAD").split("\n").filter(Boolean);
}

describe("an END that an agent printed", LONG, () => {
  it.each([0, 0.05, 0.1, 0.2, 1])(
    "T2: does not close a half edit that came after it under the next BEGIN, %s s later: nothing is backdated",
    async (pause) => {
      const two = [`sleep ${pause}`, "echo '# BEGIN: two'", HALF];
      const stage = await killedAfter("echo '# BEGIN: one'", WHOLE, "echo '# END: one'", ...two);
      const groups = await stage.groups();
      expect(pathsIn(groups, "safe")).toEqual([]);
      expect(pathsIn(groups, "risky")).toContain("b.js");
      expect(await committedBy(stage)).toEqual([]);
    },
  );

  it.each([0, 0.1])(
    "T2: does not close an edit that came after it outside of any operation, %s s later, nor the one before it: which is which no capture shows",
    async (pause) => {
      const steps = ["echo '# BEGIN: one'", WHOLE, "echo '# END: one'", `sleep ${pause}`, HALF];
      const stage = await killedAfter(...steps);
      const groups = await stage.groups();
      expect(pathsIn(groups, "safe")).toEqual([]);
      const one = groups.find(({ changes }) => changes.some(({ path }: JsonObject) => path === "a.js"));
      expect(one?.verdict).toBe("unknown");
      expect(JSON.stringify(one?.reasons)).toMatch(
        /END of \\"one\\" was only read in what the agent printed/,
      );
      expect(await committedBy(stage)).toEqual([]);
    },
  );

  it("T2: that a buffer held back does not close what was captured before it came through", async () => {
    // As it looks from outside when END is said before the half edit and flushed after it.
    const late = ["echo '# BEGIN: one'", WHOLE, HALF, `${REFLOAT} capture`, "echo '# END: one'"];
    const groups = await (await killedAfter(...late)).groups();
    expect(pathsIn(groups, "safe")).toEqual([]);
  });

  it("T2: in a file that only grows closes nothing either", async () => {
    const say = (line: string): string => `echo '${line}' >> journal/today.md`;
    const steps = [say("# BEGIN: one"), WHOLE, say("# END: one"), HALF];
    const stage = await killedAfter(...steps);
    expect(pathsIn(await stage.groups(), "safe")).toEqual(["journal/today.md"]);
    expect(await committedBy(stage)).toEqual(["journal/today.md"]);
  });
});

describe("`op end`, for which the agent waits", LONG, () => {
  it("vouches for what its capture has, and not for what came after it", async () => {
    const stage = await killedAfter(`${OP} begin one`, WHOLE, `${OP} end`, HALF);
    const groups = await stage.groups();
    expect(pathsIn(groups, "safe")).toEqual(["a.js"]);
    expect(pathsIn(groups, "safe")).not.toContain("b.js");
    expect(await committedBy(stage)).toEqual(["a.js"]);
  });

  it("T2: does not vouch for a half edit from before its `op begin`: that is captured, too", async () => {
    const stage = await killedAfter(HALF, `${OP} begin one`, WHOLE, `${OP} end`);
    const groups = await stage.groups();
    expect(pathsIn(groups, "safe")).toEqual(["a.js"]);
    expect(pathsIn(groups, "unknown")).toEqual(["b.js"]);
    expect(await committedBy(stage)).toEqual(["a.js"]);
  });

  it("is not taken away by markers that the agent prints beside it", async () => {
    const both = ["echo '# BEGIN: one'", `${OP} begin one`, WHOLE, `${OP} end`, "echo '# END: one'"];
    expect(pathsIn(await (await killedAfter(...both)).groups(), "safe")).toEqual(["a.js"]);
  });
});
