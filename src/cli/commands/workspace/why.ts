/** `why PATH[:LINE]`: which session, call and operation brought a path, or one of its lines, to what it is. Reads only. */
import type { PathAndLine } from "../../../app/captures/why.ts";
import { why } from "../../../app/captures/why.ts";
import type { WorkspaceHere } from "../../../app/place/workspace-here.ts";
import { NOW } from "../../../model/ids.ts";
import { type PathName, pathJson } from "../../../model/path-name.ts";
import type { BeforeImages } from "../../../salvage/story/before-images.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { beforeWords } from "../../../text/before-words.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { truncateToWidth } from "../../../text/width.ts";
import type { Claim } from "../../../workspace/owning/own.ts";
import type { TrackedCapture } from "../../../workspace/owning/track.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { type CommandInput, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { shortId } from "../../screen/short-id.ts";
import { agoText, count, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = textArgument(input, 0) ?? "";
  const found = await why(context, (here) => parse(here, typed));
  const { path, line } = found;
  if (found.kind === "no-such-line")
    throw usage(`${shownPath(path)} has ${count(found.lines, "line")}, not ${line}.`);
  const { text, claims: shown, rows, before } = found;
  await context.out.result({
    command: "why",
    json: { ...pathJson(path), line, text, changes: shown.map((claim) => claimJson(claim, rows, before)) },
    text: () => lines(context, { path, line, text, shown, rows, before }),
  });
  return EXIT.done;
}

/** A file may have a colon and a number in its name: what is there is meant first. */
function* parse(here: WorkspaceHere, typed: string): Iterable<PathAndLine> {
  yield { path: pathHere(here, typed), line: null };
  const [, file, number] = /^(.+):(\d{1,9})$/s.exec(typed) ?? [];
  if (file !== undefined) yield { path: pathHere(here, file), line: Number(number) };
}

function claimJson(
  { session, from, to, calls, evidence }: Claim,
  rows: readonly SessionRow[],
  before: BeforeImages,
): Record<string, unknown> {
  const row = rows.find(({ id }) => id === session);
  return {
    session,
    agent: row?.facts.agent ?? null,
    calls: calls.map(({ id, tool }) => ({ id, tool, ...(before.has(id) ? { before: before.get(id) } : {}) })),
    operations: [...new Set(calls.flatMap(({ operations }) => operations))],
    from_capture: from.id,
    to_capture: to.id,
    at: new Date(to.atMs).toISOString(),
    evidence: [evidence],
  };
}

interface WhyView {
  readonly path: PathName;
  readonly line: number | null;
  readonly text: string | null;
  readonly shown: readonly Claim[];
  readonly rows: readonly SessionRow[];
  readonly before: BeforeImages;
}

function lines(context: Context, { path, line, text, shown, rows, before }: WhyView): string[] {
  const { bold, dim } = context.out.style;
  const indented = (one: string): string[] => hanging(`    ${one}`, "      ", context.out.columns);
  const name = shownPath(path);
  const what = line === null ? name : `${name}:${line}`;
  const ids = rows.map(({ id }) => id as string);
  return [
    bold(what) + (text === null ? "" : `  ${truncateToWidth(oneLine(text), context.out.columns)}`),
    ...shown.flatMap((claim) => {
      const agent = rows.find(({ id }) => id === claim.session)?.facts.agent;
      const operations = [...new Set(claim.calls.flatMap((call) => call.operations))];
      return [
        `  ${agoText(claim.to.atMs, context.clock.nowMs())}: session ${shortId(claim.session, ids)}` +
          `${typeof agent === "string" ? ` (${oneLine(agent)})` : ""}`,
        ...indented(oneLine(claim.evidence.message)),
        ...(operations.length > 0 ? indented(`in the operation ${operations.map(oneLine).join(", ")}`) : []),
        ...claim.calls.flatMap(({ id }) => {
          const image = before.get(id);
          return image ? indented(context.out.typed(beforeWords(image))) : [];
        }),
        dim(`    between ${captureName(claim.from)} and ${captureName(claim.to)}`),
      ];
    }),
    ...(shown.length === 0 ? ["  No session is known to have changed it."] : []),
  ];
}

const captureName = ({ id }: TrackedCapture): string => (id === NOW ? "now" : `capture ${shortId(id)}`);
