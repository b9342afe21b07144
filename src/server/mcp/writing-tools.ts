/**
 * Tools by which an agent says what it is doing: where a piece of work begins and ends, what it decided, which step it is at, and that the
 * tree is worth holding now. They write into the session that is meant (its mark's, else the newest live one here), as the commands do.
 */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { capture } from "../../app/captures/capture.ts";
import { beginOperation, endOperation, operationsHere } from "../../app/captures/operations.ts";
import { toldCapture } from "../../app/captures/told-capture.ts";
import { toldOperation } from "../../app/captures/told-operation.ts";
import { whyOff } from "../../app/place/off.ts";
import { offLine } from "../../app/place/off-line.ts";
import { pathFrom, workspaceHere } from "../../app/place/workspace-here.ts";
import { decide, decidedValue } from "../../app/workflow/decide.ts";
import { step } from "../../app/workflow/step.ts";
import { toldDecision } from "../../app/workflow/told-decision.ts";
import { RefloatError } from "../../model/errors.ts";
import { MCP_LIST_ITEMS } from "../../model/limits.ts";
import { STATE_FILE } from "../../model/workflow-state.ts";
import { count } from "../../text/counting.ts";
import { oneLine } from "../../text/escape.ts";
import { shortId } from "../../text/short-id.ts";
import type { OperationState } from "../../triage/facts/known/triage-facts.ts";
import { type Tool, type ToolAnswer, type ToolPlace, textInput, tool } from "./tool.ts";

const text = (about: string) => textInput(z.string(), about);
const texts = (about: string) => z.array(text(about)).max(MCP_LIST_ITEMS);
const usage = (why: string): RefloatError => new RefloatError("E_USAGE", { why });

const operationsTool = tool({
  name: "operations",
  title: "Begin or end a piece of work",
  description:
    "`begin` with a label before the first edit of changes that only make sense together (a refactoring, a migration); `end` with the same label when they are whole, `abort` when you give them up. What lies between belongs together, and is never taken for finished while it is open. `list` shows them.",
  input: z.strictObject({
    act: z.enum(["begin", "end", "abort", "list"]).describe("What to do."),
    label: text("The operation's name; for end and abort left out: the newest open one.").optional(),
    paths: texts("A glob of the paths it is about.").describe("Of begin: only these paths.").optional(),
  }),
  readsOnly: false,
  answer: async (at, { act, label, paths }) => {
    switch (act) {
      case "begin":
        return begun(at, label?.trim() ?? "", paths ?? []);
      case "end":
        return ended(at, label ?? null, "ended");
      case "abort":
        return ended(at, label ?? null, "aborted");
      case "list": {
        const { root, operations } = await operationsHere(at);
        return { command: "op-list", json: { workspace: root, operations }, said: [] };
      }
      default:
        return act satisfies never;
    }
  },
});

async function begun(at: ToolPlace, label: string, paths: readonly string[]): Promise<ToolAnswer> {
  if (label === "") throw usage("An operation needs a label.");
  const notHeld = unheld();
  const outcome = await beginOperation(at, { label, paths }, notHeld.onNotHeld);
  const json = toldOperation(outcome, label, "open");
  const said = json.recorded
    ? [`Began ${oneLine(label)}. End it by this tool, act: end, when it is whole.`, ...notHeld.said]
    : [await unrecorded(at, json.marker)];
  return { command: "op-begin", json: { ...json }, said };
}

async function ended(
  at: ToolPlace,
  given: string | null,
  state: Exclude<OperationState, "open">,
): Promise<ToolAnswer> {
  const notHeld = unheld();
  const order = { label: given, isAborted: state === "aborted" };
  const outcome = await endOperation(at, order, notHeld.onNotHeld);
  const label = outcome.operation?.label ?? given ?? "";
  const json = toldOperation(outcome, label, state);
  const said = json.recorded
    ? [`${state === "aborted" ? "Aborted" : "Ended"} ${oneLine(label)}.`, ...notHeld.said]
    : [await unrecorded(at, json.marker)];
  return { command: "op-end", json: { ...json }, said };
}

/** That the tree could not be held changes nothing about the operation; it is said. */
function unheld(): { readonly said: string[]; readonly onNotHeld: (error: RefloatError) => void } {
  const said: string[] = [];
  return { said, onNotHeld: ({ message }) => said.push(`The tree was not captured: ${oneLine(message)}`) };
}

/** DESIGN 10: the marker counts where the agent says it itself; where refloat is off it counts nowhere. */
async function unrecorded(at: ToolPlace, marker: string): Promise<string> {
  const off = await whyOff(at);
  return off === null
    ? `Nothing was recorded: the store cannot be written here. Say this line in a message of your own, alone on its line: ${oneLine(marker)}`
    : offLine(off, "nothing was recorded");
}

const captureTool = tool({
  name: "capture",
  title: "Hold the tree as it is",
  description:
    "Holds every changed file as it is now, so that it can be put back. Use it before a risky step. Nothing in the tree is changed.",
  input: z.strictObject({
    note: text("Why, in a few words.").optional(),
    paths: texts("A path inside the workspace.")
      .describe("Only these; left out: all that changed.")
      .optional(),
  }),
  readsOnly: false,
  answer: async (at, { note, paths = [] }) => {
    const outcome = await capture(at, at.face, {
      paths: (here) => paths.map((path) => pathFrom(here, path)),
      precious: [],
      note: note ?? null,
      isDryRun: false,
    });
    const json = toldCapture(outcome);
    const how = json.partial ? " It is partial: some paths are named and not held." : "";
    const said = `Captured ${count(json.held, "path")} as ${shortId(json.capture ?? "")}.${how}`;
    return { command: "capture", json, said: [said] };
  },
});

const decideTool = tool({
  name: "decide",
  title: "Record a decision",
  description:
    "Records a decision with its reason when you make it, so that whoever goes on does not decide it again. Without a value: what was decided under this key.",
  input: z.strictObject({
    key: text("What is decided, in a word or two."),
    value: text("What it was decided to be.").optional(),
    reason: text("Why.").optional(),
    step: text("The workflow's step; left out: the one at work.").optional(),
    file: text(
      "The state file or its folder, inside the workspace; left out: that of this folder.",
    ).optional(),
  }),
  readsOnly: false,
  answer: async (at, { key, value, reason, step: number, file: named }) => {
    const file = await fileInside(at, named);
    if (value === undefined) {
      const found = await decidedValue(at, { key, file });
      const said = found.value === null ? [`${oneLine(key)} is not decided.`] : [];
      return { command: "decide", json: { ...found, key }, said };
    }
    const order = { key, value, reason: reason ?? null, step: number ?? null, file };
    const outcome = await decide(at, order);
    const json = toldDecision(outcome, order);
    const said =
      "marker" in json && !json.recorded
        ? await unrecorded(at, json.marker)
        : `${oneLine(key)} is ${oneLine(value)}.`;
    return { command: "decide", json, said: [said] };
  },
});

const stepTool = tool({
  name: "step",
  title: "A step of the workflow",
  description:
    "Where the workspace has a workflow state file: `start` a step (claims it), `sub` records a finished part of it, `done`, `skip` or `reset` it.",
  input: z.strictObject({
    act: z.enum(["start", "sub", "done", "skip", "reset"]).describe("What to do."),
    step: text("The step's number: 1, 3.5."),
    name: text(
      "Of sub: the part that is finished. Else the step's name, to be sure it is the one meant.",
    ).optional(),
    reason: text("Why.").optional(),
    artifacts: texts("A file it made.").optional(),
    context: texts("A file that was read for it.").optional(),
    findings: texts("Something found on the way.").optional(),
    resolved: texts("A finding that is dealt with.").optional(),
    token: text("The claim's token, as `start` gave it.").optional(),
    file: text(
      "The state file or its folder, inside the workspace; left out: that of this folder.",
    ).optional(),
  }),
  readsOnly: false,
  answer: async (at, given) => {
    const { act, name = null, reason = null } = given;
    const part = name?.trim() ?? "";
    if (act === "sub" && part === "")
      throw usage("A checkpoint needs the name of the part that is finished.");
    const done = await step(at, {
      step: given.step,
      file: await fileInside(at, given.file),
      owner: null,
      does: act === "sub" ? { kind: act, name: part, reason } : { kind: act, reason },
      name: act === "sub" ? null : name,
      token: given.token ?? null,
      extras: {
        artifacts: given.artifacts ?? [],
        contextFiles: given.context ?? [],
        findings: given.findings ?? [],
        resolved: given.resolved ?? [],
      },
    });
    const next =
      done.next === null ? "Every step is complete or skipped." : `Next is step ${done.next.step}.`;
    const said = [
      `Step ${oneLine(done.step)} (${oneLine(done.name)}) is ${done.status.replace("_", " ")}.`,
      ...(done.status === "in_progress" ? [] : [next]),
      ...done.warnings.map((warning) => `Note: ${oneLine(warning)}`),
    ];
    return { command: `step-${act}`, json: { ...done }, kept: { token: done.token }, said };
  },
});

/**
 * The server may stand outside of the sandbox that its agent is in: what it writes for it lies in the workspace, through no link (W3).
 * Null: none was named.
 */
async function fileInside(at: ToolPlace, named: string | undefined): Promise<string | null> {
  if (named === undefined) return null;
  const here = await workspaceHere(at, await at.findStore());
  const { root } = here.workspace;
  const parts = [...pathFrom(here, named).split("/"), STATE_FILE];
  const onTheWay = parts.map((_, depth) => join(root, ...parts.slice(0, depth + 1)));
  if (onTheWay.some((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()))
    throw new RefloatError("E_NOT_IN_WORKSPACE", { path: named, workspace: root });
  return join(root, ...parts.slice(0, -1));
}

export const WRITING_TOOLS: readonly Tool[] = [operationsTool, captureTool, decideTool, stepTool];
