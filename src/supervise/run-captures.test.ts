import { expect, it } from "vitest";
import { capturing } from "../../test/support/capturing.ts";
import { DOOR_ENV } from "../../test/support/git-repository.ts";
import { RunCaptures } from "./run-captures.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function captures() {
  const stage = await capturing();
  const { repo, store, session } = stage;
  repo.write("a.txt", "one\n");
  repo.commit();
  const failures: string[] = [];
  const taken = new RunCaptures({
    store: store.raw,
    session,
    attempt: 1,
    workspace: stage.workspace,
    place: repo.root,
    env: DOOR_ENV,
    onFailure: (reason, error) => failures.push(`${reason}: ${error.message}`),
    everyMs: 10,
  });
  return { ...stage, taken, failures, reasons: () => taken.taken.map(({ reason }) => reason) };
}

it("captures on a timer when something changed, once per change, and not while nothing does", async () => {
  const { repo, taken, reasons, failures } = await captures();
  await taken.take("begin");
  const looking = taken.start();
  await pause(300);
  expect(reasons()).toEqual(["begin"]);
  repo.write("a.txt", "two\n");
  await expect.poll(reasons, { timeout: 30_000 }).toEqual(["begin", "timer"]);
  // A status of somebody else touches the index: nothing of the work changed.
  repo.git("status");
  await pause(300);
  repo.write("new.txt", "three\n");
  await expect.poll(reasons, { timeout: 30_000 }).toEqual(["begin", "timer", "timer"]);
  taken.stop();
  await looking;
  expect(failures).toEqual([]);
});

it("says what it could not capture and goes on: the next one is tried as if nothing had been", async () => {
  const { repo, taken, reasons, failures } = await captures();
  repo.git("config", "core.worktree", "/nonexistent");
  expect(await taken.take("begin")).toBeNull();
  expect(failures).toHaveLength(1);
  repo.git("--work-tree", repo.root, "config", "--unset", "core.worktree");
  expect(await taken.end()).not.toBeNull();
  expect(reasons()).toEqual(["end"]);
});

it("takes one capture for many ends of operations that come at once", async () => {
  const { taken, reasons } = await captures();
  await Promise.all(Array.from({ length: 20 }, () => taken.takeUnlessWaiting("operation-end")));
  expect(reasons().length).toBeLessThanOrEqual(2);
  expect(reasons().length).toBeGreaterThan(0);
});
