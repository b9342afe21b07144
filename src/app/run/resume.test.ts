/** What others do with a session while its tree is made ready, in its own tree as in one it is brought to, is not in that tree (K1). */
import { mkdirSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { describeOnBoth, openedHere } from "../../../test/support/both-stores.ts";
import { deadOwner } from "../../../test/support/cli.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { systemClock } from "../../platform/clock.ts";
import { selfOwner } from "../../platform/identity.ts";
import { breakClaim, takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { type ResumeFace, resume } from "./resume.ts";

const streams = () => {
  const [stdin, stdout, stderr] = [new PassThrough().end(), new PassThrough(), new PassThrough()];
  for (const out of [stdout, stderr]) out.resume();
  return { stdin, stdout, stderr };
};

interface Scene {
  readonly store: RefloatStore;
  readonly row: SessionRow;
  /** Goes on with it; `meanwhile`: once its tree is ready, before it is recovered. */
  resumed(meanwhile: () => Promise<unknown>): Promise<unknown>;
}

async function cutOff(store: RefloatStore): Promise<Scene> {
  const workspace = temporaryFolder();
  const session = await store.begin({ agent: "t", workspace, owner: deadOwner(), captures: "off" });
  await session.turn("go");
  const row = (await store.raw.session(session.id as SessionRow["id"])) as SessionRow;
  return { store, row, resumed: (meanwhile) => resumedIn(workspace, { store, row }, meanwhile) };
}

function resumedIn(
  workspace: string,
  { store, row }: Pick<Scene, "store" | "row">,
  meanwhile: () => Promise<unknown>,
): Promise<unknown> {
  const home = temporaryFolder();
  mkdirSync(home, { recursive: true });
  let isFirst = true;
  const door = async () => store;
  const at = {
    ...{ place: () => workspace, env: { HOME: home, PATH: process.env.PATH }, clock: systemClock },
    ...{ storeAddress: async () => home, findStore: door, openStore: door, openOrMakeStore: door },
    home: async () => {
      if (isFirst) await meanwhile();
      isFirst = false;
      return home;
    },
  } as unknown as AppPlace;
  const order = {
    ...{ named: row.id, isAll: false, isRecreated: false, agent: "true", acceptsOlder: false, store: null },
    travel: { to: null, from: null },
  };
  const nothing = (): undefined => undefined;
  const face = {
    run: { streams: streams(), isUnattended: true, hold: nothing, release: nothing, tell: nothing },
    ...{ mayAct: true, ask: async () => true, putBack: async () => undefined },
  } as unknown as ResumeFace;
  const heard = { early: null, listen: nothing, stop: nothing };
  return resume(at, store, row, order, face, () => heard);
}

describeOnBoth((make) => {
  it("that another has worked in it, and ended, is a fence", async () => {
    const { store, row, resumed } = await cutOff(await openedHere(make()));
    const another = async (): Promise<void> => {
      const owner = selfOwner("another");
      const { attempt } = await takeClaim(store.raw, { session: row.id, owner, records: () => [] });
      await store.raw.release(row.id, attempt, [newRecord(store.raw.clock, "claim.released", { attempt })]);
    };
    await expect(resumed(another)).rejects.toMatchObject({ code: "E_FENCED" });
    expect((await store.raw.session(row.id))?.claim.owner).toBeNull();
  });

  it("that its claim was broken, and nobody worked in it, is none: its agent is started", async () => {
    const { store, row, resumed } = await cutOff(await openedHere(make()));
    const broken = () => breakClaim(store.raw, row.id, selfOwner("claim break"), "by order");
    expect(await resumed(broken)).toMatchObject({ kind: "ran", exitCode: 0 });
    expect(await store.raw.records({ session: row.id, kinds: ["agent.started"] })).toHaveLength(1);
  });
});
