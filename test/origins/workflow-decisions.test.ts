/** The origin's decisions and its log, as its page writes them: what is decided, kept, read by others, and cannot be taken out. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { identityOf } from "../../src/workflow/claim-ids.ts";
import { claimOwner } from "../../src/workflow/claim-owner.ts";
import { repairFile, upgradeFile } from "../../src/workflow/file-acts.ts";
import { editOf } from "../../src/workflow/kept-log.ts";
import { readKnownLog } from "../../src/workflow/state-journal.ts";
import { beat, decide } from "../../src/workflow/step-acts.ts";
import { validateValue } from "../../src/workflow/validate.ts";
import { STORES } from "../support/both-stores.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { around } from "../workflow/samples.ts";
import { type StateWithStore, withState } from "./log-stores.ts";

const STATE = "00-session-state.json";
const EXAMPLE = { iac_tool: "bicep", primary_region: "swedencentral", complexity: "standard" };
const ENTRY = {
  step: 1,
  key: "iac_tool",
  value: "bicep",
  reason: "Team preference and existing Bicep expertise",
};

const path = (place: Place): string => join(place.workspace, STATE);
const read = (place: Place): JsonObject => JSON.parse(readFileSync(path(place), "utf8"));
const edit = (place: Place, change: (doc: JsonObject) => void): void => {
  const doc = read(place);
  change(doc);
  writeFileSync(path(place), `${JSON.stringify(doc, null, 2)}\n`);
};
const findings = async (place: Place): Promise<string[]> =>
  (await place.json(["state", "validate"])).json.findings.map((one: { rule: string; path: string }) =>
    `${one.rule} ${one.path}`.trim(),
  );

describe("the origin's own examples", () => {
  it("origin 003.33: `decide iac_tool bicep` and the other two of its example are decided as typed, and leave no finding", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    for (const [key, value] of Object.entries(EXAMPLE)) {
      const { code, json } = await place.json(["decide", key, value, "--step", "1", "--reason", "r"]);
      expect([code, json.value], JSON.stringify(json)).toEqual([0, value]);
    }
    const doc = read(place);
    expect(doc.decisions).toMatchObject(EXAMPLE);
    // The top of the file knows both, in the one spelling that other tools' validators take.
    expect([doc.iac_tool, doc.region]).toEqual(["Bicep", "swedencentral"]);
    expect(await findings(place)).toEqual([]);
    expect((await place.json(["decide", "iac_tool", "TERRAFORM"])).code).toBe(0);
    expect(read(place).iac_tool).toBe("Terraform");
    // What is no tool of the list is refused, and nothing is changed (T1).
    expect((await place.json(["decide", "iac_tool", "make"])).json.code).toBe("E_STATE_INVALID");
    expect(read(place).decisions.iac_tool).toBe("TERRAFORM");
  });

  it("origin 003.33, 003.36: a file written by hand with its decisions, its log entry and its names of steps has no finding, and is used as it is", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    const { $schema: _, ...doc } = read(place);
    const byHand = makePlace();
    const written = {
      ...doc,
      iac_tool: "bicep",
      lock: {},
      decisions: EXAMPLE,
      decision_log: [ENTRY],
    } as JsonObject;
    written.steps["4"].name = "Plan";
    written.steps["5"].name = "Code";
    delete written.steps["3.5"];
    writeFileSync(path(byHand), JSON.stringify(written, null, 2));
    writeFileSync(
      join(byHand.workspace, "00-handoff.md"),
      readFileSync(join(place.workspace, "00-handoff.md")),
    );
    expect(await findings(byHand)).toEqual([]);
    expect((await byHand.json(["step", "start", "1"])).code).toBe(0);
    // What was there stays as it was written (D5); the log is added to.
    expect(read(byHand)).toMatchObject({ iac_tool: "bicep", decisions: EXAMPLE, decision_log: [ENTRY] });
    expect((await byHand.json(["decide", "complexity", "simple", "--reason", "r"])).code).toBe(0);
    expect(read(byHand).decision_log).toMatchObject([ENTRY, { id: "D002", key: "complexity" }]);
    expect(await findings(byHand)).toEqual([]);
  });

  it("origin 003.33: decisions that a config names are needed in every file, those of the original list only once they are made", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    edit(place, (doc) => {
      doc.decisions = {};
    });
    expect(await findings(place)).toEqual([]);
    writeFileSync(join(place.workspace, "refloat.json"), '{"workflow": {"decisions": ["owner"]}}');
    expect(await findings(place)).toEqual(["missing-field decisions.owner"]);
  });
});

describe("state import", () => {
  it("takes refloat's own export while a claim is held: the copy is sound, its steps are free, and who held them is on record (K5)", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    const { token } = (await place.json(["step", "start", "1", "--owner", "ann"])).json;
    for (const to of ["2.0", "3.0"]) {
      const exported = await place.refloat(["state", "export", "--to", to]);
      const { states, redacted } = JSON.parse(exported.stdout);
      expect(redacted).toBe(false);
      // The token is a number of the file's own, no secret in it.
      if (to === "2.0") expect(states[0].state.lock.attempt_token).toBe(token);
      writeFileSync(join(place.home, "export.json"), exported.stdout);
      for (const into of ["2.0", "3.0"]) {
        const folder = join(place.workspace, `from-${to}-to-${into}`);
        const { code, json } = await place.json([
          ...["state", "import", join(place.home, "export.json"), folder],
          ...["--to", into],
        ]);
        expect([code, json.freed], JSON.stringify(json)).toEqual([0, [{ step: "1", owner: "ann" }]]);
        expect((await place.json(["state", "validate", folder])).json.findings).toEqual([]);
        expect((await place.json(["step", "start", "1", "--owner", "bob", "--file", folder])).code).toBe(0);
      }
      const copy = JSON.parse(readFileSync(join(place.workspace, `from-${to}-to-2.0`, STATE), "utf8"));
      expect(copy.steps["1"].claim.event_log).toMatchObject([{ type: "release", outcome: "import" }]);
    }
    // The other file's claim is as it was.
    expect(read(place).steps["1"].claim).toMatchObject({ owner_id: "ann", attempt_token: token });
  });

  it("takes a state file with a claim as it lies there, and an export in which a token was taken out for a secret", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    await place.refloat(["step", "start", "1", "--owner", "ann"]);
    mkdirSync(join(place.workspace, "b"));
    expect((await place.json(["state", "import", STATE, "b"])).code).toBe(0);
    const doc = read(place);
    doc.lock.attempt_token = doc.steps["1"].claim.attempt_token = "[token removed]";
    writeFileSync(join(place.home, "old-export.json"), JSON.stringify({ states: [{ state: doc }] }));
    expect((await place.json(["state", "import", join(place.home, "old-export.json"), "c"])).code).toBe(0);
    expect(existsSync(join(place.workspace, "c", STATE))).toBe(true);
    expect((await place.json(["state", "validate", "b", "c"])).json.findings).toEqual([]);
  });
});

const decideAll = async ({ store, file }: StateWithStore, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys)
    await decide(store, file, { key, value: `${key}-1`, reason: `why ${key}`, step: null });
};
const keysIn = (doc: JsonObject): string[] =>
  doc.decision_log.map(({ id, key, value }: JsonObject) => `${id ?? "-"} ${key}=${value}`);
const editSeen = async ({ store, file, read }: StateWithStore) => {
  const known = await readKnownLog(store, identityOf(file).session);
  return known && editOf(known, read().decision_log ?? []);
};

const forgedLog = ({ decision_log: [first, second] }: JsonObject): JsonObject[] => [
  first,
  { ...second, value: "EVIL" },
];

describe.each(STORES)("origin 003.38: the log is an append-only audit trail, on %s", (_name, storeIn) => {
  it("an entry taken out by hand is noticed against the store, said by the next command and put back where it was; its id is not given again", () =>
    withState(storeIn, async (state) => {
      const { store, file, read, edit } = state;
      await decideAll(state, "a", "b", "c");
      edit((doc) => {
        doc.decision_log.splice(1, 2);
      });
      expect(await editSeen(state)).toMatchObject({ missing: [{ key: "b" }, { key: "c" }], changed: [] });
      const { warnings } = await decide(store, file, { key: "d", value: "d-1", reason: "why d", step: null });
      expect(warnings).toEqual(["Not in decision_log any more: D002 (b), D003 (c). Put back."]);
      expect(keysIn(read())).toEqual([
        ...["D001 a=a-1", "D002 b=b-1", "D003 c=c-1", "D004 decision_log=put back", "D005 d=d-1"],
      ]);
      expect(read().decision_log[3].reason).toContain("D002 (b), D003 (c)");
      expect(await editSeen(state)).toEqual({ missing: [], changed: [], strange: [], added: [] });
    }));

  it("an entry changed by hand is kept beside the one that was decided; neither is taken for the other", () =>
    withState(storeIn, async (state) => {
      const { store, file, read, edit, step } = state;
      await decideAll(state, "a", "b");
      edit((doc) => {
        doc.decision_log[0].value = "forged";
        doc.decisions.a = "forged";
      });
      const known = await readKnownLog(store, identityOf(file).session);
      const [first] = validateValue("f", read(), around({ log: known, nowMs: Date.now() })).findings;
      expect(first).toMatchObject({
        rule: "log-missing",
        message: 'D001 (a) was changed: the store has "a-1", the file "forged".',
      });
      const { warnings } = await step("1", { kind: "start" });
      expect(warnings[0]).toBe(
        "Changed in decision_log by hand: D001 (a). Put back; the other one is kept behind it.",
      );
      expect(keysIn(read())).toEqual([
        ...["D001 a=a-1", "D002 b=b-1", "D001 a=forged", "D004 decision_log=put back"],
      ]);
      expect(read().decision_log.map(({ by_hand }: JsonObject) => by_hand ?? false)).toEqual([
        ...[false, false, true, false],
      ]);
      // The one that was decided counts: what `decisions` says instead is a finding.
      const found = validateValue("f", read(), around({ nowMs: Date.now() })).findings;
      expect(found).toMatchObject([{ rule: "decision-differs", path: "decisions.a" }]);
      expect(found[0]?.command).toContain("decide a a-1 ");
      // Without a word in `decisions` the logged one is what it can be set to.
      const log = [{ step: 1, key: "budget", value: "500", reason: "r" }];
      const doc = { ...read(), decisions: { budget: "" }, decision_log: log } as never;
      const [empty] = validateValue("f", doc, around({ nowMs: Date.now() })).findings.filter(
        ({ rule }) => rule === "decision-differs",
      );
      expect(empty?.command).toContain("decide budget 500 ");
      // Said once: a file that is as it was written says nothing.
      expect((await step("1", { kind: "sub", name: "phase_1_discovery" })).warnings).toEqual([]);
    }));

  it("an entry that looks like one of refloat's is said before it is taken, one as people write them is taken with a note", () =>
    withState(storeIn, async (state) => {
      const { read, edit, step } = state;
      await decideAll(state, "a");
      edit((doc) => {
        doc.decision_log.push({ id: "D002", key: "b", value: "forged", timestamp: "2026-01-01T00:00:00Z" });
        doc.decision_log.push(ENTRY);
      });
      expect(await editSeen(state)).toMatchObject({ missing: [], strange: [{ id: "D002" }], added: [ENTRY] });
      expect((await step("1", { kind: "start" })).warnings).toEqual([
        "decision_log has D002 (b), which refloat never wrote here: taken as it stands.",
        "Added to decision_log by hand: iac_tool.",
      ]);
      expect(keysIn(read())).toEqual(["D001 a=a-1", "D002 b=forged", "- iac_tool=bicep"]);
      // From here on it is known, too: taking it out is noticed.
      edit((doc) => doc.decision_log.splice(1, 1));
      expect(await editSeen(state)).toMatchObject({ missing: [{ id: "D002" }] });
    }));

  it("a log taken out whole comes back by whatever command writes next: upgrade, repair; a heartbeat writes itself and nothing else", () =>
    withState(storeIn, async (state) => {
      const { store, file, read, edit, step } = state;
      await decideAll(state, "a", "b");
      await step("1", { kind: "start" });
      const forget = (): void =>
        edit((doc) => {
          delete doc.decision_log;
        });
      forget();
      await beat(store, file, "1", claimOwner(undefined, "a"));
      expect(read().decision_log).toBeUndefined();
      expect((await repairFile(store, file)).notes).toHaveLength(1);
      forget();
      expect((await upgradeFile(store, file, "3.0")).notes).toHaveLength(1);
      expect(keysIn(read())).toEqual([
        ...["D001 a=a-1", "D002 b=b-1"],
        ...["D003", "D004"].map((id) => `${id} decision_log=put back`),
      ]);
      // What was there when a heartbeat was written is still said.
      edit((doc) =>
        doc.decision_log.push({ id: "D005", key: "x", value: "y", timestamp: "2026-01-01T00:00:00Z" }),
      );
      await beat(store, file, "1", claimOwner(undefined, "a"));
      expect(await editSeen(state)).toMatchObject({ strange: [{ id: "D005" }] });
    }));

  it("what the store knows better is not accepted by a line in the file: only by a decision that the store knows, and a log with entries gone never", () =>
    withState(storeIn, async (state) => {
      const { store, file, read, edit } = state;
      await decideAll(state, "a", "b");
      const rules = async (): Promise<string[]> => {
        const log = await readKnownLog(store, identityOf(file).session);
        return validateValue("f", read(), around({ log, nowMs: Date.now() })).findings.map(
          ({ rule, path: at }) => `${rule} ${at}`,
        );
      };
      const strange = { id: "D003", key: "c", value: "c-1", timestamp: "2026-01-01T00:00:00Z" };
      edit((doc) => {
        doc.decision_log = [doc.decision_log[0], strange];
        doc.decisions.c = "c-1";
        doc.decisions["accept.log-missing.decision_log"] = "yes";
        doc.decisions["accept.log-strange.decision_log.1"] = "yes";
      });
      expect(await rules()).toEqual(["log-missing decision_log", "log-strange decision_log.1"]);
      const key = "accept.decision-differs.decisions.a";
      await decide(store, file, { key, value: "yes", reason: "as agreed", step: null });
      edit((doc) => {
        doc.decisions.a = "other";
      });
      expect(await rules()).toEqual([]);
      edit((doc) => {
        doc.decisions.b = "other";
        doc.decisions["accept.decision-differs.decisions.b"] = "yes";
      });
      expect(await rules()).toEqual(["decision-differs decisions.b"]);
    }));

  it("an entry changed by hand in a file that is damaged, too, is told from the true one by state repair; what a break cut off was changed by nobody", () =>
    withState(storeIn, async (state) => {
      const { store, file, read } = state;
      await decideAll(state, "a", "b");
      const sound = readFileSync(file, "utf8");
      const forged = JSON.stringify({ ...read(), decision_log: forgedLog(read()) }, null, 2);
      writeFileSync(file, forged.slice(0, -40));
      expect((await repairFile(store, file)).notes).toEqual([
        "Changed in decision_log by hand: D002 (b). Put back; the other one is kept behind it.",
      ]);
      expect(keysIn(read())).toEqual([
        ...["D001 a=a-1", "D002 b=b-1", "D002 b=EVIL", "D004 decision_log=put back"],
      ]);
      expect(read().decision_log[2].by_hand).toBe(true);
      const repaired = read().decision_log;
      for (const end of ['"D002"', '"b-1"', '"D001"']) {
        writeFileSync(file, sound.slice(0, sound.indexOf(end) + end.length));
        expect((await repairFile(store, file)).notes, end).toEqual([]);
        expect(read().decision_log).toEqual(repaired);
      }
      // A log that is none any more was taken out whole.
      writeFileSync(file, JSON.stringify({ ...read(), decision_log: "x" }));
      expect((await repairFile(store, file)).notes).toHaveLength(1);
      expect(read().decision_log.slice(0, -1)).toEqual(repaired);
      expect(keysIn(read()).at(-1)).toBe("D005 decision_log=put back");
    }));

  it("a decision that was never acknowledged is not put back, and an older version copied over the file does not take newer ones away", () =>
    withState(storeIn, async (state) => {
      const { store, file, read, edit, step } = state;
      await decideAll(state, "a");
      const older = readFileSync(file);
      await decideAll(state, "b");
      await decide(store, file, { key: "a", value: "a-2", reason: "r", step: null });
      writeFileSync(file, older);
      await step("1", { kind: "start" });
      expect(keysIn(read())).toEqual([
        ...["D001 a=a-1", "D002 b=b-1", "D003 a=a-2", "D004 decision_log=put back"],
      ]);
      // What was decided comes back with the log, not only the word that it was.
      expect(read().decisions).toMatchObject({ a: "a-2", b: "b-1" });
      // What `decisions` says beside the log stays: a finding, not ours to change.
      edit((doc) => {
        doc.decision_log = [];
        doc.decisions.a = "a-3";
      });
      await step("1", { kind: "sub", name: "phase_1_discovery" });
      expect(read().decisions).toMatchObject({ a: "a-3", b: "b-1" });
    }));
});

describe("the log by the commands", () => {
  it("origin 003.38: validate, doctor and decisions say that it was changed by hand, with the command that helps", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    for (const key of ["a", "b"]) await place.refloat(["decide", key, "1", "--reason", "r"]);
    edit(place, (doc) => {
      doc.decision_log.shift();
      doc.decision_log.push({ id: "D003", key: "c", value: "1", timestamp: "2026-01-01T00:00:00Z" });
      doc.decisions.b = "2";
    });
    const { json } = await place.json(["state", "validate"]);
    expect(json.findings.map(({ rule, path: at }: JsonObject) => `${rule} ${at}`)).toEqual([
      "log-missing decision_log",
      "log-strange decision_log.1",
      "decision-differs decisions.b",
    ]);
    expect((await place.refloat(["decisions"])).stderr).toContain("refloat state validate");
    const doctor = await place.json(["doctor"]);
    expect(doctor.json.findings.map(({ message }: JsonObject) => message).join()).toContain(
      "D001 (a) is gone",
    );
    const done = await place.refloat(["state", "repair"]);
    expect(done.stderr).toContain("Not in decision_log any more: D001 (a). Put back.");
    expect((await place.refloat(["decisions"])).stdout).toContain("a: 1");
  });

  it("origin 003.34, 003.35, 003.37: a decision is written when it is made, in the step at work, with its reason; downstream reads it; without a reason that is said", async () => {
    const place = makePlace();
    await place.refloat(["state", "init"]);
    await place.refloat(["step", "start", "1"]);
    const made = await place.json(["decide", "iac_tool", "bicep", "--reason", ENTRY.reason]);
    expect(made.json.warnings).toEqual([]);
    expect(read(place).decision_log).toMatchObject([ENTRY]);
    expect((await place.refloat(["decide", "iac_tool"])).stdout).toBe("bicep\n");
    expect((await place.json(["decisions"])).json.decisions).toMatchObject([{ ...ENTRY, step: "1" }]);
    expect(readFileSync(join(place.workspace, "00-handoff.md"), "utf8")).toContain("- iac_tool: bicep");
    const bare = await place.refloat(["decide", "complexity", "standard"]);
    expect([bare.code, bare.stderr]).toEqual([0, expect.stringContaining("No reason is on record")]);
    expect(read(place).decisions.complexity).toBe("standard");
  });
});
