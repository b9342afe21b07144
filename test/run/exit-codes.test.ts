/** `run`'s exit codes (DESIGN 10): before the agent starts they are ours, afterwards the agent's. */
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endOf, scene, until } from "./run-scene.ts";

const sh = (script: string): string[] => ["--", "/bin/sh", "-c", script];

describe("before the agent starts", () => {
  it("exits 127, 126 and 64 for what is not there, not executable, and not understood, and begins no session", async () => {
    const { place, notes } = scene();
    const plain = join(notes, "plain");
    writeFileSync(plain, "#!/bin/sh\n");
    chmodSync(plain, 0o644);
    const codes: [number | null, string[]][] = [
      [127, ["run", "--", "no-such-program-here"]],
      [127, ["run", "--", "./nothing"]],
      [126, ["run", "--", plain]],
      [126, ["run", "--", "/tmp"]],
      [64, ["run"]],
      [64, ["run", "--timeout", "soon", "--", "true"]],
      [64, ["run", "--if-busy", "maybe", "--", "true"]],
      [64, ["run", "--report", join(notes, "none/r.json"), "--", "true"]],
    ];
    for (const [code, args] of codes) expect([(await place.refloat(args)).code, args]).toEqual([code, args]);
    const { json } = await place.json(["sessions"]);
    expect(json.sessions).toEqual([]);
  });

  it("exits 125 for a failure of ours, runs nothing, and says in the report that the code is ours", async () => {
    const { place, notes, reportPath, report } = scene();
    const ran = join(notes, "ran");
    const inside = join(place.workspace, "store.db");
    const args = ["--store", inside, "run", "--report", reportPath, ...sh(`touch ${ran}`)];
    const { code, stderr } = await place.refloat(args);
    expect(code).toBe(125);
    expect(stderr).toContain("E_STORE_IN_WORKSPACE");
    expect(existsSync(ran)).toBe(false);
    const asJson = await place.refloat(["--json", ...args]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      schema: "refloat.error/1",
      code: "E_STORE_IN_WORKSPACE",
    });
    expect(report()).toMatchObject({
      exit_code: 125,
      whose: "refloat",
      error: { code: "E_STORE_IN_WORKSPACE" },
    });
  });

  it("exits 4 while another of its name is live here, 0 with skip, waits with wait; no name is never busy", async () => {
    const stage = scene();
    const { place } = stage;
    const first = endOf(stage.start({ wait: true }, ["--name", "nightly"]));
    await stage.noted("ready");
    const named = (...more: string[]): string[] => ["run", "--name", "nightly", ...more, ...sh("exit 3")];
    const busy = await place.refloat(named());
    expect(busy.code).toBe(4);
    expect(busy.stderr).toContain("E_RUN_BUSY");
    expect((await place.refloat(named("--if-busy", "skip"))).code).toBe(0);
    expect((await place.refloat(["run", ...sh("exit 5")])).code).toBe(5);
    const waiting = endOf(place.start(named("--if-busy", "wait")));
    stage.go();
    expect((await first).code).toBe(0);
    expect((await waiting).code).toBe(3);
    const { json } = await place.json(["sessions"]);
    expect(json.sessions.filter(({ name }: { name: string }) => name === "nightly")).toHaveLength(2);
  });

  it("lets one of several starts of one name through that begin at the same moment, never two", async () => {
    const { place, notes } = scene();
    const script = `echo x >> ${notes}/began; while [ ! -e ${notes}/go ]; do sleep 0.05; done`;
    const runs = [1, 2, 3].map(() => endOf(place.start(["run", "--name", "one", ...sh(script)])));
    const over: (number | null)[] = [];
    for (const run of runs) void run.then(({ code }) => over.push(code));
    await until(() => over.length === 2, "two that are busy");
    expect(over).toEqual([4, 4]);
    writeFileSync(join(notes, "go"), "");
    const codes = (await Promise.all(runs)).map(({ code }) => code);
    expect(codes.toSorted()).toEqual([0, 4, 4]);
  });
});

describe("once the agent has started", () => {
  it("exits with the agent's own code, whatever it is, and 128 and the number of the signal it died by", async () => {
    const { place, reportPath } = scene();
    const codes: [number, string][] = [
      [0, "exit 0"],
      [1, "exit 1"],
      [2, "exit 2"],
      [4, "exit 4"],
      [125, "exit 125"],
      [255, "exit 255"],
      [139, "kill -SEGV $$"],
      [143, "kill -TERM $$"],
    ];
    for (const [code, script] of codes) {
      const ran = await place.refloat(["run", "--report", reportPath, ...sh(script)]);
      expect([ran.code, script]).toEqual([code, script]);
    }
    const { json } = await place.json(["sessions"]);
    const states = json.sessions.map(({ state }: { state: string }) => state);
    expect(states.filter((state: string) => state === "finished")).toHaveLength(6);
    expect(states.filter((state: string) => state === "interrupted")).toHaveLength(2);
  });

  it("leaves a session that exited 0 with uncommitted files finished, unsettled, and their owner (L6)", async () => {
    const { place } = scene();
    const twelve = "for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $n > f$n.txt; done";
    expect((await place.refloat(["run", ...sh(twelve)])).code).toBe(0);
    expect((await place.refloat(["run", ...sh("echo more > other.txt")])).code).toBe(0);
    const { json } = await place.json(["sessions"]);
    expect(json.sessions).toHaveLength(2);
    for (const session of json.sessions)
      expect(session).toMatchObject({ state: "finished", unsettled: true, cause: "clean", agent: "sh" });
    const why = await place.json(["why", "f7.txt"]);
    expect(JSON.stringify(why.json)).toContain(json.sessions[1].id);
  });

  it("passes the agent through and records nothing with REFLOAT_OFF=1", async () => {
    const { place } = scene();
    const env = { REFLOAT_OFF: "1" };
    const args = ["run", ...sh("cat; echo $REFLOAT_SESSION; exit 9")];
    const ran = await place.refloat(args, { env, stdin: "through" });
    expect([ran.code, ran.stdout]).toEqual([9, "through\n"]);
    expect((await place.refloat(["run", ...sh("kill -9 $$")], { env })).code).toBe(137);
    expect((await place.refloat(["run", "--", "no-such-program"], { env })).code).toBe(127);
    expect(existsSync(place.store)).toBe(false);
  });
});
