/**
 * blackbox.html: the bundle for a browser, one file with nothing to load and no script, so that it opens from an issue's
 * attachment. Every text is escaped (T3); what comes in is redacted already (T4).
 */
import { escapeHtml } from "../../text/escape-html.ts";
import type { BriefFacts, BriefGroup } from "../brief-facts.ts";

export interface BlackboxFacts {
  readonly facts: BriefFacts;
  readonly handoff: string;
  /** What happened, oldest first. */
  readonly timeline: readonly { readonly at: string; readonly kind: string; readonly text: string }[];
  readonly patch: string;
  readonly gaps: readonly { readonly path: string; readonly why: string }[];
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

export function blackboxHtml({ facts, handoff, timeline, patch, gaps }: BlackboxFacts): string {
  const { session } = facts;
  const title = `Black box of session ${session.id}`;
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    // Nothing may be loaded and nothing run, whatever slipped through.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>`,
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
    "</body></html>",
    "",
  ].join("\n");
}

function cut(patch: string): string {
  if (patch.length <= MAX_PATCH_CHARS) return patch;
  return `${patch.slice(0, MAX_PATCH_CHARS)}\n(the rest is in changes.patch)`;
}

function groupsTable(groups: readonly BriefGroup[]): string {
  if (groups.length === 0) return "<p>Nothing.</p>";
  const rows = groups.slice(0, MAX_GROUPS).map(({ id, verdict, reasons, changes }) => {
    const why = reasons.map(({ message }) => escapeHtml(message)).join("<br>");
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
