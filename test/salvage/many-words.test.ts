/** The user's own word counts however much was said since: more than one page of a journal's records (T2). */
import { describe, expect, it } from "vitest";
import { actsSessionOf } from "../../src/acts/plans/acts-session.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { READ_PAGE_ROWS } from "../../src/model/limits.ts";
import type { NewRecord } from "../../src/model/record.ts";
import { standingRemovals } from "../../src/salvage/worktrees/recreate-worktree.ts";
import { newRecord } from "../../src/session/new-record.ts";
import type { Store } from "../../src/store/store.ts";
import { openWorkspace } from "../../src/workspace/opening/workspace.ts";
import { ensureSession } from "../../src/workspace/sessions/capture-session.ts";
import { openOperation } from "../../src/workspace/sessions/operations.ts";
import { makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";

const MANY = READ_PAGE_ROWS + 20;

async function scene(how: { isTurnOpen?: boolean } = {}): Promise<{
  place: Place;
  repo: TestRepository;
  json: (...args: string[]) => ReturnType<Place["json"]>;
}> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.md", "A note.\n");
  repo.commit("base");
  await leftSession(place, repo, { ...how, edits: { "a.md": () => repo.write("a.md", "A note.\nMore.\n") } });
  return { place, repo, json: (...args) => place.json(args, { env: ANN }) };
}

function addMany(
  place: Place,
  session: SessionId,
  make: (store: Store, n: number) => NewRecord,
): Promise<unknown> {
  return place.withStore(({ raw }) =>
    raw.append(
      session,
      "anyone",
      Array.from({ length: MANY }, (_, n) => make(raw, n)),
    ),
  );
}

const another = [{ path: "another.md", state: "none" }];

describe("a page of records later", () => {
  it("a group the user judged risky is risky still", async () => {
    const { place, repo, json } = await scene();
    const [group] = (await json("inspect")).json.groups;
    expect(await json("judge", group.id, "risky", "--reason", "I read it")).toMatchObject({ code: 0 });
    const said = { group: "g", verdict: "safe", reason: "fine", by: "ann", paths: another } as const;
    await addMany(place, actsSessionOf({ root: repo.root }), ({ clock }) =>
      newRecord(clock, "verdict.given", said),
    );
    const [again] = (await json("inspect")).json.groups;
    expect(again).toMatchObject({ id: group.id, verdict: "risky", reasons: [{ rule: "override" }, {}] });
  });

  it("of two words on the same bytes the newer one counts", async () => {
    const { place, repo, json } = await scene();
    const [group] = (await json("inspect")).json.groups;
    const judge = (verdict: string) => json("judge", group.id, verdict, "--reason", "I read it");
    await judge("risky");
    const said = { group: "g", verdict: "safe", reason: "fine", by: "ann", paths: another } as const;
    await addMany(place, actsSessionOf({ root: repo.root }), ({ clock }) =>
      newRecord(clock, "verdict.given", said),
    );
    await judge("unknown");
    expect((await json("inspect")).json.groups).toMatchObject([{ verdict: "unknown" }]);
  });

  it.each([
    ["died in a turn", true],
    ["died between two turns, and nobody recorded it yet", false],
  ])(
    "a group that was left on purpose is settled still, of a session that %s (DESIGN 15)",
    async (_, isTurnOpen) => {
      const { place, json } = await scene({ isTurnOpen });
      const [group] = (await json("inspect")).json.groups;
      const unsettled = async () => (await json("sessions")).json.sessions[0].unsettled;
      expect(await json("settle", "--group", group.id, "--policy", "leave", "--yes")).toMatchObject({
        code: 0,
      });
      expect(await unsettled()).toBe(false);
      const left = { group: "g", by: "ann", paths: another };
      await addMany(place, "left-session" as SessionId, ({ clock }) => newRecord(clock, "group.left", left));
      expect(await unsettled()).toBe(false);
    },
  );

  it("an operation begun before them is still the one that `op end` means (S3)", async () => {
    const place = makePlace();
    const found = await place.withStore(async (store) => {
      const session = await store.begin({ id: "long", agent: "tester", workspace: place.workspace });
      await session.operation("first");
      await Promise.all(Array.from({ length: MANY }, (_, n) => session.operation(`later ${n}`)));
      return openOperation(store.raw, session.id as SessionId, "first");
    });
    expect(found).toMatchObject({ label: "first", state: "open" });
  });

  it("a removal of a work tree that nobody took back stands still, the newest first", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.commit("base");
    const workspace = openWorkspace(repo.root, { env: {} });
    if (workspace.kind === "folder") throw new Error("it is a repository");
    const session = actsSessionOf(workspace);
    const fields = { branch: null, head: null, files: 0, kept: [] };
    const removing = ({ clock }: Store, removal: string): NewRecord =>
      newRecord(clock, "worktree.removing", { removal, path: `/gone/${removal}`, ...fields });
    const standing = () => place.withStore(({ raw }) => standingRemovals(raw, workspace));
    await place.withStore(async ({ raw }) => {
      await ensureSession(raw, session, { agent: "refloat", workspace: "", goal: null, name: "acts" });
      await raw.append(session, "anyone", [removing(raw, "first"), removing(raw, "back")]);
    });
    await addMany(place, session, (raw, n) => removing(raw, `later-${n}`));
    await addMany(place, session, ({ clock }, n) =>
      newRecord(clock, "worktree.recreated", { removal: n === 0 ? "back" : `later-${n}` }),
    );
    expect((await standing()).map(({ removal }) => removal)).toEqual(["later-0", "first"]);
  });
});
