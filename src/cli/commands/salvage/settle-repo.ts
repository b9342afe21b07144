/**
 * `settle --repo`: every unsettled session of the repository, its work trees included, by one policy, asked once (DESIGN 10).
 * Each is settled as `settle ID` does; their plans carry one order, which one undo takes back.
 */
import { scopeOf } from "../../../app/place/scope.ts";
import { sessionsInScope } from "../../../app/sessions/sessions-in-scope.ts";
import { RefloatError } from "../../../model/errors.ts";
import { randomId } from "../../../platform/random.ts";
import type { SessionSummary } from "../../../session/describe.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { allOf, type OrderPart, runPart } from "../../context/part-of-order.ts";
import { type CommandInput, isSet, listOption, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";
import { runSettle, type SettleRun } from "./settle-run.ts";

interface PlannedSession {
  readonly session: SessionSummary;
  readonly part: OrderPart;
}

export async function settleRepo(
  context: Context,
  input: CommandInput,
  settle: SettleRun,
): Promise<CommandEnd> {
  if (textArgument(input, 0) !== null || isSet(input, "adopt") || listOption(input, "group").length > 0)
    throw usage(
      "--repo means every unsettled session of the repository: it takes no ID, --group or --adopt.",
    );
  const sessions = await unsettledHere(context);
  const order = randomId();
  const isDryRun = isSet(input, "dryRun");
  const planned: PlannedSession[] = [];
  for (const session of sessions)
    planned.push({ session, part: await partOf(context, input, settle, session, { dryRun: true }) });
  if (sessions.length === 0 || isDryRun) return tell(context, planned, { order: null, isDone: !isDryRun });
  const plan = { json: planJson(planned, null), text: () => linesOf(context, planned) };
  if (!(await confirmed(context, plan))) return EXIT.failed;
  const done: PlannedSession[] = [];
  for (const { session, part } of planned) {
    const agreed = new Map(actsIn(part).map(({ group, act }) => [group, act]));
    const asShown = { ...onlyAgreed(settle, agreed), order };
    done.push({ session, part: await partOf(context, input, asShown, session, { dryRun: false }) });
  }
  return tell(context, done, { order, isDone: true });
}

const partOf = (
  context: Context,
  input: CommandInput,
  { reviewedBy: _nobodyIsAsked, ...settle }: SettleRun,
  { id }: SessionSummary,
  options: { readonly dryRun: boolean },
): Promise<OrderPart> =>
  runPart(context, input, options, (part, typed) => runSettle(part, typed, { ...settle, session: id }));

/** What came out otherwise than it was shown nobody agreed to: it is left. */
function onlyAgreed(settle: SettleRun, agreed: ReadonlyMap<string, string>): SettleRun {
  const why = "it was judged otherwise when the plan was shown";
  return {
    ...settle,
    decide: async (...looked) =>
      (await settle.decide(...looked)).map((one) =>
        agreed.get(one.group.id) === one.act ? one : { ...one, act: "leave", why: one.why ?? why },
      ),
  };
}

/** Oldest first: what a later one did upon it is settled after it. */
async function unsettledHere(context: Context): Promise<SessionSummary[]> {
  const directory = context.place();
  const store = await context.findStore();
  if (!store) throw new RefloatError("E_NO_SESSION", { what: `of ${directory}` });
  const rows = await sessionsInScope(context, store, scopeOf(directory, "repository"));
  const sessions = (await store.describe(rows)).filter(
    ({ unsettled, state }) => unsettled && state !== "live",
  );
  return sessions.toSorted((a, b) => (a.started_at ?? "").localeCompare(b.started_at ?? ""));
}

interface ActJson {
  readonly group: string;
  readonly act: string;
}

const planIn = ({ json }: OrderPart): Readonly<Record<string, unknown>> =>
  (json.plan ?? {}) as Readonly<Record<string, unknown>>;
const actsIn = (part: OrderPart): readonly ActJson[] => (planIn(part).acts ?? []) as readonly ActJson[];

const planJson = (planned: readonly PlannedSession[], order: string | null): Record<string, unknown> => ({
  id: order,
  session: null,
  acts: planned.flatMap(({ session, part }) =>
    actsIn(part).map((act) => ({ ...act, session: session.id, workspace: session.workspace })),
  ),
});

function linesOf(context: Context, planned: readonly PlannedSession[]): string[] {
  const { bold, dim } = context.out.style;
  return planned.flatMap(({ session, part }) => [
    `${bold(`Session ${shortId(session.id)}`)} (${oneLine(session.agent ?? "?")})  ${dim(oneLine(session.workspace ?? ""))}`,
    ...part.lines.map((line) => `  ${line}`),
    "",
  ]);
}

async function tell(
  context: Context,
  planned: readonly PlannedSession[],
  { order, isDone }: { readonly order: string | null; readonly isDone: boolean },
): Promise<CommandEnd> {
  const parts = planned.map(({ part }) => part);
  const isChanged = order !== null && parts.some((part) => typeof planIn(part).id === "string");
  const undo = isChanged ? context.out.typed(`refloat undo --plan ${order}`) : null;
  const conflicts = allOf(parts, "conflicts");
  const failed = planned.filter(({ part }) => part.error !== null);
  await context.out.result({
    command: "settle",
    json: {
      plan: planJson(planned, isChanged ? order : null),
      done: isDone && failed.length === 0,
      conflicts,
      commit: null,
      commits: planned.flatMap(({ session, part }) =>
        typeof part.json.commit === "string"
          ? [{ session: session.id, workspace: session.workspace, commit: part.json.commit }]
          : [],
      ),
      undo,
      failed: failed.map(({ session, part }) => ({
        session: session.id,
        code: part.error?.code,
        message: part.error?.message,
        hint: part.error?.hint,
      })),
    },
    text: () => [
      ...linesOf(context, planned),
      `${count(planned.length, "session")} of this repository ${planned.length === 1 ? "was" : "were"} unsettled.`,
      ...(undo === null ? [] : [context.out.style.dim(`All of it is taken back by: ${undo}`)]),
    ],
  });
  if (failed.length > 0) return EXIT.failed;
  return isDone && conflicts.length > 0 ? EXIT.attention : EXIT.done;
}
