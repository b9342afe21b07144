/** What became of a file after it was judged and shown is nobody's to take: while a check runs, and while somebody is asked (W5). */
import { expect, it } from "vitest";
import { openWorkspace } from "../../src/library/workspace.ts";
import { makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";

it.each(["park", "discard"] as const)(
  "W5: %s leaves a file that was changed while its plan was shown, as a conflict, and takes the others",
  async (act) => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    for (const name of ["a.txt", "b.txt"]) repo.write(name, "one\n");
    repo.commit("base");
    const edit = (name: string) => () => repo.write(name, "of the session\n");
    await leftSession(place, repo, { edits: { "a.txt": edit("a.txt"), "b.txt": edit("b.txt") } });
    const workspace = await openWorkspace(place.workspace, {
      env: { PATH: process.env.PATH, HOME: place.home, REFLOAT_HOME: place.home, ...ANN },
    });
    try {
      const ask = (): boolean => {
        repo.write("a.txt", "mended by hand\n");
        return true;
      };
      const receipt = await workspace[act]({ ask });
      expect(receipt.conflicts).toMatchObject([{ path: "a.txt" }]);
      expect(repo.read("a.txt")).toBe("mended by hand\n");
      expect(repo.read("b.txt")).toBe("one\n");
    } finally {
      await workspace.close();
    }
  },
);

it("T1: park does not call parked what somebody else took away while its plan was shown", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.txt", "one\n");
  repo.commit("base");
  await leftSession(place, repo, {
    edits: { "a.txt": () => repo.write("a.txt", "of the session\n") },
  });
  const workspace = await openWorkspace(place.workspace, {
    env: { PATH: process.env.PATH, HOME: place.home, REFLOAT_HOME: place.home, ...ANN },
  });
  try {
    const receipt = await workspace.park({
      ask: () => {
        repo.git("checkout", "-q", "a.txt");
        return true;
      },
    });
    expect(receipt.conflicts).toMatchObject([{ path: "a.txt" }]);
    expect((await place.json(["parked"])).json.parked).toEqual([]);
  } finally {
    await workspace.close();
  }
});
