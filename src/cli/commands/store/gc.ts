/** `store gc`: contents nothing names and transcripts whose time is over go, records stay (D2). What a writer may still be about to name stays too. */
import { dropUnnamed, type UnnamedDropped, wouldDrop } from "../../../app/upkeep/check.ts";
import {
  dropOld,
  type OldSessions,
  oldSessions,
  type RetentionResult,
} from "../../../app/upkeep/retention.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, type ShownPlan } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textOption } from "../../grammar/options.ts";
import { parseAge } from "../../grammar/parse-age.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { bytesText, count, timeText } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const older = textOption(input, "older");
  if (older !== null) return dropOlder(context, older, isSet(input, "dryRun"));
  if (isSet(input, "dryRun")) return look(context);
  await tell(context, await dropUnnamed(context), null);
  return EXIT.done;
}

async function dropOlder(context: Context, typed: string, isDry: boolean): Promise<CommandEnd> {
  const beforeMs = parseAge("--older", typed, context.clock.nowMs());
  const store = await context.openStore();
  const found = await oldSessions(store, beforeMs);
  const plan = planOf(found, beforeMs);
  if (isDry || (found.ids.length > 0 && !(await confirmed(context, plan)))) {
    const json = { plan: plan.json, done: false };
    await context.out.result({
      command: "store-gc",
      json,
      text: () => (isDry ? plan.text() : ["Nothing was dropped."]),
    });
    return isDry ? EXIT.done : EXIT.failed;
  }
  const reason = `it ended before ${new Date(beforeMs).toISOString()}, and nothing of it was unsettled`;
  const dropped = await dropOld(context, store, found, reason);
  await tell(context, await dropUnnamed(context), dropped);
  return EXIT.done;
}

function planOf({ ids, kept }: OldSessions, beforeMs: number): ShownPlan {
  const left = `${count(kept, "other one")} as old ${kept === 1 ? "is" : "are"} unsettled, or held, and ${kept === 1 ? "stays" : "stay"} whole.`;
  return {
    json: { before: new Date(beforeMs).toISOString(), sessions: ids, kept },
    text: () => [
      ids.length === 0
        ? `Nothing to drop: no session that ended before ${timeText(beforeMs)} holds anything it could do without.`
        : `Drop what ${count(ids.length, "session")} held that ended before ${timeText(beforeMs)}; what was said in ${ids.length === 1 ? "it" : "them"} stays.`,
      ...(kept === 0 ? [] : [`  ${left}`]),
    ],
  };
}

async function tell(context: Context, unnamed: UnnamedDropped, old: RetentionResult | null): Promise<void> {
  const { transcripts, storeBytes } = unnamed;
  const contents = unnamed.contents + (old?.contents ?? 0);
  const bytes = unnamed.bytes + (old?.bytes ?? 0);
  await context.out.result({
    command: "store-gc",
    json: {
      ...{ contents, bytes, transcripts },
      ...(old ? { older: { sessions: old.sessions, records: old.records } } : {}),
      ...{ store_bytes_before: storeBytes.before, store_bytes_after: storeBytes.after },
    },
    text: () => [
      ...(old
        ? [
            `${count(old.sessions, "session")} of that age ${old.sessions === 1 ? "holds" : "hold"} nothing any more.`,
          ]
        : []),
      ...(transcripts === 0 ? [] : [`${count(transcripts, "kept transcript")} had its time.`]),
      contents === 0
        ? "Nothing to drop: every content is named by a record."
        : `Dropped ${count(contents, "content")}, ${bytesText(bytes)}.`,
      `The store takes ${bytesText(storeBytes.after)}, ${bytesText(storeBytes.before)} before.`,
    ],
  });
}

async function look(context: Context): Promise<CommandEnd> {
  const { transcripts, contents, bytes } = await wouldDrop(context);
  await context.out.result({
    command: "store-gc",
    json: { contents, bytes, transcripts, done: false },
    text: () => [
      ...(transcripts === 0 ? [] : [`${count(transcripts, "kept transcript")} would go.`]),
      contents + bytes === 0
        ? "Nothing to drop: every content is named by a record."
        : `Would drop ${count(contents, "content")}, ${bytesText(bytes)}.`,
    ],
  });
  return EXIT.done;
}
