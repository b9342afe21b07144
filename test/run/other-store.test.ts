/** A store that is not in REFLOAT_HOME: what a run keeps beside it is found by whoever opens that store. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { endOf, isAlive, type Scene, scene, until } from "./run-scene.ts";

/** A run under `--store` whose agent has printed, cleared a tool's environment, and is dead with its supervisor. */
async function killedUnder(stage: Scene, store: string): Promise<{ tool: number; runs: string }> {
  const runs = join(store, "../runs");
  const plan = { tool: "session", clear: true, says: ["one", "two"] } as const;
  const child = stage.place.start(["--store", store, "run", "--", ...stage.command(plan)]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const [agent, tool] = [Number(await stage.noted("agent")), Number(await stage.noted("tool"))];
  onTestFinished(() => {
    for (const pid of [agent, tool]) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  // Seen by its supervisor: with its environment cleared, only the list beside the store tells whose it is.
  await until(() => readdirSync(runs).some((name) => isSeen(join(runs, name), tool)), "the tool is seen");
  child.kill("SIGKILL");
  await endOf(child);
  process.kill(agent, "SIGKILL");
  await until(() => !isAlive(agent), "the agent is gone");
  return { tool, runs };
}

const isSeen = (folder: string, pid: number): boolean => {
  const path = join(folder, "seen.json");
  return existsSync(path) && readFileSync(path, "utf8").includes(`"pid":${pid},`);
};

test("S2: with --store, what a killed run saw and printed lies beside that store, and every command with the same --store finds it", async () => {
  const stage = scene();
  const store = join(temporaryFolder(), "elsewhere.db");
  const { tool, runs } = await killedUnder(stage, store);
  expect(existsSync(join(stage.place.home, "runs")), "nothing lies in REFLOAT_HOME").toBe(false);

  const { json } = await stage.place.json(["--store", store, "inspect"]);
  expect(json.leftovers).toMatchObject([{ pid: tool }]);
  const stopped = await stage.place.refloat(["--store", store, "inspect", "--stop-leftovers"]);
  expect(stopped.stderr).toContain(String(tool));
  await until(() => !isAlive(tool), "the leftover is stopped");
  const { json: after } = await stage.place.json(["--store", store, "inspect"]);
  expect(after.last_output).toBe("one\ntwo");
  await stage.place.refloat(["--store", store, "run", "--", "/bin/true"]);
  expect(readdirSync(runs), "and gone when it is settled").toEqual([]);
  expect(isAlive(stage.bystander)).toBe(true);
});

test("the library's recover keeps the last output of a run under another store than the home's", async () => {
  const stage = scene();
  const path = join(temporaryFolder(), "elsewhere.db");
  const { tool } = await killedUnder(stage, path);
  process.kill(tool, "SIGKILL");
  const store = await openStore(path, { thread: false });
  onTestFinished(() => store.close());
  const [recovered] = await store.recover();
  const records = await store.raw.records({ session: recovered?.session as never, kinds: ["output.kept"] });
  expect(records).toMatchObject([{ body: { text: "one\ntwo" } }]);
});

test("the agent's own calls reach the store its run was told, in whatever folder it makes them", async () => {
  const stage = scene();
  const folder = temporaryFolder();
  const script = 'cd / && printf "%s %s" "$REFLOAT_STORE" "$REFLOAT_HOME"';
  const said = await stage.place.refloat([
    "--store",
    join(folder, "x/../elsewhere.db"),
    "run",
    "--",
    "/bin/sh",
    "-c",
    script,
  ]);
  expect(said.stdout).toBe(`${join(folder, "elsewhere.db")} ${stage.place.home}`);
});
