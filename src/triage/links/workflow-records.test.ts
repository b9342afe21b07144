/** A workflow's own records as the judge sees them: told by their schema, judged after the work they tell of. */
import { describe, expect, it } from "vitest";
import { factsOf } from "../../../test/support/triage-facts.ts";
import { freshDoc, withStepFields } from "../../../test/workflow/samples.ts";
import type { JsonObject } from "../../model/json.ts";
import { handoffFor } from "../../workflow/handoff-text.ts";
import { ORIGINAL_WORKFLOW } from "../../workflow/step-list.ts";
import type { TriageFacts } from "../facts/known/triage-facts.ts";
import { workflowRecordIn } from "../facts/text/workflow-record.ts";
import type { Group } from "../verdict/group.ts";
import { judgeChanges } from "../verdict/judge.ts";

const STATE = "out/app/00-session-state.json";
const HANDOFF = "out/app/00-handoff.md";
const textOf = (doc: JsonObject): string => `${JSON.stringify(doc, null, 2)}\n`;
const handoffOf = (doc: JsonObject): string => handoffFor(doc, ORIGINAL_WORKFLOW, null);
const fresh = freshDoc();
const done = (...artifacts: string[]): JsonObject =>
  withStepFields(fresh, "1", { status: "complete", artifacts });

type Now = Readonly<Record<string, string | null>>;
const HEAD = { [STATE]: textOf(fresh), [HANDOFF]: handoffOf(fresh) };
const judge = (now: Now, facts: Partial<TriageFacts> = {}): Promise<Group[]> =>
  judgeChanges(factsOf({ head: HEAD, now, facts }));
const pathsOf = ({ changes }: Group): string[] => changes.map(({ change }) => change.path).sort();

describe("a workflow's records", () => {
  it("are told by what is in them, in any version and under any name of a state file; a look-alike is none", () => {
    for (const version of ["1.0", "2.0", "3.0"] as const)
      for (const name of ["my-state.json", "x/00-session-state.json.bak.2", "00-session-state.json.corrupt"])
        expect(workflowRecordIn(name, textOf(freshDoc(version)))?.kind).toBe("state");
    expect(workflowRecordIn("a/00-handoff.md", handoffOf(fresh))?.kind).toBe("companion");
    expect(workflowRecordIn("a/00-handoff.md", "# Notes\n")).toBeNull();
    expect(workflowRecordIn("state.txt", textOf(fresh))).toBeNull();
    for (const look of [
      { schema_version: "2.0" },
      { ...fresh, schema_version: "9" },
      { ...fresh, steps: { 1: {} } },
    ])
      expect(workflowRecordIn("state.json", textOf(look))).toBeNull();
    expect(workflowRecordIn("state.json", `{"schema_version": ${"[".repeat(5000)}`)).toBeNull();
  });

  it("are one group and safe, rewritten whole or not, in an operation that never ended and named their folder or not (S4)", async () => {
    const next = {
      ...done(),
      project: "quite another",
      decision_log: Array(60).fill({ key: "a", value: 1 }),
    };
    const now = { [STATE]: textOf(next), [HANDOFF]: handoffOf(next), [`${STATE}.bak`]: textOf(fresh) };
    for (const paths of [null, ["out/**"]]) {
      const open = {
        id: "o",
        label: "o",
        state: "open",
        paths,
        beganSeq: 1,
        endedSeq: null,
        source: "record",
      } as const;
      const [group, ...others] = await judge({ ...now, "out/app/half.js": "f(" }, { operations: [open] });
      expect(others).toHaveLength(1);
      expect(group).toMatchObject({ verdict: "safe", isWorkflowRecord: true });
      expect(group && pathsOf(group)).toEqual(Object.keys(now).sort());
      expect(others[0]?.verdict).toBe("risky");
    }
  });

  it("do not wait for damaged bytes that were put aside: those are known by name, unknown, and a group of their own", async () => {
    const groups = await judge({
      [STATE]: textOf(done()),
      [`${STATE}.corrupt-2026-01-01T000000Z`]: '{"schema',
    });
    expect(groups.map(({ verdict, isWorkflowRecord }) => [verdict, isWorkflowRecord])).toEqual([
      ["safe", true],
      ["unknown", true],
    ]);
  });

  it("are a workflow's own, damaged, emptied or gone: risky, and known for what they are", async () => {
    for (const harm of ['{"schema_ver', "", null]) {
      const [group] = await judge({ [STATE]: harm });
      expect(group).toMatchObject({ verdict: "risky", isWorkflowRecord: true });
    }
  });
});

describe("describes-unready", () => {
  const stateWith = (artifact: string): Now => ({ [STATE]: textOf(done(artifact)) });

  it("speaks of an artifact that is not safe, named from the file's folder or from one above it, and of a folder", async () => {
    for (const [artifact, path] of [
      ["01-a.md", "out/app/01-a.md"],
      ["out/app/01-a.md", "out/app/01-a.md"],
      ["./infra/", "out/app/infra/main.js"],
    ] as const) {
      const groups = await judge({ ...stateWith(artifact), [path]: "f(" });
      const record = groups.find(({ isWorkflowRecord }) => isWorkflowRecord);
      expect([artifact, record?.verdict, record?.reasons.map(({ rule }) => rule)]).toEqual([
        artifact,
        "unknown",
        ["describes-unready"],
      ]);
      expect(record?.describes).toEqual([groups.find(({ isWorkflowRecord }) => !isWorkflowRecord)?.id]);
    }
  });

  it("is silent where what it tells of is safe, is as HEAD has it, or is no file of the tree", async () => {
    for (const now of [
      { ...stateWith("run.log"), "out/app/run.log": "It went on.\n" },
      stateWith("01-a.md"),
      { ...stateWith("./"), "half.js": "f(" },
      { ...stateWith("*.js"), "out/app/half.js": "f(" },
    ]) {
      const groups = await judge(now);
      expect(groups.find(({ isWorkflowRecord }) => isWorkflowRecord)?.verdict).toBe("safe");
    }
  });
});
