/** A session that somebody went on with, between the look at it and the bringing of its work: it is his, and stays where he has it (K1, W8). */
import { expect, it } from "vitest";
import { describeOnBoth, openedHere } from "../../../test/support/both-stores.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { selfOwner } from "../../platform/identity.ts";
import { takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { movedHere, travel } from "./travel.ts";

/** As it was found, and as it is: cut off and free then, live now. */
async function goneOn({ raw }: RefloatStore): Promise<{ found: SessionRow; now: SessionRow }> {
  const session = "s" as SessionRow["id"];
  const began = { agent: "t", workspace: "/there", goal: null, name: null };
  const records = () => [newRecord(raw.clock, "session.began", began)];
  await takeClaim(raw, { session, owner: selfOwner("dead"), records });
  await raw.release(session, 1, [newRecord(raw.clock, "claim.released", { attempt: 1 })]);
  const found = (await raw.session(session)) as SessionRow;
  await takeClaim(raw, { session, owner: selfOwner("another"), records: () => [] });
  return { found, now: (await raw.session(session)) as SessionRow };
}

describeOnBoth((make) => {
  it("one that is live by then is not brought here, and nothing says that it is", async () => {
    const store = await openedHere(make());
    const { found, now } = await goneOn(store);
    const at = { env: {}, home: async () => temporaryFolder() } as unknown as AppPlace;
    const plan = { kind: "clone", url: "/no/such/clone", path: temporaryFolder() } as const;
    await expect(travel(at, store, found, plan, { tell: () => undefined })).rejects.toMatchObject({
      code: "E_HELD",
    });
    expect((await store.raw.session(found.id))?.head).toBe(now.head);
  });

  it("where it is can be said only of what nobody took since, also under the same attempt", async () => {
    const store = await openedHere(make());
    const { found, now } = await goneOn(store);
    const body = { from: "/there", to: "/here", reason: "x" };
    const free = { ...now, claim: { ...now.claim, owner: null } };
    for (const fenced of [found, free])
      await expect(movedHere(store.raw, fenced, body)).rejects.toMatchObject({ code: "E_FENCED" });
    expect((await store.raw.session(found.id))?.head).toBe(now.head);
  });
});
