/**
 * Session after session, with recovery, settling and the brief between them (docs/loop.md). What the user configured is read once,
 * before the first session: what one of them commits does not decide about the next (T2).
 */
import type { RefloatConfig } from "../../model/config.ts";
import type { LoopLimits } from "../../supervise/decide-loop.ts";
import { runLoop } from "../../supervise/loop.ts";
import { headConfig, userConfig } from "../../workspace/opening/config.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { judgedSession } from "../../workspace/trust/judged-session.ts";
import { isTextTrusted, trustText } from "../../workspace/trust/trust.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";
import { assertCheck } from "../salvage/salvage-of.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { tellOnce } from "../telling/news.ts";
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

/**
 * The command that a loop tells its news to, and who may name it (T2): whoever typed it, the user's own configuration, or the
 * `refloat.json` of a repository whose very text he trusted. What came with a clone runs nothing by itself.
 */
interface NotifySources {
  readonly store: RefloatStore;
  readonly workspace: Workspace;
  readonly env: NodeJS.ProcessEnv;
  /** `--notify`; null: left out. */
  readonly typed: string | null;
  /** As committed at HEAD, with the user's own over it. */
  readonly config: RefloatConfig;
  /** It is not run: nobody trusted it. */
  readonly onUntrusted: (command: string) => void;
}

/** Null: nobody is told. */
async function loopNotify(sources: NotifySources): Promise<string | null> {
  const { store, workspace, env, typed, config } = sources;
  if (typed !== null) {
    // Typed by a process of a session it is run, with no more rights than that has, and is nobody's trust.
    if ((await judgedSession(env, store.raw)) === null)
      await trustText(store.raw, workspace, "notify", typed);
    return typed;
  }
  const configured = config.notify ?? null;
  if (configured === null || userConfig(env).notify !== undefined) return configured;
  if (await isTextTrusted(store.raw, workspace, "notify", configured)) return configured;
  sources.onUntrusted(configured);
  return null;
}
