/** `sessions`: the list. Reads only; where no store is yet there are no sessions, and none is made. */

import { listSessions, type SessionList } from "../../../app/sessions/sessions-in-scope.ts";
import { typedId } from "../../../app/sessions/typed-id.ts";
import type { SessionSummary } from "../../../session/describe.ts";
import type { SessionState } from "../../../session/state.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textOption } from "../../grammar/options.ts";
import { repositoryScope } from "../../grammar/scope-flags.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { stateText } from "../../screen/state-text.ts";
import { type Column, tableLines } from "../../screen/table.ts";
import { agoText, count, oneLine, ordinal } from "../../screen/words.ts";

/** Rows on a screen; JSON has them all. */
const MAX_SHOWN = 100;

/** Beside the state of a session that left changes nobody has settled (L6). */
const UNSETTLED = "unsettled";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const scope = repositoryScope(input, context.place());
  const { workspace } = scope;
  const list = await listSessions(context, scope, { host: textOption(input, "host") });
  const { sessions } = list;
  const isWide = scope.places.length !== 1 || sessions.some((one) => one.workspace !== scope.workspace);
  const next = await nextLines(list);
  await context.out.result({
    command: "sessions",
    json: { workspace, sessions },
    text: () =>
      sessions.length > 0
        ? listLines(context, list, isWide, next)
        : emptyLines(workspace).map(context.out.typed),
  });
  return isSet(input, "exitCode") && list.isAttentionWanted ? EXIT.attention : EXIT.done;
}

function listLines(
  context: Context,
  { sessions, ids }: SessionList,
  isWide: boolean,
  next: readonly string[],
): string[] {
  const { style, columns } = context.out;
  const nowMs = context.clock.nowMs();
  const paintState = (text: string): string =>
    stateText(style, text.trim().split(",")[0] as SessionState, text);
  const wide: Column[] = isWide ? [{ title: "WORKSPACE", shrinkTo: 12 }] : [];
  const lines = tableLines(
    [
      { title: "STATE", paint: paintState },
      { title: "ID", shrinkTo: 8, paint: style.bold },
      { title: "AGENT", shrinkTo: 6 },
      { title: "NAME", shrinkTo: 6 },
      { title: "TRY" },
      { title: "STARTED" },
      ...wide,
    ],
    sessions
      .slice(0, MAX_SHOWN)
      .map((session) => [
        session.unsettled ? `${session.state}, ${UNSETTLED}` : session.state,
        shortId(session.id, ids),
        oneLine(session.agent ?? "-"),
        oneLine(session.name ?? "-"),
        ordinal(session.last_attempt),
        session.started_at === null ? "-" : agoText(Date.parse(session.started_at), nowMs),
        ...(isWide ? [oneLine(session.workspace ?? "-")] : []),
      ]),
    columns,
    style.dim,
  );
  const more = sessions.length - MAX_SHOWN;
  const left = more > 0 ? [style.dim(`... ${count(more, "older one")} left out (--json has them)`)] : [];
  const typed = next.map((line) => style.dim(context.out.typed(line)));
  return [...lines, ...left, ...(typed.length > 0 ? ["", ...typed] : [])];
}

/** What to type next: of those that were cut off the newest, and of those that are suspended. */
async function nextLines({ store, cutOff, liftable, ids, isWhole }: SessionList): Promise<string[]> {
  const id = async ([one]: readonly SessionSummary[]): Promise<string | null> => {
    if (!store || !one) return null;
    return isWhole ? shortId(one.id, ids) : typedId(store, one.id);
  };
  const [show, lift] = [await id(cutOff), await id(liftable)];
  return [
    ...(show === null
      ? []
      : [
          `${count(cutOff.length, "session was", "sessions were")} cut off; see what was open: refloat show ${shellLineWord(show)}`,
        ]),
    ...(lift === null
      ? []
      : [
          `${count(liftable.length, "session is", "sessions are")} suspended; to end that: refloat lift ${shellLineWord(lift)}`,
        ]),
  ];
}

function emptyLines(workspace: string | null): string[] {
  if (workspace === null) return ["No sessions yet.", "`refloat demo` shows what one is."];
  return [
    `No sessions in ${oneLine(workspace)}.`,
    "`refloat sessions --all` lists those of every workspace.",
  ];
}
