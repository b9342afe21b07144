/** Work that waits: added once, taken once, in order, by whichever clone of the repository (docs/fleet.md; D1, D3, K1). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { queuesOf } from "../../src/fleet/queue-place.ts";
import { takeItem } from "../../src/fleet/take-item.ts";
import { endIfOver, tendQueues } from "../../src/fleet/tend-queue.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { checkStore } from "../../src/store/check.ts";
import type { Store } from "../../src/store/store.ts";
import { markImported, unresumedImports } from "../../src/workspace/sessions/imports.ts";
import { describeOnBoth, type FreshStore, openedHere } from "../support/both-stores.ts";
import { type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface QueuePlace {
  readonly raw: Store;
  readonly root: string;
  json(...args: string[]): Promise<JsonObject>;
  add(prompt: string, ...flags: string[]): Promise<string>;
  listed(...flags: string[]): Promise<[state: string, prompt: string][]>;
  take(): Promise<string | null>;
  /** As the session's supervisor ends it. */
  end(item: string, outcome?: "completed" | "failed"): Promise<void>;
}

async function queueIn(fresh: FreshStore): Promise<QueuePlace> {
  const repository = testRepository(temporaryFolder());
  repository.write("a.txt", "one\n");
  repository.commit("first");
  const { raw } = await openedHere(fresh);
  const place = makePlace();
  const env = {
    REFLOAT_STORE: fresh.url,
    ...(fresh.open.schema === undefined ? {} : { REFLOAT_SCHEMA: fresh.open.schema }),
  };
  const json = async (...args: string[]) => (await place.json(args, { cwd: repository.root, env })).json;
  return {
    raw,
    root: repository.root,
    json,
    add: async (prompt, ...flags) => (await json("queue", "add", prompt, ...flags)).item,
    listed: async (...flags) =>
      (await json("queue", "list", ...flags)).items.map((one: JsonObject) => [one.state, one.prompt]),
    take: async () => {
      const queues = await queuesOf(raw, null);
      const begun = { agent: "t", workspace: "/w", name: null };
      const taken = await takeItem(raw, queues, selfOwner("test"), () => begun);
      return taken?.item.prompt ?? null;
    },
    end: async (item, outcome = "completed") => {
      const session = item as SessionId;
      const by = { attempt: 1 };
      const { clock } = raw;
      await raw.append(session, by, [
        newRecord(clock, "turn.began", { turn: "t", parts: null, input: null }),
        newRecord(clock, "turn.ended", { turn: "t", outcome, reason: null }),
      ]);
      await raw.release(session, 1, [
        newRecord(clock, "session.finished", { cause: "clean" }),
        newRecord(clock, "claim.released", { attempt: 1 }),
      ]);
    },
  };
}

describeOnBoth((make) => {
  it("is taken by priority and then as it was added, each once; another clone of the repository has the same queue, another repository not (D3, K1)", async () => {
    const { json, add, listed, take, raw, root } = await queueIn(make());
    for (const prompt of ["one", "two"]) await add(prompt);
    await add("urgent", "--priority", "9");
    await add("some day", "--priority", "0");
    expect(await listed()).toEqual([
      ["waiting", "urgent"],
      ["waiting", "one"],
      ["waiting", "two"],
      ["waiting", "some day"],
    ]);
    const clone = join(temporaryFolder(), "elsewhere");
    const there = testRepository(temporaryFolder());
    there.git("clone", "-q", root, clone);
    await add("three, from another clone", "--repo", clone);
    const other = testRepository(temporaryFolder());
    other.write("b.txt", "two\n");
    other.commit("another beginning");
    await add("elsewhere", "--repo", other.root);
    expect((await listed("--repo", other.root)).length).toBe(1);
    const took = [await take(), await take(), await take()];
    expect(took).toEqual(["urgent", expect.any(String), expect.any(String)]);
    const rest = [await take(), await take(), await take(), await take()];
    const own = [...took, ...rest].filter((one) => one !== "elsewhere" && one !== null);
    expect(own).toEqual(["urgent", "one", "two", "three, from another clone", "some day"]);
    // No list of sessions has the queue itself; what was taken is a session like any.
    expect((await json("sessions", "--all")).sessions.map((one: JsonObject) => one.agent)).toEqual(
      Array(6).fill("t"),
    );
    expect((await checkStore(raw)).damage).toEqual([]);
  });

  it("says what became of each: cancelled before it is begun, done or failed by its session's last turn, tried again under another id", async () => {
    const { add, listed, take, end, json, raw } = await queueIn(make());
    const [first, second, third] = [await add("first"), await add("second"), await add("third")];
    expect(await json("queue", "cancel", second, "--reason", "no need")).toMatchObject({ done: true });
    expect((await json("queue", "cancel", second)).code).toBe("E_ITEM_STATE");
    expect([await take(), await take(), await take()]).toEqual(["first", "third", null]);
    expect(await json("queue", "retry", first)).toMatchObject({ code: "E_ITEM_STATE" });
    expect(await json("queue", "cancel", first)).toMatchObject({ done: false, stopping: true });
    expect((await raw.records({ session: first as SessionId, kinds: ["stop.asked"] })).length).toBe(1);
    await end(first);
    await end(third, "failed");
    const queues = await queuesOf(raw, null);
    await tendQueues(raw, queues);
    // Whoever ran it says the same: once is enough (D4).
    const [queue] = queues;
    expect(await endIfOver(raw, { id: first as SessionId, queue: queue?.id as SessionId, seq: 4 })).toBe(
      true,
    );
    expect(await listed()).toEqual([]);
    expect((await listed("--ended")).toSorted()).toEqual([
      ["cancelled", "second"],
      ["done", "first"],
      ["failed", "third"],
    ]);
    const again = await json("queue", "retry", third);
    expect(again).toMatchObject({ retries: third, lifted: false });
    expect(again.item).not.toBe(third);
    expect(await listed()).toEqual([["waiting", "third"]]);
  });

  it("of one whose session is suspended a retry lifts that; what waits for a time or for another item is taken when that is there, and not before", async () => {
    const { add, listed, take, end, json, raw } = await queueIn(make());
    const first = await add("first");
    await add("then", "--after", first.slice(0, 6));
    await add("later", "--after", "2h");
    await add("soon", "--after", "1ms");
    expect((await json("queue", "add", "x", "--after", "nosuchitem")).code).toBe("E_NO_ITEM");
    const tend = async () => tendQueues(raw, await queuesOf(raw, null));
    await tend();
    expect(await take()).toBe("first");
    expect(await take()).toBe("soon");
    await tend();
    expect(await take(), "its item is not over").toBeNull();
    await raw.append(first as SessionId, "anyone", [
      newRecord(raw.clock, "session.suspended", { reason: "three times" }),
    ]);
    expect(await json("queue", "retry", first)).toMatchObject({ item: first, lifted: true });
    await end(first);
    await tend();
    expect(await take()).toBe("then");
    expect(await take()).toBeNull();
    expect(await listed()).toContainEqual(["deferred", "later"]);
  });
});

it("a queue takes a prompt from a file or stdin, shows none of its secrets, and refuses what no worker could use (T4, T5)", async () => {
  const fresh = { url: join(temporaryFolder(), "refloat.db"), open: {} };
  const { add, listed, json, root } = await queueIn(fresh);
  const place = makePlace();
  const env = { REFLOAT_STORE: fresh.url };
  await add("a.txt");
  const piped = await place.refloat(["queue", "add", "-"], { cwd: root, env, stdin: "from stdin" });
  expect(piped.code, piped.stderr).toBe(0);
  await add("use AKIAIOSFODNN7EXAMPLQ and go");
  const shown = await listed();
  expect(shown.slice(0, 2)).toEqual([
    ["waiting", "one\n"],
    ["waiting", "from stdin"],
  ]);
  expect(shown[2]?.[1]).not.toContain("AKIAIOSFODNN7EXAMPLQ");
  expect((await listed("--raw"))[2]?.[1]).toContain("AKIAIOSFODNN7EXAMPLQ");
  expect((await json("queue", "add", "x".repeat(100_000))).code).toBe("E_TOO_LARGE");
  expect((await json("queue", "add", " ")).code).toBe("E_USAGE");
  expect((await json("queue", "add", "x", "--priority", "10")).code).toBe("E_USAGE");
  const folder = temporaryFolder();
  expect((await json("queue", "add", "x", "--repo", folder)).code).toBe("E_QUEUE_REPOSITORY");
});

it("T2: a session that came by an import is nobody's to go on with but its user's, until he has; what is laid upon it later counts again", async () => {
  const store = await openedHere({ url: join(temporaryFolder(), "refloat.db"), open: {} });
  const { raw } = store;
  const [own, came] = await Promise.all(
    ["own", "came"].map((id) => store.begin({ id, agent: "a", workspace: "/w" })),
  );
  const id = "came" as SessionId;
  const isImported = async (one: SessionId): Promise<boolean> => (await unresumedImports(raw))(one);
  expect(await isImported(id)).toBe(false);
  await markImported(raw, { session: id, fromSeq: 1, toSeq: 2, ids: [] });
  expect([await isImported(id), await isImported("own" as SessionId)]).toEqual([true, false]);
  const moved = { from: "/w", to: "/here", reason: "put back", host: "h" };
  await raw.append(id, "anyone", [newRecord(raw.clock, "session.moved", moved)]);
  expect(await isImported(id), "put back, and not gone on with").toBe(true);
  const marked = { attempt: 1, mark: "m", command: ["a"] };
  const { seqs } = await raw.append(id, { attempt: 1 }, [newRecord(raw.clock, "agent.marked", marked)]);
  expect(await isImported(id)).toBe(false);
  const after = (seqs[0] ?? 0) + 1;
  await markImported(raw, { session: id, fromSeq: after, toSeq: after, ids: [] });
  expect(await isImported(id)).toBe(false);
  await raw.append(id, "anyone", [newRecord(raw.clock, "session.moved", moved)]);
  expect(await isImported(id)).toBe(true);
  await Promise.all([own?.finish(), came?.finish()]);
});

it("L4: one that was begun and is run by nobody just now is cancelled at once, and the next worker does not take it up", async () => {
  const fresh = { url: join(temporaryFolder(), "refloat.db"), open: {} };
  const { add, take, json, listed, raw, root } = await queueIn(fresh);
  const item = await add("drained");
  await take();
  const session = item as SessionId;
  const { clock } = raw;
  await raw.append(session, { attempt: 1 }, [
    newRecord(clock, "turn.began", { turn: "t", parts: null, input: null }),
    newRecord(clock, "turn.ended", { turn: "t", outcome: "interrupted", reason: "signal" }),
  ]);
  await raw.release(session, 1, [newRecord(clock, "claim.released", { attempt: 1 })]);
  expect(await listed()).toEqual([["interrupted", "drained"]]);
  expect(await json("queue", "cancel", item)).toMatchObject({ done: true, stopping: false });
  expect(await listed("--ended")).toEqual([["cancelled", "drained"]]);
  const begun = join(temporaryFolder(), "begun");
  const env = { REFLOAT_STORE: fresh.url };
  const ran = await makePlace().refloat(["worker", "--until-idle", "--", "touch", begun], { cwd: root, env });
  expect(ran.code, ran.stderr).toBe(0);
  expect(existsSync(begun)).toBe(false);
  expect((await json("queue", "cancel", item)).code).toBe("E_ITEM_STATE");
});
