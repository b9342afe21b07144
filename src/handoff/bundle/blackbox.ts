/**
 * blackbox.html: the bundle for a browser, one file with nothing to load, so that it opens from an issue's attachment. Made of
 * the page's own components (web/src/blackbox.tsx), whose script is the only one that may run; and readable where none runs, as a
 * plain document. Every text is escaped or data (T3); what comes in is redacted already (T4).
 * README.txt beside it: what each file is, and the lines that bring the work back.
 */
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { StoredRecord } from "../../model/record.ts";
import { builtText } from "../../platform/own-files.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { escapeHtml, shellWord } from "../../text/escape.ts";
import { redactJson } from "../../text/redact.ts";
import { withRemedy } from "../../text/remedy-words.ts";
import { tellingText } from "../../text/telling-text.ts";
import type { BriefFacts, BriefGroup } from "../brief-facts.ts";

export interface BlackboxFacts {
  readonly facts: BriefFacts;
  readonly handoff: string;
  /** What happened, oldest first. */
  readonly timeline: readonly { readonly at: string; readonly kind: string; readonly text: string }[];
  readonly patch: string;
  readonly gaps: readonly { readonly path: string; readonly why: string }[];
  /** What the page's components show; null: the plain document alone. */
  readonly page: Readonly<Record<string, unknown>> | null;
}

/** A page that still opens on a telephone; the patch itself is beside it. */
const MAX_PATCH_CHARS = 1_000_000;
const MAX_GROUPS = 500;

const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: 6px; font-size: 13px; }
pre.text { white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid #8884; }
.risky { color: #c22; } .unknown { color: #a60; } .safe { color: #283; }
time, .kind { white-space: nowrap; opacity: .75; }
`;

export function blackboxHtml(box: BlackboxFacts): string {
  const title = `Black box of session ${box.facts.session.id}`;
  const template = box.page === null ? null : builtText("web/blackbox.html");
  if (template !== null)
    return template
      .replace("<title></title>", () => `<title>${escapeHtml(title)}</title>`)
      .replace('box"></main>', () => `box">${plainBody(title, box)}</main>`)
      .replace("{}</script>", () => `${dataText(box.page)}</script>`);
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    // Nothing may be loaded and nothing run, whatever slipped through.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>`,
    plainBody(title, box),
    "</body></html>",
    "",
  ].join("\n");
}

/** Inside a script element, which no text may end or begin anew; a reader of JSON gets the same (T3). */
const dataText = (data: unknown): string =>
  JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function plainBody(title: string, { facts, handoff, timeline, patch, gaps }: BlackboxFacts): string {
  const { session } = facts;
  return [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(`${session.agent ?? "an agent"}, try ${session.attempt}: ${session.state}, cause ${session.cause ?? "none"}`)}</p>`,
    "<h2>Work left</h2>",
    groupsTable(facts.groups),
    ...(gaps.length === 0 ? [] : ["<h2>Not in this bundle</h2>", gapList(gaps)]),
    "<h2>Handoff</h2>",
    `<pre class="text">${escapeHtml(handoff)}</pre>`,
    "<h2>What happened</h2>",
    timelineTable(timeline),
    "<h2>Changes</h2>",
    patch === "" ? "<p>None to tracked files.</p>" : `<pre>${escapeHtml(cut(patch))}</pre>`,
  ].join("\n");
}

function cut(patch: string): string {
  if (patch.length <= MAX_PATCH_CHARS) return patch;
  return `${patch.slice(0, MAX_PATCH_CHARS)}\n(the rest is in changes.patch)`;
}

function groupsTable(groups: readonly BriefGroup[]): string {
  if (groups.length === 0) return "<p>Nothing.</p>";
  const rows = groups.slice(0, MAX_GROUPS).map(({ id, verdict, reasons, changes }) => {
    const why = reasons.map((reason) => escapeHtml(withRemedy(reason).message)).join("<br>");
    const paths = changes.map(({ path, kind }) => escapeHtml(`${path} (${kind})`)).join("<br>");
    return `<tr><td class="${verdict}">${verdict}</td><td>${escapeHtml(id)}</td><td>${why}</td><td>${paths}</td></tr>`;
  });
  const more =
    groups.length > MAX_GROUPS ? `<p>${groups.length - MAX_GROUPS} more in manifest.json.</p>` : "";
  return `<table><tr><th>verdict</th><th>group</th><th>why</th><th>paths</th></tr>${rows.join("\n")}</table>${more}`;
}

const gapList = (gaps: BlackboxFacts["gaps"]): string =>
  `<ul>${gaps.map(({ path, why }) => `<li>${escapeHtml(`${path}: ${why}`)}</li>`).join("")}</ul>`;

function timelineTable(timeline: BlackboxFacts["timeline"]): string {
  const rows = timeline.map(
    ({ at, kind, text }) =>
      `<tr><td><time>${escapeHtml(at)}</time></td><td class="kind">${escapeHtml(kind)}</td><td>${escapeHtml(text)}</td></tr>`,
  );
  return `<table>${rows.join("\n")}</table>`;
}

/** What happened in a session, a line each, for the black box: the newest records that tell it, oldest first. */
const TOLD_BY = [
  "session.began",
  "session.finished",
  "session.suspended",
  "session.lifted",
  "claim.taken",
  "recovered",
  "turn.began",
  "turn.ended",
  "message.added",
  "call.started",
  "call.ended",
  "operation.began",
  "operation.ended",
  "decided",
  "capture.taken",
  "agent.started",
  "agent.exited",
  "drain.marked",
  "agent.warned",
  "output.kept",
] as const;
/** Some screens; the journal beside the page has all of it. */
const MAX_LINES = 400;
const MAX_CHARS = 400;

interface TimelineLine {
  readonly at: string;
  readonly kind: string;
  readonly text: string;
}

export async function sessionTimeline(store: Store, row: SessionRow): Promise<readonly TimelineLine[]> {
  const query = { session: row.id, kinds: TOLD_BY, order: "backward", limit: MAX_LINES } as const;
  const newestFirst = await store.records(query);
  const lines = newestFirst.reverse().map(lineOf);
  const { value } = await redactJson(lines as unknown as Json);
  return (value as unknown as TimelineLine[]).map((one) => ({ ...one, text: one.text.slice(0, MAX_CHARS) }));
}

function lineOf({ atMs, kind, body }: StoredRecord): TimelineLine {
  return { at: new Date(atMs).toISOString(), kind, text: textOf(kind, body) };
}

/** The fields that tell; what is not known is left out (D5). */
function textOf(kind: string, body: JsonObject): string {
  if (kind === "call.started") return `${String(body.tool)}: ${tellingText(body.input ?? null)}`;
  if (kind === "decided") return `${String(body.key)}: ${tellingText(body.value ?? null)}`;
  const parts = Array.isArray(body.parts) ? (body.parts as readonly Json[]) : [];
  const said = parts.flatMap((part) =>
    isJsonObject(part) && typeof part.text === "string" ? [part.text] : [],
  );
  const told = [
    "goal",
    "label",
    "outcome",
    "status",
    "why",
    "cause",
    "reason",
    "code",
    "signal",
    "text",
  ] as const;
  const fields = told.flatMap((field) => {
    const value = body[field];
    return typeof value === "string" || typeof value === "number" ? [`${field} ${value}`] : [];
  });
  return [...fields, ...said].join(", ");
}

/** README.txt of a bundle: what each file is, and the lines that bring the work back with nothing but git and tar. */
interface ReadmeFacts {
  readonly session: string;
  readonly head: string | null;
  readonly branch: string | null;
  readonly hasPatch: boolean;
  readonly hasUntracked: boolean;
  readonly hasCommits: boolean;
  readonly isRaw: boolean;
  readonly gaps: readonly { readonly path: string; readonly why: string }[];
}

/** Gaps named here; manifest.json has them all. */
const MAX_GAPS = 20;

export function bundleReadme(facts: ReadmeFacts): string {
  const { session, head, hasPatch, hasUntracked, hasCommits, isRaw, gaps } = facts;
  const shown = gaps.slice(0, MAX_GAPS);
  const id = Buffer.byteLength(session) <= 60 ? shellWord(session) : "ID";
  const lines = [
    "What a session of a coding agent left on a machine that may be gone, kept by refloat.",
    "",
    "  manifest.json    what it left: groups of changes with verdicts, calls, operations",
    "  handoff.md       the brief for whoever goes on",
    "  blackbox.html    the same for a browser; nothing else is needed",
    ...(hasPatch ? ["  changes.patch    its changes to tracked files"] : []),
    ...(hasUntracked ? ["  untracked.tar    its new files"] : []),
    ...(hasCommits ? ["  commits.bundle   commits that no remote had"] : []),
    "  journal.jsonl    the session's records, for `refloat store import`",
    "",
    "With plain git, in a clean clone (BUNDLE is this folder):",
    "",
    ...(hasCommits ? ["  git fetch BUNDLE/commits.bundle HEAD"] : []),
    ...(head === null ? [] : [`  git checkout -b salvaged ${head}`]),
    ...(hasPatch ? ["  git apply --binary BUNDLE/changes.patch"] : []),
    ...(hasUntracked ? ["  tar -xf BUNDLE/untracked.tar"] : []),
    "",
    "With refloat, afterwards, in the same clone:",
    "",
    "  refloat store import BUNDLE",
    `  refloat inspect ${id}`,
    `  refloat settle ${id}`,
    `  refloat resume ${id}`,
    "",
    isRaw
      ? "Secrets were left in (--raw): treat this folder as you treat them."
      : "Secrets were taken out of text; files that may hold one are not here (--raw keeps them).",
    ...(gaps.length === 0 ? [] : ["", `Not here (${gaps.length}):`]),
    ...shown.map(({ path, why }) => `  ${JSON.stringify(path)}: ${why}`),
    ...(gaps.length > shown.length
      ? [`  ... and ${gaps.length - shown.length} more: see manifest.json`]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}
