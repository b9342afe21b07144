/**
 * `store import FILE|DIR|-`: takes an export or a bundle in. What is here is never replaced; where the two differ, that is
 * said. A bundle's session goes on in the clone somebody stands in.
 */

import { workspaceHere } from "../../../app/place/workspace-here.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { findBundle, moveHere, takeIn } from "../../../handoff/bundle/import-bundle.ts";
import type { SessionId } from "../../../model/ids.ts";
import type { ImportResult } from "../../../store/import.ts";
import { shellWord } from "../../../text/escape.ts";
import { assertNotJudged } from "../../../workspace/trust/judged-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";
import { readLines } from "./read-lines.ts";

/** Conflicts listed on a screen; JSON has them all. */
const MAX_SHOWN = 20;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const file = textArgument(input, 0);
  if (!file) throw usage("store import needs a file, or - for stdin.");
  if (file === "-" && process.stdin.isTTY === true)
    throw usage("Nothing comes from stdin: it is a terminal.");
  // Trust, verdicts and what a session said all come this way (T2).
  await assertNotJudged(process.env, (await context.findStore())?.raw ?? null, "take an export in");
  const bundle = file === "-" ? null : findBundle(file);
  const store = await context.openOrMakeStore();
  const lines = readLines(bundle?.journal ?? file);
  const isOwn = isSet(input, "own");
  const result = await takeIn(store.raw, lines, { only: bundle?.session ?? null, isOwn });
  const moved = bundle ? await goOnHere(context, store, bundle.session, result) : null;
  await context.out.result({
    command: "store-import",
    json: { ...result, session: bundle?.session ?? null, moved },
    text: () => [
      ...resultLines(result),
      ...leftOutLines(result, file).map(context.out.typed),
      ...movedLines(bundle?.session ?? null, moved).map(context.out.typed),
    ],
  });
  return result.conflicts.length > 0 ? EXIT.failed : EXIT.done;
}

interface MovedTo {
  readonly from: string;
  readonly to: string;
}

/** Null: it stays where it was, and why was said. */
async function goOnHere(
  context: Context,
  store: RefloatStore,
  session: SessionId,
  result: ImportResult,
): Promise<MovedTo | null> {
  const { workspace } = await workspaceHere(context, store);
  const moved = await moveHere(store.raw, session, workspace, {
    isNew: result.sessions > 0,
    leftOut: result.left_out,
  });
  if (moved.kind === "moved") return { from: moved.from, to: moved.to };
  context.out.narrate(`The session keeps its workspace: ${oneLine(moved.why)}.`);
  return null;
}

function movedLines(session: string | null, moved: MovedTo | null): string[] {
  if (session === null || moved === null) return [];
  return [
    `Its session goes on here, in ${oneLine(moved.to)}: refloat inspect ${oneLine(session)}`,
    "Only the store was written. Where its changes are not in the tree yet: git apply, as the",
    "bundle's README.txt says, or refloat captures and then refloat restore ID.",
  ];
}

/** From a file the import can be typed again as it stands. */
function leftOutLines({ sessions_left_out }: ImportResult, file: string): string[] {
  const left = sessions_left_out.length;
  if (left === 0) return [];
  return [
    `${count(left, "journal")} of refloat's own left out: plans, verdicts and trust act in your name.`,
    file === "-"
      ? "Where the export is of your own store, give it again with --own."
      : `Where the export is of your own store: refloat store import --own ${oneLine(shellWord(file))}`,
  ];
}

function resultLines(result: ImportResult): string[] {
  const { records, sessions, contents, repeats, kept, conflicts } = result;
  const shown = conflicts.slice(0, MAX_SHOWN);
  return [
    `${count(records, "record")} of ${count(sessions, "session")} taken in, ${count(contents, "content")}.`,
    ...(repeats > 0 ? [`${count(repeats, "record was", "records were")} here already.`] : []),
    ...(kept > 0
      ? [
          `${count(kept, "original")} kept: the export had ${kept === 1 ? "it" : "them"} redacted or forgotten.`,
        ]
      : []),
    ...(conflicts.length > 0 ? ["", `${count(conflicts.length, "conflict")}; what is here was kept:`] : []),
    ...shown.map(({ session, seq, why }) => `  ${oneLine(session)} #${seq}: ${oneLine(why)}`),
    ...(conflicts.length > shown.length
      ? [`  ... and ${conflicts.length - shown.length} more (--json)`]
      : []),
  ];
}
