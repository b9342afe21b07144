/** D6: a disk that fails. The kernel's answers are changed by strace; everything else is real. */
import { expect, test } from "vitest";
import { codeOf, open, sessionId, valuesOf } from "../conformance/harness.ts";
import { inline, killedStore } from "../support/leftover-store.ts";
import { traced } from "../support/traced.ts";

/** Opens the store and appends ten times whatever happens; says for each what came of it. */
const writer = (path: string): string => `
  import { openRawStore } from "./store/open-raw-store.js";
  import { selfOwner } from "./platform/identity.js";
  const store = await openRawStore(${JSON.stringify(path)}, { thread: false });
  const seen = await store.session("w");
  const { attempt } = await store.take({ session: "w", seen: seen && { attempt: seen.claim.attempt, holder: null }, owner: selfOwner(), nowMs: 1, thresholdMs: 1, records: [] });
  for (let value = 0; value < 10; value++) {
    const body = { key: "k", value, reason: null, step: null };
    const record = { id: String(value), kind: "decided", atMs: 1, body };
    await store.append("w", { attempt }, [record]).then(
      () => console.log(JSON.stringify([value, "saved"])),
      (error) => console.log(JSON.stringify([value, error.code ?? String(error)])),
    );
  }
  process.kill(process.pid, "SIGKILL");`;

const SYNC = "fsync,fdatasync";

test.each([
  ["sync", `${SYNC}:error=EIO:when=5`, "E_STORE_IO", 1],
  ["sync, and every second one after it", `${SYNC}:error=EIO:when=5+2`, "E_STORE_IO", 4],
  ["write", "pwrite64:error=EIO:when=14", "E_STORE_IO", 1],
  ["write, from then on", "pwrite64:error=EIO:when=14+", "E_STORE_IO", 7],
  ["write for want of space", "pwrite64:error=ENOSPC:when=14", "E_STORE_FULL", 1],
])(
  "D6: when a %s fails the append is rejected, every append that was acknowledged is there afterwards, and work goes on",
  async (_what, inject, code, atLeast) => {
    const place = inline();
    const store = await open(place);
    await store.close();
    const { said } = traced(["-e", `trace=${SYNC},pwrite64`, "-e", `inject=${inject}`], writer(place.url));
    const outcomes = said as [number, string][];
    const saved = outcomes.filter(([, how]) => how === "saved").map(([value]) => value);
    const failed = outcomes.filter(([, how]) => how !== "saved");
    expect(outcomes.map(([value]) => value)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(failed.length).toBeGreaterThanOrEqual(atLeast);
    expect(new Set(failed.map(([, how]) => how))).toEqual(new Set([code]));
    const found = await valuesOf(await open(place), sessionId("w"));
    expect(found.filter((value) => saved.includes(Number(value)))).toEqual(saved);
    expect(found).toEqual([...new Set(found)].sort());
  },
);

test("D6: when a checkpoint cannot be written nothing acknowledged is lost, and the log stays the truth", async () => {
  const place = inline();
  await (await open(place)).close();
  const text = `
    import { openRawStore } from "./store/open-raw-store.js";
    import { selfOwner } from "./platform/identity.js";
    const store = await openRawStore(${JSON.stringify(place.url)}, { thread: false });
    await store.take({ session: "w", seen: null, owner: selfOwner(), nowMs: 1, thresholdMs: 1, records: [] });
    for (let value = 0; value < 700; value++) {
      const body = { key: "k".repeat(3000), value, reason: null, step: null };
      await store.append("w", { attempt: 1 }, [{ id: String(value), kind: "decided", atMs: 1, body }]);
      if (value % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    console.log(JSON.stringify("all saved"));
    process.kill(process.pid, "SIGKILL");`;
  // Only the copying of the log writes to the database file itself.
  const { said, calls } = traced(
    ["-P", place.url, "-e", "trace=pwrite64", "-e", "inject=pwrite64:error=EIO:when=1+"],
    text,
  );
  expect(said).toEqual(["all saved"]);
  expect(calls.filter((call) => call.includes("INJECTED")).length).toBeGreaterThan(0);
  expect(await valuesOf(await open(place), sessionId("w"))).toHaveLength(700);
});

test("D1: refloat never removes, renames or cuts a log it finds: only SQLite does, when it has copied all of it", async () => {
  const place = await killedStore(40);
  const { calls } = traced(
    ["-e", "trace=unlink,unlinkat,rename,renameat,renameat2,truncate,ftruncate,creat"],
    writer(place.url),
  );
  const onLog = calls.filter((call) => call.includes("-wal") && !call.includes(".new-"));
  expect(onLog).toEqual([]);
  expect(await valuesOf(await open(place), sessionId("s"))).toHaveLength(40);
});

test("D6: where reading fails the answer is E_STORE_IO or comes from a copy, and is never a shorter journal", async () => {
  const place = await killedStore(40);
  const text = `
    import { openRawStore } from "./store/open-raw-store.js";
    const store = await openRawStore(${JSON.stringify(place.url)}, { thread: false }).catch((error) => {
      console.log(JSON.stringify(error.code)); process.exit(0);
    });
    const records = [];
    try { for await (const record of store.journal("s")) records.push(record.seq); console.log(JSON.stringify(records.length)); }
    catch (error) { console.log(JSON.stringify(error.code)); }
    process.kill(process.pid, "SIGKILL");`;
  const answers: unknown[] = [];
  for (const when of [1, 4, 8]) {
    const { said, calls } = traced(
      [
        "-P",
        place.url,
        "-P",
        `${place.url}-wal`,
        "-e",
        "trace=pread64",
        "-e",
        `inject=pread64:error=EIO:when=${when}+`,
      ],
      text,
    );
    answers.push(...said);
    expect(calls.filter((call) => call.includes("INJECTED")).length).toBeGreaterThan(0);
  }
  expect(answers).toHaveLength(3);
  expect(answers.filter((answer) => answer !== 41 && answer !== "E_STORE_IO")).toEqual([]);
  expect(await codeOf(open(place))).toMatch(/^no error/);
});
