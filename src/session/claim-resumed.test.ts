/** Two machines that make a tree ready for one session: one goes on with it, and where it is is what that one says (K1, W8). */
import { expect, it } from "vitest";
import { describeOnBoth, openedHere } from "../../test/support/both-stores.ts";
import { readerLabel } from "../model/owner.ts";
import type { BodyOf } from "../model/record.ts";
import { RECOVERY_LABEL } from "../model/recovery-label.ts";
import { hostId, selfOwner } from "../platform/identity.ts";
import { finishStopped } from "../recover/stop-session.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { workspaceIn } from "../store/contract/session-facts.ts";
import type { Store } from "../store/store.ts";
import { claimResumed } from "./claim-resumed.ts";
import { breakClaim, takeClaim } from "./claims.ts";
import { newRecord } from "./new-record.ts";

const WHY = "its work was put back here";
const ELSEWHERE = "another-machine";

/** A session that was cut off and fenced off, at its place here. */
async function readyIn(store: Store, id: string): Promise<SessionRow> {
  const session = id as SessionRow["id"];
  const owner = selfOwner("dead");
  const began = { agent: "t", workspace: "/there", goal: null, name: null };
  await takeClaim(store, { session, owner, records: () => [newRecord(store.clock, "session.began", began)] });
  await store.release(session, 1, [newRecord(store.clock, "claim.released", { attempt: 1 })]);
  await moved(store, session, { from: "/there", to: "/here", reason: WHY, host: hostId() });
  return (await store.session(session)) as SessionRow;
}

const moved = (store: Store, session: SessionRow["id"], body: BodyOf<"session.moved">): Promise<unknown> =>
  store.append(session, "anyone", [newRecord(store.clock, "session.moved", body)]);

/** The store, whose first claim somebody else comes before. */
function justBeforeTake(raw: Store, comes: () => Promise<unknown>): Store {
  let isFirst = true;
  return new Proxy(raw, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const call = value.bind(target);
      if (name !== "take" || !isFirst) return call;
      isFirst = false;
      return async (...given: unknown[]) => {
        await comes();
        return call(...given);
      };
    },
  });
}

describeOnBoth((make) => {
  it("what nobody touched since is claimed, and nothing more is said of where it is", async () => {
    const { raw } = await openedHere(make());
    const ready = await readyIn(raw, "s");
    expect(await claimResumed(raw, ready, { owner: selfOwner("here"), why: WHY })).toBe(2);
    const now = (await raw.session(ready.id)) as SessionRow;
    expect([now.head, workspaceIn(now)]).toEqual([ready.head + 1, "/here"]);
  });

  it.each([
    ["at another path", "/elsewhere"],
    ["at the same path, as containers have it", "/here"],
  ])(
    "where another machine said meanwhile that it is there, %s, whoever gets the claim says where it is",
    async (_where, to) => {
      const { raw } = await openedHere(make());
      const ready = await readyIn(raw, "s");
      await moved(raw, ready.id, { from: "/here", to, reason: WHY, host: ELSEWHERE });
      expect((await raw.session(ready.id))?.facts).toMatchObject({ workspace: to, host: ELSEWHERE });
      await claimResumed(raw, ready, { owner: selfOwner("here"), why: WHY });
      expect((await raw.session(ready.id))?.facts).toMatchObject({ workspace: "/here", host: hostId() });
    },
  );

  it("who says that it is elsewhere between the look and the claim is not left with the last word", async () => {
    const { raw } = await openedHere(make());
    const ready = await readyIn(raw, "s");
    const between = justBeforeTake(raw, () =>
      moved(raw, ready.id, { from: "/here", to: "/elsewhere", reason: WHY, host: ELSEWHERE }),
    );
    expect(await claimResumed(between, ready, { owner: selfOwner("here"), why: WHY })).toBe(2);
    expect((await raw.session(ready.id))?.facts).toMatchObject({ workspace: "/here", host: hostId() });
  });

  it.each([
    ["before the look", (raw: Store) => raw],
    [
      "between the look and the claim",
      (raw: Store, ended: () => Promise<unknown>) => justBeforeTake(raw, ended),
    ],
  ])("what was ended or suspended by order since, %s, is not started again (L4)", async (_when, through) => {
    const { raw } = await openedHere(make());
    const suspend = (row: SessionRow) =>
      raw.append(row.id, "anyone", [newRecord(raw.clock, "session.suspended", { reason: "by order" })]);
    for (const [id, ends, code] of [
      ["stopped", (row: SessionRow) => finishStopped(raw, row.id), "E_RESUME_FINISHED"],
      ["suspended", suspend, "E_RESUME_SUSPENDED"],
    ] as const) {
      const ready = await readyIn(raw, id);
      const store = through(raw, () => ends(ready));
      if (store === raw) await ends(ready);
      const claiming = claimResumed(store, ready, { owner: selfOwner("here"), why: WHY });
      await expect(claiming).rejects.toMatchObject({ code });
      const after = (await raw.session(ready.id)) as SessionRow;
      expect(after.claim.owner).toBeNull();
      // By its name it is gone on with: then its end was seen.
      const seen = { owner: selfOwner("here"), why: WHY, looked: after };
      if (id === "stopped") expect(await claimResumed(raw, ready, seen)).toBe(3);
    }
  });

  it.each([
    [
      "a claim broken by order",
      (raw: Store, id: SessionRow["id"]) => breakClaim(raw, id, selfOwner("claim break"), "x"),
    ],
    [
      "what was read here of its dead agent",
      async (raw: Store, id: SessionRow["id"]) => {
        await takeClaim(raw, { session: id, owner: selfOwner(readerLabel("t")), records: () => [] });
        await raw.release(id, 2, [newRecord(raw.clock, "claim.released", { attempt: 2 })]);
      },
    ],
  ])("%s did nothing in a tree: it is gone on with", async (_what, does) => {
    const { raw } = await openedHere(make());
    const ready = await readyIn(raw, "s");
    await does(raw, ready.id);
    expect(await claimResumed(raw, ready, { owner: selfOwner("here"), why: WHY })).toBe(3);
  });

  it("what was read on another machine of an agent may be work in another tree: it is refused (K1)", async () => {
    const { raw } = await openedHere(make());
    const ready = await readyIn(raw, "s");
    const owner = { ...selfOwner(readerLabel("t")), host: ELSEWHERE };
    await takeClaim(raw, { session: ready.id, owner, records: () => [] });
    await raw.release(ready.id, 2, [newRecord(raw.clock, "claim.released", { attempt: 2 })]);
    await expect(claimResumed(raw, ready, { owner: selfOwner("here"), why: WHY })).rejects.toMatchObject({
      code: "E_FENCED",
    });
  });

  it("what was only recovered once more since is gone on with: a recovery does nothing in a tree", async () => {
    const { raw } = await openedHere(make());
    const ready = await readyIn(raw, "s");
    await takeClaim(raw, { session: ready.id, owner: selfOwner(RECOVERY_LABEL), records: () => [] });
    await raw.release(ready.id, 2, [newRecord(raw.clock, "claim.released", { attempt: 2 })]);
    expect(await claimResumed(raw, ready, { owner: selfOwner("here"), why: WHY })).toBe(3);
  });

  it("what another machine has done with it since is not in this tree: it is refused, and nothing is written (K1)", async () => {
    const { raw } = await openedHere(make());
    const ready = await readyIn(raw, "s");
    await takeClaim(raw, { session: ready.id, owner: selfOwner("there"), records: () => [] });
    await raw.release(ready.id, 2, [newRecord(raw.clock, "claim.released", { attempt: 2 })]);
    const before = await raw.session(ready.id);
    await expect(claimResumed(raw, ready, { owner: selfOwner("here"), why: WHY })).rejects.toMatchObject({
      code: "E_FENCED",
    });
    expect((await raw.session(ready.id))?.head).toBe(before?.head);
  });
});
