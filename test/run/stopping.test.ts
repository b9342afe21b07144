/** Ending an agent: our timeout, signals to us, `stop`; the ladder, the whole tree, and what the journal says of it. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ANN } from "../support/left-session.ts";
import { endOf, isAlive, type Plan, type Scene, scene, until } from "./run-scene.ts";

interface Told {
  readonly kind: string;
  readonly body: Record<string, unknown>;
}

const journal = (stage: Scene, session: string): Promise<Told[]> =>
  stage.place.withStore(async (store) => {
    const records = await store.raw.records({ session: session as never });
    return records.map(({ kind, body }) => ({ kind, body: body as Record<string, unknown> }));
  });

const kinds = (records: readonly Told[]): string[] => records.map(({ kind }) => kind);

describe("a signal to refloat", () => {
  it("goes down the ladder to an agent that hears none of it, with its whole tree, marked before the drain (L3)", async () => {
    const stage = scene();
    const ignores = ["SIGINT", "SIGTERM"];
    const plan: Plan = { tool: "session", clear: true, wait: true, ignores, says: ["working"] };
    const child = stage.start(plan, ["--drain", "500ms"]);
    const ended = endOf(child);
    const tool = Number(await stage.noted("tool"));
    child.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(137);
    expect(await stage.noted("heard-SIGINT")).toBe("1");
    expect(await stage.noted("heard-SIGTERM")).toBe("1");
    expect(isAlive(tool)).toBe(false);
    expect(isAlive(stage.bystander)).toBe(true);
    stage.go();
    expect(stage.half()).toBe("begin\n");
    const report = stage.report();
    expect(report).toMatchObject({
      why: "signal-through-us",
      state: "interrupted",
      cause: "signal",
      whose: "agent",
    });
    expect(stderr).toContain("was cut off: it was told to stop");
    const records = await journal(stage, String(report.session));
    const order = kinds(records);
    expect(records.find(({ kind }) => kind === "drain.marked")?.body).toMatchObject({
      why: "signal",
      signal: "SIGTERM",
      drain_ms: 500,
    });
    expect(order.indexOf("drain.marked")).toBeLessThan(order.indexOf("agent.exited"));
    const between = order.slice(order.indexOf("drain.marked"), order.indexOf("agent.exited"));
    expect(between).toContain("capture.taken");
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "L7: %s lets an agent that hears it end by itself, with its own code; it was interrupted, and nothing of it is called safe or committed",
    async (signal) => {
      const { place, repo, reportPath, report, notes } = scene();
      repo.write("index.js", "export const zero = 0;\n");
      repo.commit("base");
      const half = "printf 'export const one = 1;\\n' > one.js; printf 'A note.\\n' > note.md";
      const script = `trap 'echo saved; exit 0' INT TERM HUP; ${half}; echo x > ${notes}/ready; while :; do sleep 0.05; done`;
      const child = place.start(["run", "--report", reportPath, "--", "/bin/sh", "-c", script]);
      const ended = endOf(child);
      await until(() => existsSync(`${notes}/ready`), "the trap");
      child.kill(signal);
      const ran = await ended;
      expect(ran).toMatchObject({ code: 0, stdout: "saved\n" });
      expect(ran.stderr).toContain("was cut off: it was told to stop");
      expect(report()).toMatchObject({
        why: "signal-through-us",
        whose: "agent",
        exit_code: 0,
        state: "interrupted",
        cause: "signal",
        last_output: "saved",
      });
      const { json } = await place.json(["inspect"]);
      expect(json.session).toMatchObject({ state: "interrupted", cause: "signal", dirty_ends: 0 });
      expect(json.turn).toMatchObject({ outcome: "interrupted" });
      expect(json.groups.map(({ verdict }: { verdict: string }) => verdict)).not.toContain("safe");
      const before = repo.git("rev-parse", "HEAD");
      await place.refloat(["settle", "--yes"], { env: ANN });
      expect(repo.git("rev-parse", "HEAD")).toBe(before);
    },
  );

  it("L7: that the agent heard before we did makes its exit no ending either: one order to a whole service", async () => {
    const { place, repo, reportPath, report, notes } = scene();
    const script = `echo 'A note.' > note.md; trap 'kill -TERM $PPID; exit 0' TERM; echo $$ > ${notes}/ready; while :; do sleep 0.05; done`;
    const child = place.start(["run", "--report", reportPath, "--", "/bin/sh", "-c", script]);
    const ended = endOf(child);
    await until(() => existsSync(`${notes}/ready`), "the trap");
    process.kill(Number(readFileSync(`${notes}/ready`, "utf8")), "SIGTERM");
    expect((await ended).code).toBe(0);
    expect(report()).toMatchObject({ state: "interrupted", cause: "signal" });
    expect(repo.read("note.md")).toBe("A note.\n");
  });

  it("L2: from a person, again and again, is no crash loop: the name is not suspended, and it can be resumed", async () => {
    const { place, notes } = scene();
    for (const n of [1, 2, 3, 4]) {
      const script = `echo x > ${notes}/ready${n}; exec sleep 1000`;
      const child = place.start(["run", "--name", "nightly", "--", "/bin/sh", "-c", script]);
      const ended = endOf(child);
      await until(() => existsSync(`${notes}/ready${n}`), "the agent");
      child.kill("SIGINT");
      expect((await ended).code).toBe(130);
    }
    const { json } = await place.json(["sessions"]);
    for (const session of json.sessions)
      expect(session).toMatchObject({ state: "interrupted", cause: "signal", dirty_ends: 0 });
  });

  it("sent again goes to the next rung at once: nobody waits for a drain of hours", async () => {
    const stage = scene();
    const child = stage.start({ wait: true, ignores: ["SIGINT", "SIGTERM"] }, ["--drain", "2h"]);
    const ended = endOf(child);
    await stage.noted("ready");
    child.kill("SIGINT");
    await stage.noted("heard-SIGINT");
    child.kill("SIGINT");
    await stage.noted("heard-SIGTERM");
    child.kill("SIGINT");
    expect((await ended).code).toBe(137);
  });
});

describe("--timeout", () => {
  it("ends an agent that exits by itself, and one that has to be killed, with 124: interrupted, timeout", async () => {
    const { place, reportPath, report } = scene();
    for (const trap of ["trap 'exit 0' INT", "trap '' INT TERM"]) {
      const script = `${trap}; while :; do sleep 0.05; done`;
      const flags = ["--timeout", "700ms", "--drain", "400ms", "--report", reportPath];
      const { code } = await place.refloat(["run", ...flags, "--", "/bin/sh", "-c", script]);
      expect(code).toBe(124);
      expect(report()).toMatchObject({
        whose: "refloat",
        why: "timeout",
        state: "interrupted",
        cause: "timeout",
      });
    }
    const { json } = await place.json(["sessions"]);
    for (const { state } of json.sessions) expect(state).toBe("interrupted");
  });

  it("does not touch an agent that ends before it", async () => {
    const { place } = scene();
    const { code } = await place.refloat(["run", "--timeout", "1h", "--", "/bin/sh", "-c", "exit 6"]);
    expect(code).toBe(6);
  });
});

describe("an order to stop in the journal", () => {
  it("ends the agent: finished, cause signal, its turn cancelled, never taken for interrupted (L4)", async () => {
    const stage = scene();
    const ended = endOf(stage.start({ wait: true, calls: "one" }, ["--drain", "5s"]));
    await stage.noted("recorded");
    const session = await stage.place.withStore(async (store) => {
      const [found] = await store.sessions();
      const record = { id: "stop-1", kind: "stop.asked", atMs: Date.now(), body: { reason: "enough" } };
      await store.raw.append(found?.id as never, "anyone", [record as never]);
      return found?.id ?? "";
    });
    await ended;
    expect(stage.report()).toMatchObject({ why: "stopped", state: "finished", cause: "signal" });
    const { json } = await stage.place.json(["show", session]);
    expect(json.turns[0]).toMatchObject({ outcome: "cancelled" });
    expect(json.calls[0]).toMatchObject({ id: "slow", status: "unknown-outcome", synthetic: true });
    const order = kinds(await journal(stage, session));
    expect(order.at(-1)).toBe("claim.released");
    expect(order).toContain("session.finished");
  });
});
