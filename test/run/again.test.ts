/** Runs of one name that die again and again (L2), and what a store that fails costs an agent that runs (D6). */
import { describe, expect, it } from "vitest";
import { BIN } from "../support/cli.ts";
import { onSmallDisk } from "../support/small-disk.ts";
import { scene } from "./run-scene.ts";

const named = (script: string): string[] => ["run", "--name", "nightly", "--", "/bin/sh", "-c", script];

describe("runs of one name", () => {
  it("are suspended by the third dirty end without progress, refused then, and go on after `lift`", async () => {
    const { place } = scene();
    for (const count of [1, 2, 3]) {
      expect((await place.refloat(named("kill -9 $$"))).code).toBe(137);
      const { json } = await place.json(["sessions"]);
      expect(json.sessions[0]).toMatchObject({
        dirty_ends: count,
        state: count === 3 ? "suspended" : "interrupted",
      });
    }
    const refused = await place.refloat(named("exit 0"));
    expect([refused.code, refused.stderr.includes("E_RUN_SUSPENDED")]).toEqual([125, true]);
    const { json } = await place.json(["sessions"]);
    await place.withStore(async (store) => {
      const lifted = { id: "lift-1", kind: "session.lifted", atMs: Date.now(), body: { reason: "fixed" } };
      await store.raw.append(json.sessions[0].id, "anyone", [lifted as never]);
    });
    expect((await place.refloat(named("exit 0"))).code).toBe(0);
  });

  it("are never suspended while each gets something done", async () => {
    const { place } = scene();
    for (const count of [1, 2, 3, 4]) {
      expect((await place.refloat(named(`echo ${count} > done-${count}.txt; kill -9 $$`))).code).toBe(137);
      const { json } = await place.json(["sessions"]);
      expect(json.sessions[0]).toMatchObject({ state: "interrupted" });
      expect(json.sessions[0].dirty_ends).toBeLessThan(3);
    }
  });
});

describe("a disk that is full", () => {
  it("before the start ends run with 125, and afterwards costs the agent nothing: its code, and what was lost is said", () => {
    const said = onSmallDisk(
      "4m",
      `
const { spawn } = await import("node:child_process");
const { once } = await import("node:events");
const work = disk + "/../work";
mkdirSync(work);
mkdirSync(disk + "/home");
const env = { ...process.env, REFLOAT_HOME: disk + "/home" };
const start = (script) => spawn(process.execPath, [${JSON.stringify(BIN)}, "run", "--report", work + "/report", "--", "sh", "-c", script], { cwd: work, env });
const ended = async (child) => (await once(child, "exit"))[0];
const running = start("touch ready; while [ ! -e go ]; do sleep 0.05; done; echo still here; exit 7");
while (!existsSync(work + "/ready")) await new Promise((resolve) => setTimeout(resolve, 20));
while (!readdirSync(disk + "/home/runs").length) await new Promise((resolve) => setTimeout(resolve, 20));
fill();
writeFileSync(work + "/go", "");
said.code = await ended(running);
const { whose, recorded, troubles, why } = JSON.parse(readFileSync(work + "/report", "utf8"));
Object.assign(said, { whose, recorded, why, troubles: troubles.length > 0 });
said.refused = await ended(start("touch never"));
said.never = existsSync(work + "/never");
free();
said.after = await ended(start("exit 5"));
`,
    );
    expect(said).toEqual({
      code: 7,
      whose: "agent",
      why: "exit",
      recorded: false,
      troubles: true,
      refused: 125,
      never: false,
      after: 5,
    });
  });
});
