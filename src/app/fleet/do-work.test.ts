/** One session's fault is told and ends its slot, not the worker. */
import { expect, it } from "vitest";
import { describeOnBoth, openedHere } from "../../../test/support/both-stores.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { SessionId } from "../../model/ids.ts";
import { selfOwner } from "../../platform/identity.ts";
import { finishStopped } from "../../recover/stop-session.ts";
import { takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { doWork } from "./do-work.ts";
import type { WorkerNews, WorkerSetting } from "./worker-order.ts";

it("an error that is none of ours is told as trouble; the item is given back, and nothing is thrown", async () => {
  const told: WorkerNews[] = [];
  const released: unknown[] = [];
  const clock = { monotonicMs: () => 0, nowMs: () => 0 };
  const raw = {
    ...{ clock, lostAfterMs: 100_000, session: async () => null },
    release: async (session: string, attempt: number) => released.push([session, attempt]),
  };
  const setting = {
    ...{ at: { clock }, store: { raw }, order: {}, repositories: [], account: "a", owner: selfOwner("test") },
    face: { tell: (news: WorkerNews) => told.push(news), streams: () => ({}) },
    signals: { forSession: () => ({ tell: () => undefined, stop: () => undefined }) },
  } as unknown as WorkerSetting;
  const workspace = { repository: () => Promise.reject(new TypeError("undefined is no function")) };
  const repository = { id: "r", workspace, at: {} } as unknown as WorkerSetting["repositories"][number];
  const session = "one" as SessionId;
  expect(await doWork(setting, { kind: "item", session, attempt: 1, prompt: "p", repository })).toBeNull();
  expect(told).toEqual([{ kind: "trouble", error: expect.any(TypeError), session }]);
  expect(released).toEqual([["one", 1]]);
});

const freed = (raw: Store, session: SessionId, attempt: number): Promise<unknown> =>
  raw.release(session, attempt, [newRecord(raw.clock, "claim.released", { attempt })]);

/** An item whose worker died before its agent started. */
async function unbegunIn(raw: Store): Promise<SessionRow> {
  const session = "item" as SessionId;
  const began = { agent: "t", workspace: temporaryFolder(), goal: "p", name: null };
  const records = () => [newRecord(raw.clock, "session.began", began)];
  await takeClaim(raw, { session, owner: selfOwner("dead"), records });
  await freed(raw, session, 1);
  return (await raw.session(session)) as SessionRow;
}

async function begunByAnother(raw: Store, session: SessionId): Promise<void> {
  await takeClaim(raw, { session, owner: selfOwner("another"), records: () => [] });
  await freed(raw, session, 2);
}

describeOnBoth((make) => {
  it.each([
    ["stopped by order", finishStopped, "E_RESUME_FINISHED"],
    ["begun by another, and free again,", begunByAnother, "E_FENCED"],
  ])(
    "an item that was %s while it was taken up is not begun anew (K1, L4)",
    async (_how, meanwhile, code) => {
      const { raw } = await openedHere(make());
      const row = await unbegunIn(raw);
      const told: WorkerNews[] = [];
      const home = async (): Promise<string> => {
        await meanwhile(raw, row.id);
        return temporaryFolder();
      };
      const setting = {
        ...{
          at: { clock: raw.clock, env: {}, home },
          store: { raw },
          order: {},
          repositories: [],
          account: "a",
        },
        face: { tell: (news: WorkerNews) => told.push(news), streams: () => ({}) },
        signals: { forSession: () => ({ tell: () => undefined, stop: () => undefined }) },
      } as unknown as WorkerSetting;
      const workspace = { repository: () => Promise.reject(new TypeError("it is begun")) };
      const repository = { id: "r", workspace, at: {} } as unknown as WorkerSetting["repositories"][number];
      const reservation = { release: async () => undefined } as never;
      expect(
        await doWork(setting, { kind: "resumed", row, repository, reservation, isUnbegun: true }),
      ).toBeNull();
      const error = expect.objectContaining({ code });
      expect(told).toEqual([{ kind: "not-done", session: row.id, error }]);
      expect((await raw.session(row.id))?.claim).toMatchObject({ attempt: 2, owner: null });
    },
  );
});
