/** Every rule of the validator ends in a command that helps: it is pasted into a shell as it stands, and the finding is gone. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { RULES } from "../../src/workflow/rules.ts";
import { BIN, makePlace, type Place } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const STATE = "00-session-state.json";
const DONE = { status: "complete", started: "2026-01-01T00:00:00Z", completed: "2026-01-02T00:00:00Z" };
const STALE = { owner_id: "gone", heartbeat: "2020-01-01T00:00:00Z", attempt_token: null, acquired: null };

// biome-ignore lint/suspicious/noExplicitAny: a test breaks whatever it likes.
type Doc = any;
type Break = (doc: Doc, place: Place) => Doc | string | null | Promise<null>;

const withStep = (doc: Doc, step: string, fields: object): Doc => {
  Object.assign(doc.steps[step], fields);
  return doc;
};

/** Null: what is broken is not in the document. */
const BREAK: Record<(typeof RULES)[number]["id"], Break> = {
  unreadable: (_doc, { workspace }) => {
    rmSync(join(workspace, STATE));
    mkdirSync(join(workspace, STATE));
    return null;
  },
  "not-json": (doc) => JSON.stringify(doc).slice(0, 200),
  version: (doc) => ({ ...doc, schema_version: "9.0" }),
  "missing-field": ({ region: _, ...doc }) => doc,
  "bad-value": (doc) => ({ ...doc, iac_tool: "pulumi" }),
  "step-missing": (doc, { workspace }) => {
    const steps = [
      { id: "1", name: "One" },
      { id: "1.5", name: "Between" },
    ];
    writeFileSync(join(workspace, "refloat.json"), JSON.stringify({ workflow: { steps } }));
    delete doc.steps["1.5"];
    return doc;
  },
  "audit-key": (doc) => ({ ...doc, review_audit: { step_9: {} } }),
  "old-version": (doc) => ({ ...doc, schema_version: "1.0" }),
  "unknown-field": (doc) => ({ ...withStep(doc, "1", { statsu: "pending" }), curent_step: 1 }),
  "no-lock": ({ lock: _, ...doc }) => doc,
  "no-claim": (doc) => {
    delete doc.steps["2"].claim;
    return doc;
  },
  "old-fields": async (_doc, place) => {
    await place.refloat(["state", "upgrade", "--to", "3.0"]);
    const path = join(place.workspace, STATE);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), lock: {} }));
    return null;
  },
  "decision-time": (doc) => ({ ...doc, decision_log: [{ id: "D1", step: 1, key: "a", value: "b" }] }),
  "decision-id": (doc) => ({
    ...doc,
    decision_log: [1, 2].map((value) => ({ id: "D1", key: "a", value, timestamp: DONE.started })),
  }),
  "decision-step": (doc) => ({
    ...doc,
    decision_log: [{ decision: "x", step: "8", timestamp: DONE.started }],
  }),
  "log-missing": async (_doc, place) => {
    for (const value of ["a", "b"]) await place.refloat(["decide", value, value]);
    const path = join(place.workspace, STATE);
    const doc = JSON.parse(readFileSync(path, "utf8"));
    doc.decision_log = [{ ...doc.decision_log[1], value: "c" }];
    writeFileSync(path, JSON.stringify(doc));
    return null;
  },
  "log-strange": (doc) => ({
    ...doc,
    decision_log: [{ id: "D007", key: "a", value: "b", timestamp: DONE.started }],
  }),
  "decision-differs": (doc) => ({
    ...doc,
    decisions: { ...doc.decisions, a: "it's", b: 7 },
    decision_log: ["a", "b"].map((key) => ({ step: 1, key, value: "x" })),
  }),
  "no-time": (doc) => withStep(withStep(doc, "1", { status: "complete" }), "2", { status: "in_progress" }),
  "never-run": (doc) => withStep(doc, "4", { status: "complete", artifacts: ["gone.md"] }),
  date: (doc) => ({ ...withStep(doc, "1", { started: "soon" }), updated: "yesterday" }),
  "date-order": (doc) => withStep(doc, "1", { ...DONE, completed: "2025-01-01T00:00:00Z" }),
  "sub-step-left": (doc) => withStep(doc, "1", { ...DONE, sub_step: "phase_1" }),
  "current-step": (doc) => ({ ...withStep(doc, "1", DONE), current_step: 6 }),
  gap: (doc) => withStep(withStep(doc, "1", { status: "in_progress", started: DONE.started }), "3", DONE),
  budget: (doc) => withStep(doc, "1", { context_files_used: ["a", "b", "c"] }),
  "missing-artifact": (doc) => withStep(doc, "1", { artifacts: ["gone.md"] }),
  "no-handoff": (_doc, { workspace }) => {
    rmSync(join(workspace, "00-handoff.md"));
    return null;
  },
  "stale-handoff": (doc) => ({ ...doc, updated: "2031-01-01T00:00:00Z" }),
  "stale-claim": (doc) => ({ ...withStep(doc, "1", { claim: STALE }), lock: STALE }),
  "lock-mismatch": (doc) => ({ ...doc, lock: { ...STALE, heartbeat: new Date().toISOString() } }),
  "claim-store": async (doc, place) => {
    await place.refloat(["step", "start", "1", "--owner", "ann"]);
    writeFileSync(join(place.workspace, STATE), JSON.stringify(doc));
    return null;
  },
};

/** As a person has it: the program on the path. */
function paste(place: Place, command: string): { code: number | null; output: string } {
  const folder = temporaryFolder();
  symlinkSync(BIN, join(folder, "refloat"));
  const PATH = `${folder}:${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { PATH, HOME: place.home, REFLOAT_HOME: place.home };
  const options = { cwd: place.workspace, env, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], options);
  return { code: status, output: stdout + stderr };
}

interface Found {
  readonly rule: string;
  readonly path: string;
  readonly command: string;
}
const findingsOf = async (place: Place): Promise<Found[]> =>
  (await place.json(["state", "validate", STATE])).json.findings;

it.each(Object.entries(BREAK))("%s: the command it ends in does away with it", async (rule, breakIt) => {
  const place = makePlace();
  await place.refloat(["state", "init"]);
  const path = join(place.workspace, STATE);
  expect(await findingsOf(place)).toEqual([]);
  const broken = await breakIt(JSON.parse(readFileSync(path, "utf8")), place);
  if (broken !== null) writeFileSync(path, typeof broken === "string" ? broken : JSON.stringify(broken));
  const found = (await findingsOf(place)).filter((one) => one.rule === rule);
  expect(found.length).toBeGreaterThan(0);
  for (const { command, path: at } of found) {
    // Who pastes it at a terminal is asked; nobody is here.
    const { code, output } = paste(place, command.includes(" claim break ") ? `${command} --yes` : command);
    expect(code, `${command}\n${output}`).toBe(0);
    const left = (await findingsOf(place)).filter((one) => one.rule === rule && one.path === at);
    expect(left, command).toEqual([]);
  }
});

it("has a broken file for every rule", () => {
  expect(Object.keys(BREAK)).toEqual(RULES.map(({ id }) => id));
});

it("what was accepted is a decision with its reason, for this place only, and never an error", async () => {
  const place = makePlace();
  await place.refloat(["state", "init"]);
  const path = join(place.workspace, STATE);
  const doc = JSON.parse(readFileSync(path, "utf8"));
  for (const step of ["1", "2"]) withStep(doc, step, { context_files_used: ["a", "b", "c", "d"] });
  writeFileSync(path, JSON.stringify({ ...doc, iac_tool: "pulumi" }));
  const paths = async () => (await findingsOf(place)).map((one) => `${one.rule} ${one.path}`);
  expect(await paths()).toEqual([
    "bad-value iac_tool",
    "budget steps.1.context_files_used",
    "budget steps.2.context_files_used",
  ]);
  const accepted = { "accept.bad-value.iac_tool": "yes", "accept.budget.steps.1.context_files_used": "yes" };
  const decisions = { ...doc.decisions, ...accepted };
  writeFileSync(path, JSON.stringify({ ...doc, iac_tool: "pulumi", decisions }));
  expect(await paths()).toEqual(["bad-value iac_tool", "budget steps.2.context_files_used"]);
});
