/**
 * `store check`: looks at everything and changes nothing; exit 5 when something is damaged. With --salvage it
 * makes a new store of what is whole (app/upkeep/check.ts).
 */
import { resolve } from "node:path";
import { checkWhole, salvageDamaged } from "../../../app/upkeep/check.ts";
import type { ErrorData } from "../../../model/errors.ts";
import type { CheckResult } from "../../../store/check.ts";
import type { SalvageResult } from "../../../store/damage/salvage-store.ts";
import type { LostRange } from "../../../workspace/sessions/accepted-losses.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";

/** Finds listed on a screen; JSON has them all. */
const MAX_SHOWN = 20;
/** A check that takes longer than this says how far it is. */
const PROGRESS_EVERY_MS = 2000;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  if (input.options.salvage === undefined) return check(context, input);
  if (isSet(input, "acceptLoss")) throw usage("--salvage and --accept-loss exclude each other.");
  return salvage(context, textOption(input, "salvage"));
}

async function check(context: Context, input: CommandInput): Promise<CommandEnd> {
  let saidAtMs = context.clock.monotonicMs();
  const outcome = await checkWhole(context, {
    acceptsLoss: isSet(input, "acceptLoss"),
    onProgress: ({ records, contents }) => {
      const nowMs = context.clock.monotonicMs();
      if (nowMs - saidAtMs < PROGRESS_EVERY_MS) return;
      saidAtMs = nowMs;
      context.out.narrate(`${count(records, "record")} and ${count(contents, "content")} looked at ...`);
    },
  });
  const { loss, accepted, damage, isComplete, sessions, records, contents } = outcome;
  await context.out.result({
    command: "store-check",
    json: {
      ok: damage.length === 0,
      sessions,
      records,
      contents,
      damage,
      complete: isComplete,
      accepted_loss: loss,
      accepted,
    },
    text: () => [
      ...lossLines(loss).map(context.out.typed),
      ...acceptedLines(accepted),
      ...checkLines(context, outcome),
    ],
  });
  return damage.length > 0 ? EXIT.damaged : EXIT.done;
}

function lossLines(loss: ErrorData | null): string[] {
  if (!loss) return [];
  const where = `${oneLine(String(loss.session))} ends at #${loss.found}, but had reached #${loss.expected}`;
  return [
    `Going on without what is lost: ${where}. \`refloat store info\` names each session that is known to have lost its end; others may have, too.`,
  ];
}

function acceptedLines(accepted: readonly LostRange[]): string[] {
  const lines = accepted
    .slice(0, MAX_SHOWN)
    .map(({ session, from, to }) => `  ${oneLine(session)}: ${rangeText([from, to])}`);
  const more = accepted.length - lines.length;
  return accepted.length === 0
    ? []
    : [
        "Accepted as lost, by session:",
        ...lines,
        ...(more > 0 ? [`  ... and ${more} more (--json lists them)`] : []),
      ];
}

function checkLines(context: Context, { damage, isComplete, ...looked }: CheckResult): string[] {
  const { green, red } = context.out.style;
  const seen = [
    count(looked.sessions, "session"),
    count(looked.records, "record"),
    count(looked.contents, "content"),
  ].join(", ");
  if (damage.length === 0) return [`${green("Whole.")} ${seen} looked at.`];
  const shown = damage.slice(0, MAX_SHOWN);
  const more = damage.length - shown.length;
  return [
    `${red("Damaged.")} ${seen} looked at, ${isComplete ? "" : "more than "}${count(damage.length, "find")}:`,
    ...shown.map(({ kind, where, message }) => `  ${kind}  ${oneLine(where)}: ${oneLine(message)}`),
    ...(more > 0 ? [`  ... and ${more} more (--json lists them)`] : []),
    "",
    context.out.typed(
      "Everything else can be read. `refloat store check --salvage` makes a whole store of it.",
    ),
  ];
}

async function salvage(context: Context, to: string | null): Promise<CommandEnd> {
  const result = await salvageDamaged(context, to === null ? null : resolve(to));
  const { store, kept, records, contents, lost, broken, endsKnown, sessions } = result;
  await context.out.result({
    command: "store-check",
    json: { salvaged: { store, kept, records, contents, lost, broken, sessions, ends_known: endsKnown } },
    text: () => salvageLines(result),
  });
  return EXIT.done;
}

function salvageLines(result: SalvageResult): string[] {
  const { store, kept, records, contents, lost, broken } = result;
  const lostLines = lost
    .slice(0, MAX_SHOWN)
    .map(({ session, ranges }) => `  ${oneLine(session)}: ${ranges.map(rangeText).join(", ")}`);
  const more = lost.length - lostLines.length;
  return [
    `${oneLine(store)}: ${count(records, "record")} and ${count(contents, "content")} saved.`,
    kept === null ? "The old store was not touched." : `The old store is kept at ${oneLine(kept)}.`,
    ...(broken.length > 0 ? [`${count(broken.length, "page")} could not be read.`] : []),
    ...(lost.length > 0 ? ["Records that are lost, by session:", ...lostLines] : ["No session has a gap."]),
    ...(more > 0 ? [`  ... and ${count(more, "more session")} (--json lists them)`] : []),
    ...endLines(result),
  ];
}

/** What can be known about the ends of journals, and what cannot (D7). */
function endLines({ endsKnown, sessions, lost }: SalvageResult): string[] {
  if (endsKnown === null)
    return ["Whether a session lost its end cannot be known: the note beside the store is gone."];
  const told = Math.max(0, sessions - endsKnown);
  const known = lost.length > 0 ? [] : ["Each reaches what was noted of it beside the store."];
  return told === 0
    ? known
    : [
        `The note beside the store speaks of the ${endsKnown} written last: whether others lost their end cannot be known.`,
      ];
}

const rangeText = ([from, to]: readonly [number, number]): string =>
  from === to ? `#${from}` : `#${from} to #${to}`;
