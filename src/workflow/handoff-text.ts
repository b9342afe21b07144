/**
 * 00-handoff.md, as the original lays it out: what is done, what was decided, what is open, what comes next, and
 * where the files are. Paths only, never their contents. It is written with every change of the state and kept
 * within a token budget by progressive disclosure: long lists give way to a line that says where the rest is.
 * Sections that somebody else wrote stay.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { cutToTokens, tokensOf } from "../text/cut-to-bytes.ts";
import { decisionsIn } from "./decision-log.ts";
import { isFinished, objectOf, own, type StepView, stepsIn, textOf, textsOf } from "./state-doc.ts";
import type { WorkflowShape } from "./step-list.ts";

const OURS: ReadonlySet<string> = new Set([
  "Completed Steps",
  "Key Decisions",
  "Open Challenger Findings (must_fix only)",
  "Context for Next Step",
  "Artifacts",
]);

interface DetailLevel {
  readonly artifacts: number;
  readonly decisions: number;
  readonly findings: number;
  readonly lineChars: number;
  readonly keepsOthers: boolean;
}

/** From everything to the bare minimum; the first that fits the budget is taken. */
const LEVELS: readonly DetailLevel[] = [
  { artifacts: 1000, decisions: 1000, findings: 1000, lineChars: 1000, keepsOthers: true },
  { artifacts: 20, decisions: 20, findings: 20, lineChars: 300, keepsOthers: true },
  { artifacts: 5, decisions: 8, findings: 8, lineChars: 200, keepsOthers: false },
  { artifacts: 0, decisions: 3, findings: 3, lineChars: 120, keepsOthers: false },
];

export function handoffFor(doc: JsonObject, shape: WorkflowShape, before: string | null): string {
  const others = before === null ? [] : otherSections(before);
  for (const level of LEVELS) {
    const text = render(doc, shape, level, others);
    if (tokensOf(text) <= shape.handoffTokens) return text;
  }
  return cutToTokens(render(doc, shape, LEVELS.at(-1) as DetailLevel, []), shape.handoffTokens);
}

function render(
  doc: JsonObject,
  shape: WorkflowShape,
  level: DetailLevel,
  others: readonly string[],
): string {
  const steps = stepsIn(doc, shape);
  const last = steps.findLast(({ status }) => isFinished(status));
  const at = last ? `Step ${last.spec.id} ${last.status}` : "Step 0 setup complete";
  const line = (text: string): string => oneLine(text, level.lineChars);
  const tool = textOf(own(doc, "iac_tool")) || "undecided";
  const sections = [
    `# ${line(textOf(own(doc, "project")) ?? "")} — Handoff (${at})`,
    `Updated: ${textOf(own(doc, "updated")) ?? ""} | IaC: ${line(tool)} | Branch: ${line(textOf(own(doc, "branch")) ?? "")}`,
    section(
      "Completed Steps",
      steps.map((step) => stepLine(step, line)),
    ),
    section("Key Decisions", decisionLines(doc, level, line)),
    section("Open Challenger Findings (must_fix only)", findingLines(doc, level, line)),
    section("Context for Next Step", [nextLine(steps)]),
    section("Artifacts", artifactLines(steps, level, line)),
    ...(level.keepsOthers ? others : []),
  ];
  return `${sections.join("\n\n")}\n`;
}

const section = (title: string, lines: readonly string[]): string => `## ${title}\n\n${lines.join("\n")}`;

function stepLine({ spec, status, body }: StepView, line: (text: string) => string): string {
  const first = textsOf(own(body, "artifacts"))[0];
  const path = first === undefined ? "" : ` → \`${line(first).replaceAll("`", "'")}\``;
  const note = status === "skipped" ? " (skipped)" : status === "in_progress" ? " (in progress)" : "";
  return `- [${isFinished(status) ? "x" : " "}] Step ${spec.id}: ${spec.name}${note}${path}`;
}

function decisionLines(doc: JsonObject, level: DetailLevel, line: (text: string) => string): string[] {
  const made = Object.entries(objectOf(own(doc, "decisions"))).filter(
    ([, value]) => value !== "" && value !== null,
  );
  const logged = decisionsIn(doc).flatMap((one) => (one ? [one] : []));
  const lines = [
    ...made.map(([key, value]) => `- ${line(key)}: ${line(textOfJson(value))}`),
    ...logged
      .filter(({ key }) => own(own(doc, "decisions"), key) === undefined)
      .map(({ key, value, step }) => {
        const said = value === key ? line(key) : `${line(key)}: ${line(textOfJson(value))}`;
        return `- ${said}${step === null ? "" : ` (step ${step})`}`;
      }),
  ];
  return shortened(lines, level.decisions, "decision_log", "last");
}

function findingLines(doc: JsonObject, level: DetailLevel, line: (text: string) => string): string[] {
  const open = textsOf(own(doc, "open_findings")).map((finding) => `- ${line(finding)}`);
  return shortened(open, level.findings, "open_findings", "first");
}

function artifactLines(
  steps: readonly StepView[],
  level: DetailLevel,
  line: (text: string) => string,
): string[] {
  const all = steps.flatMap(({ body }) =>
    textsOf(own(body, "artifacts")).map((path) => `- \`${line(path).replaceAll("`", "'")}\``),
  );
  return shortened(all, level.artifacts, "steps.N.artifacts", "last");
}

/** Where the work goes on, by the original's resume rules. */
function nextLine(steps: readonly StepView[]): string {
  const next =
    steps.find(({ status }) => status === "in_progress") ?? steps.find(({ status }) => !isFinished(status));
  if (!next) return "Every step is complete or skipped.";
  const { spec, body } = next;
  const subStep = textOf(own(body, "sub_step"));
  if (next.status !== "in_progress")
    return `Start step ${spec.id} (${spec.name}): \`refloat step start ${spec.id}\`.`;
  const budget = `It loads at most ${spec.budget} files at its start.`;
  return subStep === null
    ? `Step ${spec.id} (${spec.name}) was begun and has no checkpoint: start it again. ${budget}`
    : `Go on with step ${spec.id} (${spec.name}) after its checkpoint ${oneLine(subStep, 100)}; do not read its context files again.`;
}

/** The rest is named, not dropped: whoever needs it knows where it is. */
function shortened(lines: readonly string[], most: number, where: string, keep: "first" | "last"): string[] {
  if (lines.length === 0) return ["None"];
  if (lines.length <= most) return [...lines];
  const rest = `- ${lines.length - most} more in \`${where}\` of 00-session-state.json`;
  return keep === "first" ? [...lines.slice(0, most), rest] : [rest, ...lines.slice(lines.length - most)];
}

/** H2 sections of the companion that are not ours, as they are. */
function otherSections(before: string): string[] {
  return before
    .split(/^(?=## )/m)
    .slice(1)
    .filter((part) => !OURS.has(/^## +(.*?) *$/m.exec(part)?.[1] ?? ""))
    .map((part) => part.trimEnd());
}

const textOfJson = (value: Json | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);

/** Untrusted text cannot begin a line of its own (T3). */
function oneLine(text: string, most: number): string {
  const flat = text.replace(/[\s\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
  return flat.length <= most ? flat : `${[...flat].slice(0, most - 1).join("")}…`;
}
