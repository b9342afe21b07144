/** What a killed supervisor left in its run folder goes when its session is settled, and never before (T5). */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runFolder } from "../../src/session/run-folder.ts";
import { isAlive } from "../run/run-scene.ts";
import {
  killBoth,
  killGroup,
  recover,
  startSupervised,
  until,
  type Wreck,
  wreckPlace,
} from "./supervised.ts";

const recoverAll = (wreck: Wreck): Promise<unknown> =>
  wreck.place.withStore((store) => recover(wreck, store));

test("the run folder of a dead attempt is gone after its recovery; that of a live one, of one only its agent is left of, and what is not ours stay", async () => {
  const wreck = wreckPlace();
  const folder = (id: string, attempt = 1): string => runFolder(wreck.place.home, id, attempt);
  const dead = await startSupervised(wreck, { id: "dead" });
  const live = await startSupervised(wreck, { id: "live" });
  const alone = await startSupervised(wreck, { id: "alone" });
  onTestFinished(() => [live, alone].forEach(({ agent }) => void killGroup(agent)));
  const foreign = join(wreck.place.home, "runs", "notes");
  for (const path of [foreign, folder("of another store"), folder("dead", 9)]) mkdirSync(path);
  await killBoth(dead);
  await alone.supervisor.kill();
  expect(existsSync(folder("dead"))).toBe(true);

  await recoverAll(wreck);
  expect(existsSync(folder("dead"))).toBe(false);
  for (const path of [folder("live"), folder("alone"), foreign, folder("of another store")])
    expect(existsSync(path), path).toBe(true);
  expect(existsSync(folder("dead", 9)), "an attempt that this store does not know yet").toBe(true);
  const kept = await wreck.place.withStore((store) =>
    store.raw.records({ session: dead.id as never, kinds: ["output.kept"] }),
  );
  expect(kept).toMatchObject([{ body: { text: "last words of attempt 1" } }]);
  await live.supervisor.kill();
});

test("S2: while a process runs that only the folder tells, the folder stays; it goes with the first start after that one's end", async () => {
  const wreck = wreckPlace();
  const note = join(wreck.place.home, "bare");
  const dead = await startSupervised(wreck, {
    id: "left",
    agent: `env -i setsid /bin/sh -c 'echo $$ > "$0"; exec sleep 1000' ${note} & sleep 1000`,
    script: `
      const { readFileSync, existsSync } = await import("node:fs");
      while (!existsSync(${JSON.stringify(note)}) || readFileSync(${JSON.stringify(note)}, "utf8") === "") await new Promise((r) => setTimeout(r, 20));
      const left = Number(readFileSync(${JSON.stringify(note)}, "utf8"));
      writeSeenProcesses(folder, bootId(), [{ pid: left, started: processStart(left) }]);`,
  });
  const left = Number(readFileSync(note, "utf8"));
  onTestFinished(() => killGroup(left));
  const folder = runFolder(wreck.place.home, "left", 1);
  await killBoth(dead);
  await recoverAll(wreck);
  await recoverAll(wreck);
  expect([isAlive(left), existsSync(folder)]).toEqual([true, true]);

  killGroup(left);
  await until(() => !isAlive(left), "the leftover is gone");
  await recoverAll(wreck);
  expect(existsSync(folder)).toBe(false);
});

test("a folder whose supervisor was killed after its session had ended, or whose recovery was killed, goes with a later start", async () => {
  const wreck = wreckPlace();
  await killBoth(await startSupervised(wreck, { id: "ended" }));
  await recoverAll(wreck);
  const folder = runFolder(wreck.place.home, "ended", 1);
  expect(existsSync(folder)).toBe(false);
  mkdirSync(folder);
  writeFileSync(join(folder, "tail.a"), "refloat tail 1 1\nit was all said\n");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await recoverAll(wreck);
  expect(existsSync(folder)).toBe(false);
});
