/** Scenario 6 of the peers' losses, with the program itself: killed in the middle of its own work, found by the next start. */
import { describe, expect, it } from "vitest";
import { acted } from "../support/acted.ts";
import { slotsIn, treeOf } from "../support/acting.ts";
import { ended } from "../support/cli.ts";

const FILES = 30;

describe("a restore that was killed", () => {
  it("is shown by commands that read, ended by the next one that may write, and nothing of it is lost (S5, S6)", async () => {
    const { place, repo, run, capture } = acted();
    for (let i = 0; i < FILES; i++) repo.write(`src/f${i}`, `${i}\n`);
    repo.commit();
    const id = await capture();
    for (let i = 0; i < FILES; i++) repo.write(`src/f${i}`, `edited ${i}\n`);
    const edited = treeOf(repo.root);
    const env = { REFLOAT_CRASH_AT: "act.swapped" };
    const killed = await ended(place.start(["restore", id, "--yes"], { env }));
    expect(killed.signal).toBe("SIGKILL");
    // The user's git works at once, and every byte is in the tree or in the store.
    expect(() => repo.git("status", "--porcelain")).not.toThrow();
    expect((await run("prove")).json).toMatchObject({ whole: true });
    const half = treeOf(repo.root);
    const reading = [["undo", "--dry-run"], ["capture"], ["captures"], ["diff"], ["inspect"], ["parked"]];
    for (const args of reading) {
      const shown = await place.refloat(args);
      expect([args, shown.stderr]).toEqual([
        args,
        expect.stringMatching(
          /1 plan of an earlier command is open: \w+ \(restore\).*`refloat doctor --fix` ends it/,
        ),
      ]);
    }
    const [{ id: plan }] = (await run("capture")).json.open_plans;
    expect(
      (await run("capture", "--dry-run")).json.open_plans,
      "a capture says what it may be in the middle of (T1)",
    ).toEqual([{ id: plan, act: "restore" }]);
    expect(treeOf(repo.root)).toEqual(half);
    const next = await place.refloat(["restore", id, "--yes"]);
    expect([next.code, next.stderr]).toEqual([0, expect.stringMatching(/was cut off; it was finished/)]);
    for (let i = 0; i < FILES; i++) expect(repo.read(`src/f${i}`)).toBe(`${i}\n`);
    expect(slotsIn(repo.root)).toEqual([]);
    expect(repo.git("status", "--porcelain")).toBe("");
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(treeOf(repo.root)).toEqual(edited);
  });

  it("is ended by run before its agent starts: the agent never sees the half-changed tree (S5)", async () => {
    const { place, repo, capture } = acted();
    for (let i = 0; i < FILES; i++) repo.write(`src/f${i}`, `${i}\n`);
    repo.commit();
    const id = await capture();
    for (let i = 0; i < FILES; i++) repo.write(`src/f${i}`, `edited ${i}\n`);
    const env = { REFLOAT_CRASH_AT: "act.swapped#7" };
    expect((await ended(place.start(["restore", id, "--yes"], { env }))).signal).toBe("SIGKILL");
    const ran = await place.refloat([
      "run",
      "--",
      "sh",
      "-c",
      "git status --porcelain; ls -A src | grep -v '^f'",
    ]);
    expect([ran.stdout, ran.stderr]).toEqual(["", expect.stringMatching(/was cut off; it was finished/)]);
  });
});
