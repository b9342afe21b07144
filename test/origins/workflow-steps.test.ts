/** The origin's steps: their course, their times, what its page says to do when one is wrong, and what its validator warns of. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject as Doc } from "../../src/model/json.ts";
import { jsonSchemaOf } from "../../src/workflow/definition.ts";
import { stepsIn } from "../../src/workflow/state-doc.ts";
import { ORIGINAL_WORKFLOW } from "../../src/workflow/step-list.ts";
import { decideStep, type StepExtras, type StepOrder } from "../../src/workflow/step-transition.ts";
import { validateText, validateValue } from "../../src/workflow/validate.ts";
import { STORES } from "../support/both-stores.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { around, freshDoc, NOW_MS, sample, withStepFields } from "../workflow/samples.ts";
import { withState } from "./log-stores.ts";

const STATE = "00-session-state.json";
const LONG_AGO = "2020-01-01T00:00:00Z";
const NOW = "2026-06-01T12:00:00Z";
const NONE: StepExtras = { artifacts: [], contextFiles: [], findings: [], resolved: [] };

const path = (place: Place): string => join(place.workspace, STATE);
const read = (place: Place): JsonObject => JSON.parse(readFileSync(path(place), "utf8"));
const edit = (place: Place, change: (doc: JsonObject) => void): void => {
  const doc = read(place);
  change(doc);
  writeFileSync(path(place), `${JSON.stringify(doc, null, 2)}\n`);
};
const started = async (): Promise<Place> => {
  const place = makePlace();
  await place.refloat(["state", "init"]);
  return place;
};
const rulesIn = (doc: unknown): string[] =>
  validateValue("f", doc, around()).findings.map(({ rule, path: at }) => `${rule} ${at}`.trim());
/** One order on a document, by the pure rules. */
const ordered = (doc: Doc, id: string, order: StepOrder, extras: Partial<StepExtras> = {}) => {
  const step = stepsIn(doc, ORIGINAL_WORKFLOW).find(({ spec }) => spec.id === id);
  if (!step) throw new Error(id);
  const facts = { doc, shape: ORIGINAL_WORKFLOW, step, extras: { ...NONE, ...extras }, nowMs: NOW_MS };
  const next = decideStep(facts, order);
  if (next.kind === "refused") throw new Error(`${next.why} ${next.instead}`);
  return { ...next, step: (next.doc.steps as Record<string, Doc>)[id] as Doc };
};

describe("the course of the steps", () => {
  it("origin 003.1, 003.13, 003.14: complete, in progress or pending; pending starts, in progress goes on behind its checkpoint and reads nothing again", async () => {
    const place = await started();
    expect((await place.json(["step", "start", "1", "--context", "a.md"])).json.resume).toEqual({
      kind: "fresh",
    });
    await place.refloat(["step", "sub", "1", "phase_1_discovery"]);
    const again = await place.json(["step", "start", "1"]);
    expect(again.json.resume).toEqual({
      kind: "after",
      subStep: "phase_1_discovery",
      alreadyRead: ["a.md"],
    });
    await place.refloat(["step", "done", "1"]);
    const { steps } = read(place);
    expect(["1", "2"].map((id) => steps[id].status)).toEqual(["complete", "pending"]);
  });

  it("origin 003.2: a checkpoint that is no part of the step, or lies before the last one, is said, and taken as it was meant", async () => {
    const place = await started();
    await place.refloat(["step", "start", "1"]);
    const named = await place.json(["step", "sub", "1", "phase_3_nfr"]);
    expect(named.json.warnings).toEqual([]);
    const back = await place.json(["step", "sub", "1", "phase_1_discovery"]);
    expect(back.json.warnings).toEqual([
      "phase_1_discovery lies before phase_3_nfr, where step 1 was: what comes after phase_1_discovery is to be done again.",
    ]);
    const other = await place.refloat(["step", "sub", "1", "phase_2_worklod"]);
    expect([other.code, other.stderr]).toEqual([
      0,
      expect.stringContaining("Did you mean phase_2_workload?"),
    ]);
    expect(read(place).steps["1"].sub_step).toBe("phase_2_worklod");
    expect((await place.json(["step", "sub", "1", " "])).code).toBe(64);
    // Governance has no list: every name is as good as another.
    await place.refloat(["step", "start", "3.5"]);
    expect((await place.json(["step", "sub", "3.5", "whatever"])).json.warnings).toEqual([]);
  });

  it("origin 003.15: a finished step names the next one, with a command that can be typed; so does one that is asked for again (T6)", async () => {
    const place = await started();
    await place.refloat(["step", "start", "1"]);
    const done = await place.refloat(["step", "done", "1"]);
    expect(done.stdout).toContain("Next is step 2 (Architecture): refloat step start 2\n");
    expect((await place.json(["step", "skip", "2", "--reason", "r"])).json.next).toEqual({
      step: "3",
      name: "Design",
      status: "pending",
    });
    // One that was skipped is not called complete (T1).
    const handoff = readFileSync(join(place.workspace, "00-handoff.md"), "utf8");
    expect(handoff).toMatch(/^# .* \(Step 2 skipped\)$/m);
    const again = await place.json(["step", "start", "1", "--file", STATE]);
    expect(again.json).toMatchObject({ code: "E_STEP", message: "Step 1 is complete already." });
    const commands = [...again.json.hint.matchAll(/`refloat ([^`]+)`/g)].map(([, command]) =>
      command.split(" "),
    );
    expect(commands).toEqual([
      ["step", "start", "3", "--file", STATE],
      ["step", "reset", "1", "--file", STATE, "--reason", "WHY"],
    ]);
    for (const command of commands.toReversed()) expect((await place.json(command)).code).toBe(0);
    const last = makePlace();
    writeFileSync(
      join(last.workspace, "refloat.json"),
      '{"workflow": {"steps": [{"id": 1, "name": "Only"}]}}',
    );
    await last.refloat(["state", "init"]);
    await last.refloat(["step", "start", "1"]);
    expect((await last.refloat(["step", "done", "1"])).stdout).toContain(
      "Every step is complete or skipped.",
    );
  });

  it("origin 003.25: a step that is complete and was never run is found, and the finding leads to the origin's reset", async () => {
    const place = await started();
    edit(place, (doc) => {
      doc.steps["1"].status = "complete";
    });
    const { findings } = (await place.json(["state", "validate"])).json;
    const found = findings.find(({ rule }: JsonObject) => rule === "never-run");
    expect(found).toMatchObject({
      path: "steps.1",
      command: `refloat step reset 1 --file ${path(place)} --reason WHY`,
    });
    const [, ...command] = found.command.split(" ");
    expect((await place.json(command)).json).toMatchObject({ status: "pending", next: { step: "1" } });
    expect((await place.json(["step", "start", "1"])).json.resume).toEqual({ kind: "fresh" });
    // What left something behind was run, whatever it says of its times.
    const ran = withStepFields(freshDoc(), "1", { status: "complete", artifacts: ["01.md"] });
    expect(rulesIn({ ...ran, current_step: 1 })).toEqual([
      "no-time steps.1.started",
      "no-time steps.1.completed",
    ]);
  });
});

describe.each(STORES)("times and files are those of the run that counts (T1), on %s", (_name, storeIn) => {
  it("origin 003.26: a step set back to pending by hand, as the origin does it, starts with a time and files of its own", () =>
    withState(storeIn, async ({ edit: byHand, read: now, step }) => {
      await step("4", { kind: "start" }, { contextFiles: ["a", "b", "c"] });
      await step("4", { kind: "done" }, { artifacts: ["04-implementation-plan.md"] });
      byHand((doc) => {
        Object.assign(doc.steps["4"], { status: "pending", sub_step: null, started: LONG_AGO });
      });
      const again = await step("4", { kind: "start" }, { contextFiles: ["d"] });
      expect(again.warnings.join()).not.toContain("budget");
      const { started: at, completed, context_files_used, artifacts } = now().steps["4"];
      expect(Date.parse(at)).toBeGreaterThan(Date.parse(LONG_AGO));
      expect([completed, context_files_used]).toEqual([null, ["d"]]);
      expect(artifacts).toEqual(["04-implementation-plan.md"]);
    }));

  it("origin 003.27: a step that is reset has no time and no files of the run before, its artifacts stay listed; skipped, it was not completed", () =>
    withState(storeIn, async ({ edit: byHand, read: now, step }) => {
      await step("1", { kind: "start" }, { contextFiles: ["a", "b"] });
      await step(
        "1",
        { kind: "sub", name: "phase_1_discovery" },
        { contextFiles: ["c"], artifacts: ["01-x.md"] },
      );
      await step("1", { kind: "done" });
      await step("1", { kind: "reset", reason: "again" });
      const reset = now().steps["1"];
      expect(reset).toMatchObject({
        status: "pending",
        started: null,
        completed: null,
        context_files_used: [],
      });
      expect(reset).toMatchObject({ artifacts: ["01-x.md"] });
      expect(reset).not.toHaveProperty("context_files_on_demand");
      byHand((doc) => {
        Object.assign(doc.steps["2"], { started: LONG_AGO, completed: LONG_AGO });
      });
      await step("2", { kind: "skip", reason: "not needed" });
      expect(now().steps["2"]).toMatchObject({ status: "skipped", started: null, completed: null });
      await step("3", { kind: "start" });
      const { started: at } = now().steps["3"];
      await step("3", { kind: "skip", reason: "enough" });
      expect(now().steps["3"]).toMatchObject({ status: "skipped", started: at, completed: null });
    }));

  it("a step begun again without a checkpoint counts from now, and says since when it had been begun", () =>
    withState(storeIn, async ({ edit: byHand, read: now, step }) => {
      await step("1", { kind: "start" }, { contextFiles: ["a", "b"] });
      byHand((doc) => {
        doc.steps["1"].started = LONG_AGO;
      });
      const again = await step("1", { kind: "start" }, { contextFiles: ["c"] });
      expect(again.resume).toEqual({ kind: "restart", since: LONG_AGO });
      expect(Date.parse(now().steps["1"].started)).toBeGreaterThan(Date.parse(LONG_AGO));
      expect(now().steps["1"].context_files_used).toEqual(["c"]);
      await step("1", { kind: "sub", name: "phase_1_discovery" });
      byHand((doc) => {
        doc.steps["1"].started = LONG_AGO;
      });
      await step("1", { kind: "start" });
      expect(now().steps["1"].started).toBe(LONG_AGO);
    }));
});

describe("what the origin's validators warn of", () => {
  it("origin 003.28: fields that no version knows, with what was meant; they are kept, and accepted with a reason", async () => {
    const place = await started();
    edit(place, (doc) => {
      doc.curent_step = 1;
      doc.steps["1"].sub_stp = null;
      doc.steps["1"].claim.owner = "x";
      doc.steps["9"] = {};
      doc["x-mine"] = doc._note = 1;
    });
    const { json } = await place.json(["state", "validate"]);
    expect(json.findings.map(({ rule, path: at }: JsonObject) => `${rule} ${at}`)).toEqual(
      ["curent_step", "steps.9", "steps.1.sub_stp", "steps.1.claim.owner"].map((at) => `unknown-field ${at}`),
    );
    expect(json.findings[0].message).toContain("Did you mean current_step?");
    expect((await place.refloat(["step", "start", "1"])).code).toBe(0);
    expect(read(place)).toMatchObject({ curent_step: 1, steps: { 1: { sub_stp: null } }, "x-mine": 1 });
    await place.refloat(["decide", "accept.unknown-field.curent_step", "yes", "--reason", "ours"]);
    const left = (await place.json(["state", "validate"])).json.findings;
    expect(left.map(({ path: at }: JsonObject) => at)).not.toContain("curent_step");
  });

  it("origin 003.32: a 1.0 file is said to be one, with the command that upgrades it; using it upgrades it, too", async () => {
    const place = makePlace();
    writeFileSync(path(place), sample("v1.0-template").text);
    const { code, json } = await place.json(["state", "validate"]);
    expect(code).toBe(0);
    expect(json.findings).toMatchObject([
      { rule: "old-version", path: "schema_version", severity: "warning" },
      { rule: "no-handoff" }, // nobody wrote its companion
    ]);
    const [, ...command] = json.findings[0].command.split(" ");
    expect((await place.json(command)).code).toBe(0);
    expect(read(place)).toMatchObject({ schema_version: "2.0", lock: { owner_id: null } });
    const rules = (await place.json(["state", "validate"])).json.findings.map(({ rule }: JsonObject) => rule);
    expect(rules).not.toContain("old-version");
  });

  it("a gap is a step at work or complete before an earlier one is finished, as its page says; a step skipped ahead, or absent by right, is none", () => {
    const working = { status: "in_progress", started: NOW };
    const done = { status: "complete", started: NOW, completed: NOW };
    const at = (doc: Doc, step: number): Doc => ({ ...doc, current_step: step });
    expect(rulesIn(at(withStepFields(freshDoc(), "2", working), 2))).toEqual(["gap steps.1"]);
    expect(rulesIn(at(withStepFields(freshDoc(), "2", done), 2))).toEqual(["gap steps.1"]);
    const both = withStepFields(withStepFields(freshDoc(), "1", working), "2", working);
    expect(rulesIn(at(both, 2))).toEqual(["gap steps.1"]);
    expect(rulesIn(at(withStepFields(freshDoc(), "2", { status: "skipped" }), 2))).toEqual([]);
    const { steps, ...rest } = ["1", "2", "3", "4"].reduce<Doc>(
      (doc, id) => withStepFields(doc, id, done),
      freshDoc(),
    );
    const { "3.5": _, ...without } = steps as Doc;
    expect(rulesIn(at({ ...rest, steps: without }, 4))).toEqual([]);
  });

  it("origin 003.5, 003.6, 003.43, 003.44: new files are 2.0, one schema is the authority of both validators, and after an edit by hand both speak", async () => {
    const place = await started();
    expect(read(place)).toMatchObject({ schema_version: "2.0", $schema: "urn:refloat:session-state:2.0" });
    const file = join(import.meta.dirname, "../../schemas/session-state-2.0.json");
    expect(existsSync(file) && JSON.parse(readFileSync(file, "utf8"))).toEqual(
      jsonSchemaOf(ORIGINAL_WORKFLOW, "2.0"),
    );
    edit(place, (doc) => {
      doc.steps["1"].status = "finished";
      doc.lock = { owner_id: "gone", heartbeat: LONG_AGO };
    });
    const { code, json } = await place.json(["state", "validate"]);
    expect(code).toBe(1);
    const rules = json.findings.map(({ rule }: JsonObject) => rule);
    expect(rules).toEqual(expect.arrayContaining(["bad-value", "stale-claim"]));
    for (const name of ["v1.0-template", "v2.0-full-template", "v3.0-template"])
      expect(
        validateText("f", sample(name).text, around()).findings.filter(
          ({ severity }) => severity === "error",
        ),
      ).toEqual([]);
  });
});

describe("the file load budget", () => {
  it.each([
    ["1", 2],
    ["2", 3],
    ["4", 3],
    ["5", 3],
  ])(
    "origin 003.39, 003.40: step %s may load %i files at its start, the larger number of the two tables",
    (id, most) => {
      const files = Array.from({ length: most + 1 }, (_, i) => `f${i}`);
      const within = ordered(freshDoc(), id, { kind: "start" }, { contextFiles: files.slice(1) });
      expect(within.warnings.join()).not.toContain("budget");
      // Said, never refused: a file that is read cannot be unread.
      const over = ordered(freshDoc(), id, { kind: "start" }, { contextFiles: files });
      expect(over.warnings).toContain(`Step ${id} has loaded ${most + 1} files; its budget is ${most}.`);
    },
  );

  it("origin 003.41, 003.42: files read on demand are listed and do not count, and what was said at the start is not said again", () => {
    const begun = ordered(freshDoc(), "1", { kind: "start" }, { contextFiles: ["a", "b"] });
    const later = ordered(
      begun.doc,
      "1",
      { kind: "sub", name: "phase_1_discovery" },
      { contextFiles: ["c", "a"] },
    );
    expect(later.warnings).toEqual([]);
    expect(later.step).toMatchObject({
      context_files_used: ["a", "b", "c"],
      context_files_on_demand: ["c"],
    });
    expect(rulesIn(later.doc)).toEqual([]);
    const over = ordered(freshDoc(), "1", { kind: "start" }, { contextFiles: ["a", "b", "c"] });
    expect(over.warnings).toHaveLength(1);
    expect(rulesIn(over.doc)).toEqual(["budget steps.1.context_files_used"]);
    expect(ordered(over.doc, "1", { kind: "sub", name: "phase_1_discovery" }).warnings).toEqual([]);
    expect(ordered(over.doc, "1", { kind: "done" }).warnings).toEqual([]);
  });
});
