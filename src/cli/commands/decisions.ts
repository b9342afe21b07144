/** `decisions`: what was decided, oldest first: in the state file where there is one, else in the session that is meant. */
import { decisionsIn } from "../../workflow/decision-log.ts";
import { decisionsHere } from "../../workspace/decisions.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, isSet } from "../options.ts";
import { readState } from "../read-state.ts";
import { sayTakenOut, withoutSecrets } from "../without-secrets.ts";
import { oneLine } from "../words.ts";
import { workspaceHere } from "../workspace-here.ts";
import { stateFileMeant } from "./decide.ts";

interface Shown {
  readonly step: string | null;
  readonly key: string;
  readonly value: unknown;
  readonly reason: string | null;
}

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const file = stateFileMeant(context, input);
  const { session, decisions: whole } = file === null ? await inSession(context) : inFile(file);
  const { value: decisions, count } = await withoutSecrets(whole, isSet(input, "raw"));
  sayTakenOut(context, count);
  await context.out.result({
    command: "decisions",
    json: { file, session, decisions, redacted: count },
    text: () => (decisions.length === 0 ? ["Nothing was decided yet."] : decisions.flatMap(lines)),
  });
  return EXIT.done;
}

function inFile(file: string): { session: null; decisions: Shown[] } {
  return { session: null, decisions: decisionsIn(readState(file)).flatMap((one) => (one ? [one] : [])) };
}

async function inSession(context: Context): Promise<{ session: string | null; decisions: readonly Shown[] }> {
  const store = await context.findStore();
  if (!store) return { session: null, decisions: [] };
  const here = await workspaceHere(context, store);
  return decisionsHere(store.raw, here.workspace.root, here.place, here.env);
}

function lines({ step, key, value, reason }: Shown): string[] {
  const said =
    value === key
      ? oneLine(key)
      : `${oneLine(key)}: ${oneLine(typeof value === "string" ? value : JSON.stringify(value))}`;
  return [
    `${step === null ? "" : `step ${oneLine(step)}  `}${said}`,
    ...(reason === null ? [] : [`  ${oneLine(reason)}`]),
  ];
}
