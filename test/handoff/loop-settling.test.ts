/** A loop settles as `settle --yes` does: by the same use case, with everything that comes before it and is said of it. */
import { describe, expect, it } from "vitest";
import { BIN, makePlace, type Ran } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

/** One session that adds a line and dies; what `meanwhile` does comes after its end and before its work is settled. */
async function loopWith(meanwhile: string): Promise<{ readonly ran: Ran; readonly repo: TestRepository }> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("journal/day.md", "# Day\n");
  repo.commit("journal");
  const notify = `grep -q '"event":"interrupted"' && { ${meanwhile}; }`;
  const flags = ["--max", "1", "--settle", "default", "--suspend-after", "never", "--notify", notify];
  const work = 'echo "- session" >> journal/day.md; kill -9 $$';
  const env = { ...ANN, NODE: process.execPath, BIN };
  return { ran: await place.refloat(["loop", ...flags, "--", "sh", "-c", work], { env }), repo };
}

describe("what a loop's session left", { timeout: 5 * 60_000 }, () => {
  it("and somebody changed after its end is named as a conflict and left, never passed over in silence nor committed (W5, T1)", async () => {
    const { ran, repo } = await loopWith("echo mine >> journal/day.md");
    expect(ran.stderr).toContain(
      "left whole, in conflict: journal/day.md: it was changed after the session's end",
    );
    expect(ran.stderr).not.toContain("committed as");
    expect(repo.git("log", "--format=%s")).toBe("journal");
    expect(repo.read("journal/day.md")).toBe("# Day\n- session\nmine\n");
  });

  it("is judged after a plan that a killed command left open was ended and named, never in the middle of it (S5)", async () => {
    const { ran, repo } = await loopWith(
      'REFLOAT_CRASH_AT=act.after-plan "$NODE" "$BIN" park --all --yes >/dev/null 2>&1',
    );
    expect(ran.stderr).toMatch(/The plan \S+ \(park\) of an earlier command was cut off; it was finished\./);
    expect(ran.stderr).not.toContain("committed as");
    expect(repo.git("log", "--format=%s")).toBe("journal");
    expect(repo.read("journal/day.md")).toBe("# Day\n");
  });
});
