import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { around, freshDoc, SAMPLES, sample, withStepFields } from "../../test/workflow/samples.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { rebuiltFrom } from "./rebuild-state.ts";
import { type Copy, repairState } from "./repair.ts";
import { own, stepsIn } from "./state-doc.ts";
import { ORIGINAL_WORKFLOW } from "./step-list.ts";
import { templateOf } from "./template.ts";
import { validateValue } from "./validate.ts";

const copy = (source: Copy["source"], value: unknown, more: Partial<Copy> = {}): Copy => ({
  source,
  name: source,
  text: typeof value === "string" ? value : JSON.stringify(value),
  isSuperseded: false,
  ...more,
});
const found = (doc: Json): string[] =>
  validateValue("f", doc, around()).findings.map(({ rule, path }) => `${rule} ${path}`);
const noProgress = () => ({ doc: freshDoc(), shown: [] });
const at = (updated: string): JsonObject => ({ ...freshDoc(), updated });
const log = (...values: string[]): Json =>
  values.map((value) => ({ key: "k", value, timestamp: "2026-01-01T00:00:00Z" }));

describe("which copy is the ground", () => {
  it.each([
    [
      "a file without errors is itself",
      [copy("file", at("2026-01-01T00:00:00Z")), copy("store", at("2026-02-01T00:00:00Z"))],
      "file",
    ],
    ["a cut-off file: the backup", [copy("file", '{"schema_ver'), copy("backup", freshDoc())], "backup"],
    ["an empty file: the backup", [copy("file", ""), copy("backup", freshDoc())], "backup"],
    ["no file: the store", [copy("store", freshDoc())], "store"],
    ["both bad: rebuilt", [copy("file", "{"), copy("backup", "nonsense")], "rebuilt"],
    ["nothing at all: rebuilt", [], "rebuilt"],
    [
      "a backup the store saw superseded is older, whatever its date says (D3)",
      [
        copy("file", "{"),
        copy("backup", at("2027-01-01T00:00:00Z"), { isSuperseded: true }),
        copy("store", at("2026-01-01T00:00:00Z")),
      ],
      "store",
    ],
    [
      "a stranger's backup with a later date is newer",
      [
        copy("file", "{"),
        copy("backup", at("2027-01-01T00:00:00Z")),
        copy("store", at("2026-01-01T00:00:00Z")),
      ],
      "backup",
    ],
  ])("%s", (_name, copies, from) => {
    const repaired = repairState(copies as Copy[], noProgress, around());
    expect(repaired.from).toBe(from);
    expect(found(repaired.doc)).toEqual([]);
  });
});

describe("repairing", () => {
  it.each(SAMPLES)("$name adds no finding", ({ text }) => {
    const doc = JSON.parse(text) as JsonObject;
    const repaired = repairState([copy("file", text)], noProgress, around());
    expect(found(repaired.doc).filter((one) => !found(doc).includes(one))).toEqual([]);
    expect(repairState([copy("file", repaired.doc)], noProgress, around()).doc).toEqual(repaired.doc);
  });

  it("sets right what follows from the rest: left sub-steps, current_step, stale claims, a lock nobody claims for", () => {
    const nordic = repairState([copy("file", sample("jungho-nordic").text)], noProgress, around()).doc;
    expect(found(nordic).filter((one) => /sub-step|current|claim|lock/.test(one))).toEqual([]);
    const held = { owner_id: "gone", heartbeat: null, attempt_token: null };
    const stale = { ...withStepFields(freshDoc(), "1", { claim: held }), lock: held };
    const freed = repairState([copy("file", stale)], noProgress, around()).doc;
    expect(found(freed)).toEqual([]);
    expect(JSON.stringify(freed)).toContain('"stale_sweep"');
  });

  it("lays what a cut-off file still holds over the older copy: progress is not reset", () => {
    const older = { ...freshDoc(), decision_log: log("old") };
    const newer = {
      ...withStepFields(freshDoc(), "1", {
        status: "complete",
        started: "2026-05-01T10:00:00Z",
        completed: "2026-05-01T11:00:00Z",
      }),
      current_step: 1,
      decision_log: log("old", "new"),
      region: "elsewhere",
    };
    const text = JSON.stringify(newer);
    const cut = text.slice(0, text.indexOf('"4":{'));
    const { doc } = repairState([copy("file", cut), copy("backup", older)], noProgress, around());
    expect(doc.region).toBe("elsewhere");
    expect(doc.decision_log).toEqual(log("old", "new"));
    expect(stepsIn(doc, ORIGINAL_WORKFLOW)[0]?.status).toBe("complete");
  });

  it("never loses a decision that any readable copy holds, wherever the file is cut", () => {
    const word = fc.string({ minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(word),
        fc.array(word),
        fc.array(word),
        fc.nat(),
        (inFile, inBackup, inStore, where) => {
          const text = JSON.stringify({ ...freshDoc(), decision_log: log(...inFile) });
          const cut = where % (text.length + 1);
          const copies = [
            copy("file", text.slice(0, cut)),
            copy("backup", { ...freshDoc(), decision_log: log(...inBackup) }),
            copy("store", { ...at("2026-07-01T00:00:00Z"), decision_log: log(...inStore) }),
          ];
          const { doc } = repairState(copies, noProgress, around());
          const kept = JSON.stringify(own(doc, "decision_log"));
          for (const value of [...inBackup, ...inStore, ...(cut === text.length ? inFile : [])])
            if (cut < text.length || inFile.includes(value)) expect(kept).toContain(JSON.stringify(value));
          // Of an entry that was cut itself its time may be gone: said, not dropped.
          expect(found(doc).filter((one) => !one.startsWith("decision-time"))).toEqual([]);
        },
      ),
    );
  });

  it("keeps a decision of no known shape as text, and an invalid value gives way to the copy's", () => {
    const broken = { ...freshDoc(), iac_tool: "pulumi", decision_log: [{ odd: 1 }, "just words"] };
    const { doc } = repairState(
      [copy("file", broken), copy("backup", { ...freshDoc(), iac_tool: "Bicep" })],
      noProgress,
      around(),
    );
    expect(doc.iac_tool).toBe("Bicep");
    expect(doc.decision_log).toEqual([{ decision: '{"odd":1}' }, { decision: "just words" }]);
  });

  it("rebuilds progress from evidence: earlier steps with files are complete, the last one may be cut off", () => {
    const evidence = stepsIn(freshDoc(), ORIGINAL_WORKFLOW).map(({ key }) => ({
      key,
      artifacts: key === "1" || key === "2" ? [`0${key}-x.md`] : [],
      said: null,
      firstAt: "2026-05-01T10:00:00Z",
      lastAt: "2026-05-01T11:00:00Z",
    }));
    const shown = () => ({ doc: rebuiltFrom(freshDoc(), evidence), shown: ["the artifacts"] });
    const { doc, from } = repairState([copy("file", "")], shown, around());
    expect(from).toBe("rebuilt");
    expect(
      stepsIn(doc, ORIGINAL_WORKFLOW)
        .slice(0, 3)
        .map(({ status }) => status),
    ).toEqual(["complete", "in_progress", "pending"]);
    expect(found(doc)).toEqual([]);
  });
});

describe("what stands at the top and among the decisions", () => {
  const top = ({ iac_tool, region, branch }: JsonObject): Json[] => [iac_tool, region, branch] as Json[];
  const byHand = (decisions: JsonObject, more: JsonObject = {}): JsonObject => ({
    schema_version: "2.0",
    steps: { "1": { status: "complete" } },
    decisions,
    ...more,
  });
  const empty = templateOf(ORIGINAL_WORKFLOW, "2.0", { project: "p", branch: "", region: "", updated: "" });
  const repaired = (doc: JsonObject, more: Parameters<typeof around>[0] = {}): JsonObject =>
    repairState([copy("file", doc)], () => ({ doc: empty, shown: [] }), around(more)).doc;
  const logged = (id: string, key: string, value: string): JsonObject => ({
    ...{ id, step: 1, key, value },
    timestamp: "2026-01-01T00:00:00Z",
  });

  it("is in both places after a repair of a file that was written by hand, spelled as the top has it (T1)", () => {
    const doc = byHand({ iac_tool: "bicep", primary_region: "north", branch: "feature/x" });
    expect(top(repaired(doc))).toEqual(["Bicep", "north", "feature/x"]);
    expect(top(repaired({ ...empty, decisions: doc.decisions as Json }))).toEqual([
      "Bicep",
      "north",
      "feature/x",
    ]);
  });

  it("is what the log has where `decisions` is empty or says something else; what is at the top stays", () => {
    const decision_log = [logged("D001", "iac_tool", "Terraform"), logged("D002", "region", "north")];
    expect(top(repaired(byHand({ iac_tool: "Bicep", region: "" }, { decision_log })))).toEqual([
      "Terraform",
      "north",
      "",
    ]);
    expect(top(repaired(byHand({ iac_tool: "Bicep" }, { iac_tool: "Terraform" })))[0]).toBe("Terraform");
  });

  it("is never taken from an entry that was forged, or that nobody here wrote (T2)", () => {
    const was = logged("D001", "iac_tool", "Bicep");
    const known = { seen: [was], written: [was] };
    const forged = byHand(
      { iac_tool: "Terraform" },
      { decision_log: [logged("D001", "iac_tool", "Terraform")] },
    );
    expect(top(repaired(forged, { log: known }))[0]).toBe("Bicep");
    const strange = { decision_log: [was, logged("D002", "region", "south")] };
    expect(top(repaired(byHand({ region: "south" }, strange), { log: known }))[1]).toBe("");
  });

  it("leaves the top empty for a value that does not fit there", () => {
    expect(top(repaired(byHand({ iac_tool: "a chisel", region: ["a", "b"] })))).toEqual(["", "", ""]);
  });
});

describe("what a rebuilt state is said to be from (T1)", () => {
  const from = (copies: Copy[], shown: readonly string[]): string =>
    repairState(copies, () => ({ doc: freshDoc(), shown }), around()).ground;

  it.each([
    ["nothing is left", [], [], "the template: nothing else is left of it"],
    ["bytes that say nothing", [copy("file", "not json")], [], "the template: nothing else is left of it"],
    ["a hand-written file", [copy("file", { project: "p" })], [], "what the file still holds"],
    [
      "a file put aside",
      [copy("aside", { project: "p" }, { name: "x.corrupt" })],
      [],
      "what x.corrupt still holds",
    ],
    ["a companion alone", [], ["00-handoff.md"], "what 00-handoff.md shows"],
    [
      "all of them",
      [copy("file", { project: "p" })],
      ["00-handoff.md", "the artifacts"],
      "what the file still holds, and what 00-handoff.md and the artifacts show",
    ],
  ])("%s", (_name, copies, shown, said) => {
    expect(from(copies, shown)).toBe(said);
  });
});
