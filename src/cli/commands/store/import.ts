/**
 * `store import FILE|DIR|-`: takes an export, a bundle or a session that was sent in (app/transfer/take-in.ts). What `send` asks for over ssh are
 * `--hold`, `--accept` and `--refuse` (app/transfer/receive.ts).
 */

import {
  acceptTransfer,
  holdTransfer,
  type ReceivedFile,
  refuseTransfer,
  type TransferAnswer,
} from "../../../app/transfer/receive.ts";
import { takeInHere } from "../../../app/transfer/take-in.ts";
import type { ImportOutcome } from "../../../app/upkeep/import.ts";
import type { MoveOutcome } from "../../../handoff/bundle/import-bundle.ts";
import { parseId, type SessionId } from "../../../model/ids.ts";
import type { ImportResult } from "../../../store/import.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";

/** Conflicts listed on a screen; JSON has them all. */
const MAX_SHOWN = 20;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const asked = await transferOrder(context, input);
  if (asked) return answered(context, asked);
  const file = textArgument(input, 0);
  if (!file) throw usage("store import needs a file, or - for stdin.");
  if (file === "-" && process.stdin.isTTY === true)
    throw usage("Nothing comes from stdin: it is a terminal.");
  const from = file === "-" ? process.stdin : file;
  const taken = await takeInHere(context, { from, isOwn: isSet(input, "own") });
  return taken.kind === "import" ? imported(context, taken.outcome, file) : received(context, taken.outcome);
}

/** Null: none of the three was asked for. */
async function transferOrder(context: Context, input: CommandInput): Promise<TransferAnswer | null> {
  const [accept, refuse] = [textOption(input, "accept"), textOption(input, "refuse")];
  if (isSet(input, "hold")) return holdTransfer(context, process.stdin);
  const transfer = accept ?? refuse;
  if (transfer === null) return null;
  if (!/^[0-9a-z]{20}$/.test(transfer)) throw usage("That is no transfer's id.");
  const session = parseId<SessionId>("session", textOption(input, "session"));
  if (refuse !== null) return refuseTransfer(context, { transfer, session });
  const isSealed = textArgument(input, 0) === "-";
  return acceptTransfer(context, { transfer, session }, isSealed ? process.stdin : null);
}

async function answered(context: Context, told: TransferAnswer): Promise<CommandEnd> {
  await context.out.result({
    command: "store-import",
    json: { ...told },
    text: () => [`${oneLine(told.session)}: ${told.state} (transfer ${told.transfer})`],
  });
  return EXIT.done;
}

const RECEIVED: Readonly<Record<ReceivedFile["kind"], string>> = {
  taken: "goes on here from now on, and nowhere else",
  repeat: "is here already, by this very file",
  over: "was taken back here since this file was made: it goes on without it",
};

async function received(context: Context, { kind, session, result }: ReceivedFile): Promise<CommandEnd> {
  await context.out.result({
    command: "store-import",
    json: { ...result, session, moved: null, received: kind },
    text: () => [
      `Session ${oneLine(session)} ${RECEIVED[kind]}: ${count(result.records, "record")} and ${count(result.contents, "content")} taken in.`,
      ...(kind === "over"
        ? []
        : [
            "In a clone of its repository:",
            context.out.typed(`  refloat resume ${shellLineWord(session)} --recreate`),
            "On a machine without one, with --from URL --to DIR.",
          ]),
    ],
  });
  return EXIT.done;
}

async function imported(
  context: Context,
  { result, bundle }: ImportOutcome,
  file: string,
): Promise<CommandEnd> {
  const session = bundle?.session ?? null;
  const moved = bundle ? movedTo(context, bundle.moved) : null;
  await context.out.result({
    command: "store-import",
    json: { ...result, session, moved },
    text: () => [
      ...resultLines(result),
      ...leftOutLines(result, file).map(context.out.typed),
      ...movedLines(session, moved).map(context.out.typed),
    ],
  });
  return result.conflicts.length > 0 ? EXIT.failed : EXIT.done;
}

interface MovedTo {
  readonly from: string;
  readonly to: string;
}

/** Null: it stays where it was, and why was said. */
function movedTo({ out }: Context, moved: MoveOutcome): MovedTo | null {
  if (moved.kind === "moved") return { from: moved.from, to: moved.to };
  out.narrate(`The session keeps its workspace: ${oneLine(moved.why)}.`);
  return null;
}

function movedLines(session: string | null, moved: MovedTo | null): string[] {
  if (session === null || moved === null) return [];
  return [
    `Its session goes on here, in ${oneLine(moved.to)}: refloat inspect ${shellLineWord(session)}`,
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
      : `Where the export is of your own store: refloat store import --own ${shellLineWord(file)}`,
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
