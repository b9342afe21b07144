/** `uninstall`: says which files are given back and what is kept (or, with --purge, lost), asks, and does it. */
import { type EndedUninstall, type UninstallPlan, uninstall } from "../../../app/agents/uninstall.ts";
import { wrapWhole } from "../../../text/wrap-whole.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, type ShownPlan } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count } from "../../screen/words.ts";
import { fileJson, fileLines, SCREEN_COLUMNS, shownHome } from "./file-lines.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const isPurge = isSet(input, "purge");
  if (isSet(input, "dropUnsettled") && !isPurge) throw usage("--drop-unsettled goes with --purge.");
  const ended = await uninstall(context, {
    purge: isPurge,
    dropUnsettled: isSet(input, "dropUnsettled"),
    isDryRun: isSet(input, "dryRun"),
    ask: async (plan) => ((await confirmed(context, shown(context, plan))) ? "yes" : "no"),
  });
  const plan = shown(context, ended.plan);
  const refused = ended.kind === "done" ? ended.refused : [];
  await context.out.result({
    command: "uninstall",
    json: {
      plan: plan.json,
      done: (ended.kind === "done" && refused.length === 0) || ended.kind === "nothing",
      refused,
      left: ended.kind === "done" ? ended.left : [],
    },
    text: () => textOf(ended, plan, context),
  });
  return ended.kind === "declined" || refused.length > 0 ? EXIT.failed : EXIT.done;
}

function shown(context: Context, plan: UninstallPlan): ShownPlan {
  const { store, isServer, sessions } = plan.kept;
  return {
    json: {
      files: plan.files.map(fileJson),
      recorder: plan.hasRecorder,
      purge: plan.purge,
      kept: plan.purge && !isServer ? null : { home: plan.home, store },
      lost: plan.purge && !isServer ? { home: plan.home, store, sessions: countsJson(sessions) } : null,
    },
    text: () => [
      ...fileLines(
        plan.files.map((file) => ({ ...file, title: file.owner.agent })),
        context.env,
      ),
      ...(plan.hasRecorder
        ? [`And the recorder, ${shownHome(`${plan.home}/bin/refloat-hook`, context.env)}.`]
        : []),
      ...keptLines(plan, context),
    ],
  };
}

function countsJson(sessions: UninstallPlan["kept"]["sessions"]) {
  if (sessions === null) return null;
  const { all, live, unsettled, parked } = sessions;
  return { all, live, unsettled, parked };
}

function keptLines({ kept, home, purge }: UninstallPlan, { env }: Context): readonly string[] {
  const { store, isServer, sessions } = kept;
  if (kept.isNothing || (store === null && !purge)) return [];
  if (isServer) return ["Kept: the store on its server. refloat removes nothing there."];
  const place = shownHome(home, env);
  if (!purge)
    return wrapWhole(
      `Kept: the store in ${place} with every session, capture and parked group. \`refloat uninstall --purge\` removes it.`,
      SCREEN_COLUMNS,
    );
  return wrapWhole(`Lost for good, from ${place}: ${lostText(sessions)}.`, SCREEN_COLUMNS);
}

const lostText = (sessions: UninstallPlan["kept"]["sessions"]): string =>
  sessions === null
    ? "what refloat kept"
    : `${count(sessions.all, "session")} (${sessions.unsettled} not settled) with all captures, and ${count(sessions.parked, "parked group")}`;

function textOf(ended: EndedUninstall, plan: ShownPlan, context: Context): readonly string[] {
  switch (ended.kind) {
    case "planned":
      return plan.text();
    case "declined":
      return ["Nothing was changed."];
    case "nothing":
      return ["Nothing to do: no file of your agents calls refloat.", ...keptLines(ended.plan, context)];
    case "done": {
      const failed = ended.refused.map(
        ({ path, why }) => `Not given back: ${shownHome(path, context.env)}: ${why}.`,
      );
      const changed = ended.plan.files.filter(({ kind }) => kind === "change").length;
      const left =
        ended.left.length === 0
          ? []
          : [
              `Not ours, and left in ${shownHome(ended.plan.home, context.env)}: ${count(ended.left.length, "name")}.`,
            ];
      const { purge, kept } = ended.plan;
      const isGone = purge && !kept.isServer && !kept.isNothing;
      const gone = `Gone from ${shownHome(ended.plan.home, context.env)}: ${lostText(kept.sessions)}.`;
      const stays = "Nothing was purged: what an agent still calls stays.";
      return [
        ...(failed.length > 0
          ? []
          : [changed === 0 && isGone ? "Done." : `Done: ${count(changed, "file")} given back.`]),
        ...failed,
        ...(isGone ? [failed.length > 0 ? stays : gone] : []),
        ...left,
      ]
        .flatMap((line) => wrapWhole(line, SCREEN_COLUMNS))
        .concat(ended.plan.purge ? [] : keptLines(ended.plan, context));
    }
  }
}
