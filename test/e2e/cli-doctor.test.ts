/** Every check of the doctor has a place that is broken so that it fires, and a sound one in which none does. */
import { chmodSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHECKS, type CheckId, diagnose } from "../../src/doctor/checks.ts";
import type { DoctorFacts } from "../../src/doctor/facts.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { cutOffSession, deadOwner, makePlace, type Place, unreachableOwner } from "../support/cli.ts";
import { runStepper } from "../workflow/run-stepper.ts";
import { sample } from "../workflow/samples.ts";

const STATE = "00-session-state.json";
const STALE = { owner_id: "gone", heartbeat: "2020-01-01T00:00:00Z", attempt_token: null, acquired: null };

/** A store with a finished session and a state file at work: nothing is wrong. */
async function sound(): Promise<Place> {
  const place = makePlace();
  await place.withStore(async (store) => {
    const session = await store.begin({ agent: "t", workspace: place.workspace });
    await session.finish();
  });
  await place.refloat(["state", "init"]);
  await place.refloat(["step", "start", "1", "--owner", "me"]);
  return place;
}

const stateFile = (place: Place): string => join(place.workspace, STATE);
const editState = (place: Place, change: (text: string) => string): void =>
  writeFileSync(stateFile(place), change(readFileSync(stateFile(place), "utf8")));
const heldBy = (owner: ReturnType<typeof deadOwner>) => (place: Place) =>
  place.withStore(async (store) => {
    await store.begin({ id: "held", agent: "t", workspace: place.workspace, owner });
  });

/** What breaks a sound place. The rows of CHECKS that need another machine are in OTHERWISE. */
const BREAK: Partial<Record<CheckId, (place: Place) => Promise<unknown> | unknown>> = {
  "store-damage": ({ store }) => truncateSync(store, 0),
  "store-tail": async (place) => {
    const { writeMark, readMark } = await import("../../src/store/sqlite/mark.ts");
    const mark = readMark(place.store);
    if (!mark) throw new Error("no mark");
    const heads = new Map([...mark.heads].map(([session, seq]) => [session, seq + 1000]));
    writeMark(place.store, { ...mark, heads });
  },
  "store-permissions": ({ store }) => chmodSync(store, 0o644),
  "session-interrupted": (place) => cutOffSession(place, { id: "cut-off" }),
  "session-suspended": (place) =>
    place.withStore(async (store) => {
      const session = await store.begin({ id: "loops", agent: "t", workspace: place.workspace });
      await session.release();
      await store.raw.append("loops" as SessionId, "anyone", [
        { id: "s" as never, kind: "session.suspended", atMs: 1, body: { reason: "r" } },
      ]);
    }),
  "claim-stale": heldBy(deadOwner()),
  "claim-unreachable": heldBy(unreachableOwner()),
  "state-damaged": (place) => editState(place, (text) => text.slice(0, 200)),
  "state-unfinished": (place) =>
    runStepper({
      store: { url: place.store },
      file: stateFile(place),
      owner: "me",
      seed: 0,
      rounds: 1,
      mode: "sweep",
      crashAt: "state.after-journal",
    }),
  "state-version": (place) => writeFileSync(stateFile(place), sample("v1.0-template").text),
  "state-lock": (place) =>
    editState(place, (text) => {
      const doc = JSON.parse(text);
      doc.steps["2"].claim = STALE;
      return JSON.stringify(doc, null, 2);
    }),
  "state-progress": (place) =>
    editState(place, (text) => text.replace('"artifacts": []', '"artifacts": ["not-there.md"]')),
};

const checksIn = async (place: Place, env: Record<string, string> = {}): Promise<string[]> => {
  const { json } = await place.json(["doctor"], { env });
  return json.findings.map(({ check }: { check: string }) => check);
};

describe("the doctor", () => {
  it("finds nothing in a sound place, nor where nothing is at all, and changes nothing", async () => {
    const place = await sound();
    const before = readFileSync(stateFile(place), "utf8");
    expect((await place.json(["doctor", "--exit-code"])).json).toEqual({
      schema: "refloat.doctor/1",
      findings: [],
      fixed: [],
    });
    expect(readFileSync(stateFile(place), "utf8")).toBe(before);
    expect(await checksIn(makePlace())).toEqual([]);
  });

  it.each(Object.entries(BREAK))(
    "%s is found where it is so, with its command, and not before",
    async (check, breakIt) => {
      const place = await sound();
      expect(await checksIn(place)).toEqual([]);
      await breakIt(place);
      const { code, json } = await place.json(["doctor", "--exit-code"]);
      const found = json.findings.filter((one: { check: string }) => one.check === check);
      expect(found.length, JSON.stringify(json)).toBeGreaterThan(0);
      expect(code).toBe(3);
      for (const { command, severity } of found) {
        expect(command).toMatch(/^refloat /);
        expect(severity).toBe(CHECKS.find(({ id }) => id === check)?.severity);
      }
    },
  );

  it("git-version is found where no git is on the path", async () => {
    const place = await sound();
    expect(await checksIn(place, { PATH: place.home })).toEqual(["git-version"]);
  });

  /** Another Node, another file system, a full disk, a newer store, a server out of reach: as facts. */
  const well: DoctorFacts = {
    nodeVersion: "22.1.0",
    gitProblem: null,
    store: {
      address: "x",
      isThere: true,
      openError: null,
      fileSystem: null,
      freeBytes: 2 ** 40,
      open: [],
      damage: [],
    },
    sessions: [],
    claims: [],
    stateFiles: [],
  };
  const openError = (code: string): Partial<DoctorFacts> => ({
    store: { ...well.store, openError: { code, message: "m" } },
  });
  const OTHERWISE: Partial<Record<CheckId, Partial<DoctorFacts>>> = {
    "node-version": { nodeVersion: "20.19.9" },
    "git-version": { gitProblem: "git is too old" },
    "store-file-system": { store: { ...well.store, fileSystem: { name: "nfs", isSafeForWal: false } } },
    "store-version": openError("E_STORE_NEWER"),
    "store-open": openError("E_STORE_UNREACHABLE"),
    "disk-space": { store: { ...well.store, freeBytes: 1024 } },
  };

  it.each(Object.entries(OTHERWISE))(
    "%s is found by its facts alone, and not without them",
    (check, facts) => {
      expect(diagnose(well)).toEqual([]);
      expect(diagnose({ ...well, ...facts }).map((one) => one.check)).toEqual([check]);
    },
  );

  it("has a broken fixture for every row", () => {
    expect([...Object.keys(BREAK), ...Object.keys(OTHERWISE)].toSorted()).toEqual(
      CHECKS.map(({ id }) => id).toSorted(),
    );
  });

  it("--fix settles, finishes, repairs and upgrades what needs no decision, keeps what it replaces, and then finds nothing", async () => {
    const place = await sound();
    await cutOffSession(place, { id: "cut-off" });
    chmodSync(place.store, 0o644);
    const damaged = readFileSync(stateFile(place), "utf8").slice(0, 300);
    writeFileSync(stateFile(place), damaged);
    const { json } = await place.json(["doctor", "--fix"]);
    expect(json.findings).toEqual([]);
    expect(json.fixed.map(({ check }: { check: string }) => check)).toEqual(
      expect.arrayContaining(["store-permissions", "session-interrupted", "state-damaged"]),
    );
    expect(statSync(place.store).mode & 0o777).toBe(0o600);
    const kept = json.fixed
      .map(({ message }: { message: string }) => /damaged one is (\S+)\.$/.exec(message)?.[1])
      .find(Boolean);
    expect(readFileSync(kept, "utf8")).toBe(damaged);
    expect((await place.refloat(["doctor"])).stdout).toContain("Sound.");
  });
});
