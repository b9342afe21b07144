/**
 * K2 on one host: no live session is ever declared dead and no dead one alive, whatever the clock, the kernel or the
 * machine does; and what people reported against hermes and goose about it, by number.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import { bootId } from "../../src/platform/identity.ts";
import { decideLiveness } from "../../src/platform/liveness.ts";
import { systemProcesses } from "../../src/platform/process-table.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { isAlive } from "../run/run-scene.ts";
import { opened } from "../scenarios/child.ts";
import { deadOwner } from "../support/cli.ts";
import { manualClock } from "../support/manual-clock.ts";
import { unshareArguments } from "../support/needs.ts";
import { killBoth, killGroup, recover, startSupervised, until, wreckPlace } from "./supervised.ts";

test("a supervisor stopped by SIGSTOP, with its heartbeat hours old and the clock stepped either way (a laptop asleep), is live: nobody recovers it or takes its claim (K2, K3)", async () => {
  const wreck = wreckPlace();
  const { supervisor, agent, id } = await startSupervised(wreck, { id: "asleep" });
  onTestFinished(() => killGroup(agent));
  process.kill(supervisor.pid, "SIGSTOP");
  onTestFinished(() => void (isAlive(supervisor.pid) && process.kill(supervisor.pid, "SIGCONT")));
  for (const stepMs of [0, 3_600_000, -3_600_000, 30 * 86_400_000]) {
    const clock = manualClock(Date.now() + stepMs);
    const store = await opened(wreck.place.store, { clock });
    expect(await store.sessions()).toMatchObject([{ id, state: "live", supervised: true }]);
    expect(await recover(wreck, store)).toEqual([]);
    const begin = store.begin({ id, agent: "thief", workspace: wreck.place.workspace });
    await expect(begin).rejects.toMatchObject({ code: "E_HELD" });
  }
});

test("after a reboot (another boot id) both are dead, cause reboot, though their pids are in use again; without one they live (K2)", async () => {
  const wreck = wreckPlace();
  const { supervisor, agent } = await startSupervised(wreck, {
    id: "rebooted",
    env: { REFLOAT_BOOT_ID: "the-boot-before" },
    script: `await write(newRecord(store.raw.clock, "drain.marked", { attempt, why: "timeout", signal: null, drain_ms: 1000 }));`,
  });
  onTestFinished(() => killGroup(agent));
  // This very process sees another boot: the pids still exist, and prove nothing.
  await wreck.place.withStore(async (store) => {
    expect(bootId()).not.toBe("the-boot-before");
    const [done] = await recover(wreck, store);
    expect(done).toMatchObject({ kind: "recovered", end: { cause: "reboot" } });
    expect(done?.kind === "recovered" && done.end?.evidence.join()).toMatch(
      /mark of its stop is ignored.*earlier start/,
    );
    expect(await store.sessions()).toMatchObject([{ state: "interrupted", cause: "reboot" }]);
  });
  expect([isAlive(supervisor.pid), isAlive(agent)], "nothing was signalled").toEqual([true, true]);
});

test("an owner in another pid namespace on the same boot is unreachable, never dead: live, and not recovered, even when it is gone (K2)", async () => {
  const wreck = wreckPlace();
  const program = join(wreck.place.home, "boxed.mjs");
  const library = new URL("../../dist/app/store/open-store.js", import.meta.url).href;
  writeFileSync(
    program,
    `const { openStore } = await import(${JSON.stringify(library)});
       const store = await openStore(${JSON.stringify(wreck.place.store)}, { thread: false });
       const session = await store.begin({ id: "boxed", agent: "x", workspace: ${JSON.stringify(wreck.place.workspace)} });
       await session.turn("go");
       process.exit(0);`,
  );
  const child = spawn(
    "unshare",
    [...unshareArguments("--pid", "--fork", "--mount-proc"), process.execPath, program],
    {
      stdio: "inherit",
    },
  );
  await new Promise((resolve) => child.once("close", resolve));
  await wreck.place.withStore(async (store) => {
    expect(await store.sessions()).toMatchObject([{ id: "boxed", state: "live" }]);
    expect(await recover(wreck, store)).toEqual([]);
  });
});

test("a pid that another process has now is no proof of life: agent and supervisor are dead, and the stranger is left alone (K2, S2)", async () => {
  const wreck = wreckPlace();
  await wreck.place.withStore(async (store) => {
    const stranger = spawn("sleep", ["1000"], { stdio: "ignore" });
    onTestFinished(() => void stranger.kill("SIGKILL"));
    const reused = { ...deadOwner("supervisor"), pid: stranger.pid ?? 0, started: 1 };
    const session = await store.begin({
      id: "reused",
      agent: "x",
      workspace: wreck.place.workspace,
      owner: reused,
    });
    await session.turn("go");
    const mark = "reused.1.r";
    const identity = { host: reused.host, boot: reused.boot, pid_namespace: reused.pid_namespace };
    await store.raw.append("reused" as SessionId, { attempt: 1 }, [
      newRecord(store.raw.clock, "agent.started", {
        attempt: 1,
        ...identity,
        pid: stranger.pid ?? 0,
        started: 1,
        command: [],
        mark,
        supervised: true,
        pty: false,
      }),
    ]);
    const here = { host: reused.host, boot: reused.boot, pidNamespace: reused.pid_namespace };
    expect(decideLiveness(reused, here, systemProcesses)).toEqual({ kind: "dead", because: "pid-reused" });
    const stopping = { onFound: () => expect.unreachable("nothing of ours is left") };
    expect(await recover(wreck, store, { stopping })).toMatchObject([
      { kind: "recovered", leftovers: [], stopped: [] },
    ]);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
  });
});

test("hermes 2.5: killed ten minutes into a turn and started again an hour later, the turn is found interrupted by its mark, not by anybody's idea of recent (L1)", async () => {
  const wreck = wreckPlace();
  const dead = await startSupervised(wreck, { id: "long" });
  await killBoth(dead);
  const clock = manualClock(Date.now() + 70 * 60_000);
  const store = await opened(wreck.place.store, { clock });
  expect(await recover(wreck, store)).toMatchObject([
    { kind: "recovered", recovered: { turns: [expect.any(String)] } },
  ]);
  expect(await store.sessions()).toMatchObject([{ id: "long", state: "interrupted" }]);
});

test("hermes 18922, 85709: a session idle for 21 days whose entry was touched by bookkeeping is idle: nothing is recovered, counted or called interrupted (L5)", async () => {
  const wreck = wreckPlace();
  await wreck.place.withStore(async (store) => {
    const session = await store.begin({
      id: "idle",
      agent: "x",
      workspace: wreck.place.workspace,
      owner: deadOwner(),
    });
    await (await session.turn("hello")).end("completed");
    await session.enqueue("bookkeeping");
  });
  const store = await opened(wreck.place.store, { clock: manualClock(Date.now() + 21 * 86_400_000) });
  expect(await recover(wreck, store)).toEqual([]);
  expect(await store.recover()).toEqual([]);
  expect(await store.sessions()).toMatchObject([{ id: "idle", state: "idle", dirty_ends: 0, cause: null }]);
});

test("hermes 11099: killed in a drain that took longer than its service manager allowed, the next start knows why it was ending (L3)", async () => {
  const wreck = wreckPlace();
  const dead = await startSupervised(wreck, {
    id: "drained",
    script: `await write(newRecord(store.raw.clock, "drain.marked", { attempt, why: "signal", signal: "SIGTERM", drain_ms: 20000 }));`,
  });
  await killBoth(dead);
  await wreck.place.withStore(async (store) => {
    expect(await recover(wreck, store)).toMatchObject([{ end: { cause: "signal", isFinished: false } }]);
    expect(await store.sessions()).toMatchObject([{ state: "interrupted", cause: "signal", dirty_ends: 1 }]);
  });
});

test("goose 9938: a call that a leftover of the dead attempt reports late is refused by its attempt, and not executed for the next one (K1)", async () => {
  const wreck = wreckPlace();
  const dead = await startSupervised(wreck, { id: "late" });
  await killBoth(dead);
  await wreck.place.withStore(async (store) => {
    await recover(wreck, store);
    const next = await store.begin({ id: "late", agent: "x", workspace: wreck.place.workspace });
    await next.turn("again");
    const { json } = await wreck.place.json(["op", "begin", "late"], { env: { REFLOAT_SESSION: dead.mark } });
    expect(json.code).toBe("E_FENCED");
    await next.release();
  });
});

test("L6: an agent that exited 0 with twelve uncommitted files is finished and unsettled, and still their owner when the next session begins and ends", async () => {
  const wreck = wreckPlace();
  const { place } = wreck;
  const make = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i > f$i.txt; done";
  expect((await place.refloat(["run", "--", "sh", "-c", make])).code).toBe(0);
  const [first] = (await place.json(["sessions"])).json.sessions;
  expect(first).toMatchObject({ state: "finished", cause: "clean", unsettled: true, dirty_ends: 0 });
  expect((await place.refloat(["run", "--", "sh", "-c", "echo mine > other.txt"])).code).toBe(0);
  const sessions = (await place.json(["sessions"])).json.sessions as { id: string; unsettled: boolean }[];
  expect(sessions.map(({ unsettled }) => unsettled)).toEqual([true, true]);
  const { json } = await place.json(["inspect", first.id]);
  const own = json.groups
    .flatMap(({ changes }: { changes: { path: string; owner: string }[] }) => changes)
    .filter(({ owner }: { owner: string }) => owner === "session");
  expect(own.map(({ path }: { path: string }) => path).sort()).toHaveLength(12);
  const status = await place.refloat(["--exit-code"]);
  expect([status.code, status.stdout]).toEqual([3, expect.stringContaining("finished, unsettled")]);
});

test("goose 11909, hermes 20030: `run` whose agent is killed three times without progress suspends its name, says so, exits by its signal, and lift ends it", async () => {
  const { place } = wreckPlace();
  const die = ["run", "--name", "loop", "--", "sh", "-c", "kill -9 $$"];
  for (let n = 1; n <= 3; n++) {
    expect((await place.refloat(die)).code).toBe(137);
    const [last] = (await place.json(["sessions"])).json.sessions;
    expect(last).toMatchObject({
      cause: "crash",
      dirty_ends: n,
      state: n === 3 ? "suspended" : "interrupted",
    });
  }
  const refused = await place.refloat(die);
  expect([refused.code, refused.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining("E_RUN_SUSPENDED"),
  ]);
  expect((await place.refloat(["lift", (await place.json(["sessions"])).json.sessions[0].id])).code).toBe(0);
  expect((await place.refloat(["run", "--name", "loop", "--", "true"])).code).toBe(0);
});

test("S2: `inspect` lists what a dead session left running and signals nothing; with --stop-leftovers it stops that, says so, and nothing else", async () => {
  const wreck = wreckPlace();
  const file = join(wreck.place.home, "leftover");
  const dead = await startSupervised(wreck, {
    id: "left-over",
    agent: `setsid sh -c 'echo $$ > ${file}; exec sleep 1000' & sleep 1000`,
  });
  await until(() => existsSync(file) && Number(readFileSync(file, "utf8")) > 1, "the tool runs");
  const tool = Number(readFileSync(file, "utf8"));
  onTestFinished(() => killGroup(tool));
  await killBoth(dead);
  const listed = (await wreck.place.json(["inspect", "left-over"])).json;
  expect(listed).toMatchObject({ moving: true, leftovers: [{ pid: tool, command: "sleep 1000" }] });
  expect(isAlive(tool)).toBe(true);
  const { code, stdout, stderr } = await wreck.place.refloat([
    "inspect",
    "left-over",
    "--stop-leftovers",
    "--json",
  ]);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(`Stopping what a dead session left running: ${tool}`),
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ moving: false, leftovers: [] });
  await until(() => !isAlive(tool), "the leftover is gone");
});
