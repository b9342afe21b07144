/** What a kill in the middle of a state write leaves in the user's folder goes with the next change, and nothing else does (W1, W3). */

import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { decide } from "../../src/workflow/step-acts.ts";
import { MINUTE_MS, movableClock, newState, storeOf } from "../origins/claim-stores.ts";
import { makePlace } from "../support/cli.ts";

const ID = "0123456789abcdefghjk";
const REASON = { reason: "r", step: null };

async function worked() {
  const clock = movableClock();
  const store = await storeOf("SQLite", clock);
  const file = await newState(store);
  const folder = dirname(file);
  const change = (value: string) => decide(store.raw, file, { key: "k", value, ...REASON });
  await change("one");
  const before = readFileSync(file, "utf8");
  await change("two");
  const put = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  return { clock, file, folder, before, change, put };
}

it("a temporary file with a version that the store knows, whole or cut off, is cleared away by the next change; a heartbeat of another time makes no difference (W1)", async () => {
  const { clock, file, folder, before, change, put } = await worked();
  put(`.tmp-${ID}`, before);
  put(`.tmp-${ID.replace("0", "z")}`, readFileSync(file, "utf8").slice(0, 200));
  put(`.tmp-${ID.replace("0", "y")}`, readFileSync(join(folder, "00-handoff.md"), "utf8"));
  clock.move(2 * MINUTE_MS);
  await change("three");
  expect(readdirSync(folder).filter((name) => name.startsWith(".tmp-"))).toEqual([]);
});

it("what somebody may be writing, and what is not proved to be ours, stays as it is (W3)", async () => {
  const { clock, folder, before, change, put } = await worked();
  const open = put(`.tmp-${ID}`, before);
  const fd = openSync(open, "r");
  const reader = put(`.tmp-${ID.replace("0", "w")}`, before);
  const child = spawn("tail", ["-f", reader], { stdio: ["ignore", "pipe", "ignore"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const kept = [
    open,
    reader,
    put(
      `.tmp-${ID.replace("0", "z")}`,
      "not a state at all, but long enough to be the beginning of anything else",
    ),
    put(`.tmp-${ID.replace("0", "y")}`, ""),
    put(`.tmp-${ID.replace("0", "x")}`, before.slice(0, 10)),
    put(".tmp-mine", before),
    put(`.tmp-${ID}.json`, before),
  ];
  const link = join(folder, `.tmp-${ID.replace("0", "v")}`);
  symlinkSync(put("other", before), link);
  const twice = join(folder, `.tmp-${ID.replace("0", "t")}`);
  linkSync(put("named", before), twice);
  try {
    clock.move(2 * MINUTE_MS);
    await change("three");
    expect([...kept, link, twice].filter((path) => !existsSync(path))).toEqual([]);
  } finally {
    closeSync(fd);
    child.kill();
  }
});

it("one that is younger than a write may take stays: its writer may be between its last byte and the rename (K2)", async () => {
  const { before, change, put } = await worked();
  const path = put(`.tmp-${ID}`, before);
  await change("three");
  expect(existsSync(path)).toBe(true);
});

it("of a repair killed with kill -9 while it put the damaged bytes aside: doctor names what it left (T1)", async () => {
  const place = makePlace();
  const strays = () => readdirSync(place.workspace).filter((name) => name.startsWith(".tmp-"));
  await place.json(["state", "init"]);
  writeFileSync(join(place.workspace, "00-session-state.json"), '{"schema_version": "2.0", "project": 3');
  const env = { REFLOAT_CRASH_AT: "create.before-link" };
  const killed = await place.refloat(["state", "repair"], { env });
  expect(killed.signal).toBe("SIGKILL");
  expect(strays()).toHaveLength(1);
  const { json } = await place.json(["doctor"]);
  const named = json.findings.filter(({ check }: { check: string }) => check === "stray-file");
  expect(named).toMatchObject([{ command: expect.stringContaining(strays()[0] as string) }]);
});
