/**
 * Session after session, with recovery, settling and the brief between them (docs/loop.md). What the user configured is read once,
 * before the first session: what one of them commits does not decide about the next (T2).
 */
import type { LoopLimits } from "../../supervise/decide-loop.ts";
import { runLoop } from "../../supervise/loop.ts";
import { headConfig } from "../../workspace/opening/config.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";
import { assertCheck } from "../salvage/salvage-of.ts";
import { tellOnce } from "../telling/news.ts";
import { loopNotify } from "./loop-notify.ts";
import { type LoopFace, type LoopOrder, loopParts } from "./loop-parts.ts";
import type { LoopSignals } from "./loop-signals.ts";
import { LoopStory } from "./loop-story.ts";

export interface EndedLoop {
  readonly code: number;
  /** As `--report` has it (docs/json.md), without its schema. */
  readonly report: Readonly<Record<string, unknown>>;
}

export async function loop(
  at: AppPlace,
  order: LoopOrder,
  limits: LoopLimits,
  face: LoopFace,
  signals: LoopSignals,
): Promise<EndedLoop> {
  assertCheck(order.until);
  const { env, clock } = at;
  const store = await at.openOrMakeStore({ thread: true });
  const { workspace } = await workspaceHere(at, store);
  const told = tellOnce(face.run.tell);
  const config = await headConfig(workspace, env, (key) => told({ kind: "unknown-key", key }));
  const command = await loopNotify({
    ...{ store, workspace, env, config, typed: order.notify },
    onUntrusted: (untrusted) => face.tell({ kind: "notify-untrusted", command: untrusted }),
  });
  const story = new LoopStory(clock, {
    command,
    place: { cwd: order.run.place, env },
    words: face.words,
    complain: (line) => face.tell({ kind: "notify-trouble", line }),
  });
  const given = {
    ...order,
    run: { ...order.run, commitAt: config.commit?.at ?? "never" },
    policy: order.policy ?? config.policy ?? "leave",
  };
  const outcome = await runLoop(
    loopParts({ at, store, workspace, order: given, signals, face, story }),
    limits,
  );
  return { code: outcome.code, report: story.report(outcome) };
}
