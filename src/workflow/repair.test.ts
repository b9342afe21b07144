import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { around, freshDoc, SAMPLES, sample, withStepFields } from "../../test/workflow/samples.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { rebuiltFrom } from "./rebuild-state.ts";
import { type Copy, repairState } from "./repair.ts";
import { own, stepsIn } from "./state-doc.ts";
import { ORIGINAL_WORKFLOW } from "./step-list.ts";
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
const noProgress = (): JsonObject => freshDoc();
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
    const { doc, from } = repairState([copy("file", "")], () => rebuiltFrom(freshDoc(), evidence), around());
    expect(from).toBe("rebuilt");
    expect(
      stepsIn(doc, ORIGINAL_WORKFLOW)
        .slice(0, 3)
        .map(({ status }) => status),
    ).toEqual(["complete", "in_progress", "pending"]);
    expect(found(doc)).toEqual([]);
  });
});
