/** A start that looked at a session just before another start took it: it waits, and settles nothing a second time. */
import { expect, test } from "vitest";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { recoverOne } from "../../src/recover/recover-one.ts";
import { closeSession, giveBack, RecoveryOvertaken } from "../../src/recover/recover-session.ts";
import { surveySession } from "../../src/recover/survey-session.ts";
import type { SessionRow } from "../../src/store/contract/driver.ts";
import { openWorkspace } from "../../src/workspace/opening/workspace.ts";
import { cutOffSession } from "../support/cli.ts";
import { DOOR_ENV } from "../support/git-repository.ts";
import { wreckPlace } from "./supervised.ts";

const ID = "overtaken" as SessionId;
/** Several looks of a start that waits for another. */
const SOME_LOOKS_MS = 400;

async function rowOf(store: RefloatStore): Promise<SessionRow> {
  const row = await store.raw.session(ID);
  if (!row) throw new Error("the session is gone");
  return row;
}

async function recoveredIn(store: RefloatStore): Promise<number> {
  return (await store.raw.records({ session: ID, kinds: ["recovered"] })).length;
}

test("K1: a start whose list is older than another's recovery does not go on while that one is at it, although nothing is open any more", async () => {
  const { place } = wreckPlace();
  await cutOffSession(place, { id: ID });
  await place.withStore(async (store) => {
    const workspace = openWorkspace(place.workspace, { env: DOOR_ENV });
    const options = { env: DOOR_ENV, home: place.home };
    const old = await rowOf(store);
    const surveyed = await surveySession(store.raw, old);
    const { attempt } = await closeSession(store.raw, surveyed, { home: place.home, owesEndCapture: false });

    let isThrough = false;
    const waiting = recoverOne(store.raw, workspace, old, options).finally(() => {
      isThrough = true;
    });
    await store.raw.clock.sleep(SOME_LOOKS_MS);
    expect(isThrough, "the other is not done").toBe(false);
    await giveBack(store.raw, ID, attempt);
    expect(await waiting).toBeNull();
    expect(await recoveredIn(store)).toBe(1);
  });
});

test("K1, C4: what a start found before another recovered the session is not settled by it: nothing is written, counted or called recovered again", async () => {
  const { place } = wreckPlace();
  await cutOffSession(place, { id: ID });
  await place.withStore(async (store) => {
    const workspace = openWorkspace(place.workspace, { env: DOOR_ENV });
    const options = { env: DOOR_ENV, home: place.home };
    const old = await surveySession(store.raw, await rowOf(store));
    expect(await recoverOne(store.raw, workspace, old.row, options)).toMatchObject({ kind: "recovered" });
    const { head } = await rowOf(store);

    const late = closeSession(store.raw, old, { home: place.home, owesEndCapture: true });
    await expect(late).rejects.toBeInstanceOf(RecoveryOvertaken);
    expect(await recoverOne(store.raw, workspace, old.row, options)).toBeNull();
    expect((await rowOf(store)).head).toBe(head);
    expect(await recoveredIn(store)).toBe(1);
  });
});
