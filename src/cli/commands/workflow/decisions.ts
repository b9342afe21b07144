/** `decisions`: what was decided, oldest first: in the state file where there is one, else in the session that is meant. */
import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { shellWord } from "../../../text/escape.ts";
import { withoutSecrets } from "../../../text/without-secrets.ts";
import { decisionsIn } from "../../../workflow/decision-log.ts";
import { editOf } from "../../../workflow/kept-log.ts";
import { listOf, own } from "../../../workflow/state-doc.ts";
import { decisionsHere } from "../../../workspace/sessions/decisions.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { sayTakenOut } from "../../context/without-secrets.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { oneLine } from "../../screen/words.ts";
import { stateFileMeant } from "./decide.ts";
import { readState } from "./read-state.ts";
import { logsOfFiles } from "./state-logs.ts";

interface DecisionRow {
  readonly step: string | null;
  readonly key: string;
  readonly value: unknown;
  readonly reason: string | null;
  readonly by_hand?: true;
}

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const file = await stateFileMeant(context, input);
  const { session, decisions: whole } = file === null ? await inSession(context) : inFile(file);
  if (file !== null) await sayEdits(context, file);
  const { value: decisions, count } = await withoutSecrets(whole, isSet(input, "raw"));
  sayTakenOut(context, count);
  await context.out.result({
    command: "decisions",
    json: { file, session, decisions, redacted: count },
    text: () => (decisions.length === 0 ? ["Nothing was decided yet."] : decisions.flatMap(lines)),
  });
  return EXIT.done;
}

function inFile(file: string): { session: null; decisions: DecisionRow[] } {
  return { session: null, decisions: decisionsIn(readState(file)).flatMap((one) => (one ? [one] : [])) };
}

/** Who reads the log here is told when it is not as the store knows it (T2). */
async function sayEdits(context: Context, file: string): Promise<void> {
  const known = (await logsOfFiles(context, [file]))(file);
  const edit = known && editOf(known, listOf(own(readState(file), "decision_log")));
  if (!edit || edit.missing.length + edit.changed.length + edit.strange.length === 0) return;
  context.out.narrate(
    context.out.typed(`Note: the log was changed by hand: refloat state validate ${shellWord(file)}`),
  );
}

async function inSession(
  context: Context,
): Promise<{ session: string | null; decisions: readonly DecisionRow[] }> {
  const store = await context.findStore();
  if (!store) return { session: null, decisions: [] };
  const here = await workspaceHere(context, store);
  return decisionsHere(store.raw, here.workspace.root, here.place, here.env);
}

function lines({ step, key, value, reason, by_hand }: DecisionRow): string[] {
  const said =
    value === key
      ? oneLine(key)
      : `${oneLine(key)}: ${oneLine(typeof value === "string" ? value : JSON.stringify(value))}`;
  return [
    `${step === null ? "" : `step ${oneLine(step)}  `}${said}${by_hand ? " (written over another by hand)" : ""}`,
    ...(reason === null ? [] : [`  ${oneLine(reason)}`]),
  ];
}
