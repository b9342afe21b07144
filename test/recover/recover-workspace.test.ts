/** A supervisor or its agent dies by SIGKILL: what the next start finds, writes and leaves alone. Real processes, real git. */
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import type { StoredRecord } from "../../src/model/record.ts";
import type { RecoveryOutcome } from "../../src/recover/recover-one.ts";
import { surveySession } from "../../src/recover/survey-session.ts";
import { isAlive } from "../run/run-scene.ts";
import { startChild } from "../support/child.ts";
import { fingerprint } from "../support/git-repository.ts";
import { killBoth, killGroup, recover, startSupervised, until, wreckPlace } from "./supervised.ts";

const the = (outcomes: readonly RecoveryOutcome[]): Extract<RecoveryOutcome, { kind: "recovered" }> => {
  const [only, ...more] = outcomes;
  expect([only?.kind, more]).toEqual(["recovered", []]);
  return only as Extract<RecoveryOutcome, { kind: "recovered" }>;
};

async function recordsOf(store: RefloatStore, id: string): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  for await (const record of store.raw.journal(id as SessionId)) all.push(record);
  return all;
}

/** Both die at once, as by a power cut of the session; what it started besides lives on unless it is in the group. */
test("K2: a supervisor killed while its agent lives leaves the session live and unsupervised: no recovery touches it, nobody can begin it, and it is dead only when the agent is", async () => {
  const wreck = wreckPlace();
  const { supervisor, agent, id } = await startSupervised(wreck, { id: "alone" });
  onTestFinished(() => killGroup(agent));
  await supervisor.kill();
  await wreck.place.withStore(async (store) => {
    expect(await store.sessions()).toMatchObject([{ id, state: "live", supervised: false }]);
    expect(await recover(wreck, store)).toEqual([]);
    await expect(store.begin({ id, agent: "x", workspace: wreck.place.workspace })).rejects.toMatchObject({
      code: "E_HELD",
    });
    expect(isAlive(agent)).toBe(true);

    killGroup(agent);
    await until(() => !isAlive(agent), "the agent is gone");
    expect(await store.sessions()).toMatchObject([{ id, state: "interrupted", supervised: false }]);
    expect(the(await recover(wreck, store))).toMatchObject({ end: { cause: "unknown", isFinished: false } });
  });
});

test("C4, L2, L6: both killed within a call: the call is settled as unknown, the turn interrupted, the last whole line kept, the end captured and the end counted, once however often it is recovered", async () => {
  const wreck = wreckPlace();
  const dead = await startSupervised(wreck, {
    id: "both",
    script: `await turn.call({ id: "c1", tool: "bash", input: { command: "make" } });
      writeFileSync(join(o.workspace, "b.txt"), "changed");`,
  });
  await killBoth(dead);
  await wreck.place.withStore(async (store) => {
    const before = fingerprint(wreck.place.workspace);
    const done = the(await recover(wreck, store));
    expect(done).toMatchObject({
      leftovers: [],
      stopped: [],
      suspended: null,
      capture: { kind: "taken", partial: false },
    });
    expect(done.recovered).toMatchObject({ calls: ["c1"], cause: "unknown" });
    expect(fingerprint(wreck.place.workspace), "W1: only the store is written").toBe(before);
    const records = await recordsOf(store, "both");
    const of = (kind: string) => records.filter((record) => record.kind === kind);
    expect(of("call.ended")).toMatchObject([{ body: { status: "unknown-outcome", synthetic: true } }]);
    expect(of("turn.ended")).toMatchObject([{ body: { outcome: "interrupted" } }]);
    expect(of("output.kept")).toMatchObject([{ body: { text: "last words of attempt 1" } }]);
    expect(of("recovered")).toMatchObject([{ body: { dirty_ends: 1, evidence: ["nobody saw its end"] } }]);
    expect(of("capture.taken").at(-1)?.body).toMatchObject({ reason: "end", entries: [{ path: "b.txt" }] });
    expect(await store.sessions()).toMatchObject([
      { state: "interrupted", cause: "unknown", dirty_ends: 1, unsettled: true },
    ]);
    expect(await recover(wreck, store)).toEqual([]);
    expect((await recordsOf(store, "both")).length).toBe(records.length);
  });
});

test("S2: what a dead attempt left running is listed and left alone by a recovery that may not stop it, the end is not captured while it writes, and stopped with nothing else by one that may", async () => {
  const wreck = wreckPlace();
  // One keeps the mark, one clears its environment and was not seen, one carries another attempt's mark.
  const dead = await startSupervised(wreck, {
    id: "left",
    agent: `setsid sh -c 'echo $$ > "$0"; exec sleep 1000' ${wreck.place.home}/marked &
      REFLOAT_SESSION=left.7.r1 setsid sh -c 'echo $$ > "$0"; exec sleep 1000' ${wreck.place.home}/other &
      env -i setsid /bin/sh -c 'echo $$ > "$0"; exec sleep 1000' ${wreck.place.home}/bare & sleep 1000`,
  });
  const pidOf = async (name: string): Promise<number> => {
    await until(() => Number(readOr(`${wreck.place.home}/${name}`)) > 1, `${name} runs`);
    const pid = Number(readOr(`${wreck.place.home}/${name}`));
    onTestFinished(() => killGroup(pid));
    return pid;
  };
  const [marked, other, bare] = [await pidOf("marked"), await pidOf("other"), await pidOf("bare")];
  await killBoth(dead);
  await wreck.place.withStore(async (store) => {
    const listed = the(await recover(wreck, store));
    expect(listed.leftovers?.map(({ pid, evidence, kept }) => [pid, evidence, kept])).toEqual([
      [marked, "mark", null],
    ]);
    expect(listed.capture).toEqual({ kind: "owed" });
    expect([marked, other, bare].map(isAlive)).toEqual([true, true, true]);

    const told: number[] = [];
    const stopping = {
      onFound: (found: readonly { pid: number }[]) => void told.push(...found.map(({ pid }) => pid)),
    };
    const done = the(await recover(wreck, store, { stopping }));
    expect(done.stopped).toMatchObject([{ pid: marked, outcome: "stopped" }]);
    expect(told).toEqual([marked]);
    await until(() => !isAlive(marked), "the leftover is gone");
    expect([other, bare].map(isAlive), "nothing that is not ours was killed").toEqual([true, true]);
    expect(done.capture).toMatchObject({ kind: "taken" });
    const records = await recordsOf(store, "left");
    expect(records.filter(({ kind }) => kind === "leftovers.found")).toHaveLength(1);
    expect(records.filter(({ kind }) => kind === "recovered")).toHaveLength(1);
    expect(records.findLast(({ kind }) => kind === "capture.taken")?.body.reason).toBe("end");
  });
});

test("S2: a server that listens, a daemon by its name and a process of another live session are never stopped, whatever mark they carry", async () => {
  const wreck = wreckPlace();
  const node = process.execPath;
  const dead = await startSupervised(wreck, {
    id: "served",
    agent: `setsid ${node} -e 'require("net").createServer().listen(0, () => require("fs").writeFileSync("${wreck.place.home}/server", String(process.pid)))' &
      cp /bin/sleep ${wreck.place.home}/tmux; setsid ${wreck.place.home}/tmux 1000 & echo $! > ${wreck.place.home}/daemon; sleep 1000`,
  });
  const pids: number[] = [];
  for (const name of ["server", "daemon"]) {
    await until(() => Number(readOr(`${wreck.place.home}/${name}`)) > 1, `${name} runs`);
    const pid = Number(readOr(`${wreck.place.home}/${name}`));
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
    pids.push(pid);
  }
  await killBoth(dead);
  await wreck.place.withStore(async (store) => {
    const done = the(await recover(wreck, store, { stopping: { onFound: () => undefined } }));
    expect(pids.map(isAlive)).toEqual([true, true]);
    expect(done.stopped.filter(({ outcome }) => outcome === "stopped")).toEqual([]);
    expect(done.leftovers?.every(({ kept }) => kept !== null)).toBe(true);
  });
});

test("two starts race to recover one session: one settles it, the other waits until that is done; it is settled and counted once (K1)", async () => {
  const wreck = wreckPlace();
  for (let round = 0; round < 2; round++) {
    const id = `race-${round}`;
    await killBoth(await startSupervised(wreck, { id }));
    const racer = () =>
      startChild(
        `
        import { openStore } from "./app/store/open-store.js";
        import { recoverWorkspace } from "./recover/recover-sessions.js";
        import { openWorkspace } from "./workspace/opening/workspace.js";
        const store = await openStore(process.env.STORE, { thread: false });
        const env = process.env;
        const found = await recoverWorkspace(store.raw, openWorkspace(env.PLACE, { env }), { env, home: env.REFLOAT_HOME });
        const [row] = (await store.sessions()).filter((one) => one.id === ${JSON.stringify(id)});
        console.log(JSON.stringify({ kinds: found.map((one) => one.kind), state: row.state }));
        await store.close();`,
        { STORE: wreck.place.store, PLACE: wreck.place.workspace, REFLOAT_HOME: wreck.place.home },
      );
    const said = await Promise.all(
      [racer(), racer()].map((child) => child.said() as Promise<{ kinds: string[]; state: string }>),
    );
    expect(said.flatMap(({ kinds }) => kinds)).toEqual(["recovered"]);
    expect(
      said.map(({ state }) => state),
      "neither goes on before it is settled",
    ).toEqual(["interrupted", "interrupted"]);
    await wreck.place.withStore(async (store) => {
      const records = await recordsOf(store, id);
      expect(records.filter(({ kind }) => kind === "recovered")).toHaveLength(1);
      expect(
        records.filter(({ kind, body }) => kind === "capture.taken" && body.reason === "end"),
      ).toHaveLength(1);
    });
  }
});

test.each(["take.after-commit", "recover.after-settle", "recover.after-capture"])(
  "a recovery killed at %s is finished by the next start: settled once, captured, counted once, given back (C4, L2)",
  async (point) => {
    const wreck = wreckPlace();
    await killBoth(
      await startSupervised(wreck, {
        id: "twice",
        agent: "sleep 1000",
        script: `await turn.call({ id: "c1", tool: "bash", input: {} }); writeFileSync(join(o.workspace, "b.txt"), "x");`,
      }),
    );
    const child = startChild(
      `
      import { openStore } from "./app/store/open-store.js";
      import { recoverWorkspace } from "./recover/recover-sessions.js";
      import { openWorkspace } from "./workspace/opening/workspace.js";
      const store = await openStore(process.env.STORE, { thread: false });
      const env = process.env;
      await recoverWorkspace(store.raw, openWorkspace(env.PLACE, { env }), { env, home: env.REFLOAT_HOME });`,
      {
        STORE: wreck.place.store,
        PLACE: wreck.place.workspace,
        REFLOAT_HOME: wreck.place.home,
        REFLOAT_CRASH_AT: point,
      },
    );
    expect(await child.ended()).toBe("SIGKILL");
    await wreck.place.withStore(async (store) => {
      await recover(wreck, store);
      expect(await recover(wreck, store), "nothing is left to do").toEqual([]);
      const records = await recordsOf(store, "twice");
      expect(records.filter(({ kind }) => kind === "recovered")).toHaveLength(1);
      expect(records.filter(({ kind }) => kind === "turn.ended")).toHaveLength(1);
      expect(records.findLast(({ kind }) => kind === "capture.taken")?.body.reason).toBe("end");
      expect(await store.sessions()).toMatchObject([
        { state: "interrupted", cause: "unknown", dirty_ends: 1, unsettled: true },
      ]);
      expect((await store.raw.session("twice" as SessionId))?.claim.owner).toBeNull();
    });
  },
);

test("hermes 20030, 81642: the third dirty end without progress suspends, whoever was killed; history is kept, and nothing is counted twice (L2)", async () => {
  const wreck = wreckPlace();
  await wreck.place.withStore(async (store) => {
    for (let n = 1; n <= 3; n++) {
      const dead = await startSupervised(wreck, { id: "loop" });
      await killBoth(dead);
      const done = the(await recover(wreck, store));
      expect(done.suspended !== null).toBe(n === 3);
      expect(await store.sessions()).toMatchObject([
        { dirty_ends: n, state: n === 3 ? "suspended" : "interrupted" },
      ]);
    }
    expect((await recordsOf(store, "loop")).filter(({ kind }) => kind === "agent.started")).toHaveLength(3);
  });
});

test("L2: with progress (another file each time) no number of dirty ends suspends", async () => {
  const wreck = wreckPlace();
  await wreck.place.withStore(async (store) => {
    for (let n = 1; n <= 3; n++) {
      const file = `${wreck.place.workspace}/made-${n}.txt`;
      const dead = await startSupervised(wreck, { id: "steady", agent: `echo ${n} > ${file}; sleep 1000` });
      await until(() => readOr(file) === `${n}\n`, "the agent has written");
      await killBoth(dead);
      expect(the(await recover(wreck, store)).suspended).toBeNull();
      expect(await store.sessions()).toMatchObject([{ dirty_ends: 1, state: "interrupted" }]);
    }
  });
});

test("peers 12: a second writer on a session whose first still lives is refused, and after the first's death its late write is refused, too (K1)", async () => {
  const wreck = wreckPlace();
  const first = await startSupervised(wreck, { id: "one" });
  onTestFinished(() => killGroup(first.agent));
  await wreck.place.withStore(async (store) => {
    const begin = () => store.begin({ id: "one", agent: "second", workspace: wreck.place.workspace });
    await expect(begin()).rejects.toMatchObject({ code: "E_HELD" });
    await killBoth(first);
    await recover(wreck, store);
    const second = await begin();
    await expect(
      store.raw.append("one" as SessionId, { attempt: 1 }, [
        {
          id: "late" as never,
          kind: "decided",
          atMs: 0,
          body: { key: "k", value: 1, reason: null, step: null },
        },
      ]),
    ).rejects.toMatchObject({ code: "E_FENCED" });
    await second.release();
  });
});

test("W1: surveying a dead session writes nothing, signals nothing and says what a recovery would", async () => {
  const wreck = wreckPlace();
  await killBoth(await startSupervised(wreck, { id: "looked-at" }));
  await wreck.place.withStore(async (store) => {
    const row = await store.raw.session("looked-at" as SessionId);
    if (!row) throw new Error("the session is gone");
    const surveyed = await surveySession(store.raw, row);
    expect(surveyed).toMatchObject({
      state: "interrupted",
      supervised: false,
      end: { cause: "unknown" },
      story: { attempt: 1 },
    });
    expect((await store.raw.session(row.id))?.head).toBe(row.head);
  });
});

function readOr(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (_notYet) {
    return null;
  }
}
