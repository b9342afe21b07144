/**
 * `loop -- CMD`: session after session, with recovery, settling and the brief between them (docs/loop.md). stdout and
 * stderr are the agents' while they run; the loop's own log goes to stderr, a line for each thing that happened.
 */

import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { loopNotify } from "../../../app/run/loop-notify.ts";
import { type LoopFace, type LoopOrder, loopParts } from "../../../app/run/loop-parts.ts";
import { type LoopSignals, loopSignals } from "../../../app/run/loop-signals.ts";
import { LoopStory, type LoopWords } from "../../../app/run/loop-story.ts";
import { assertCheck } from "../../../app/salvage/salvage-of.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { Policy } from "../../../salvage/settle/policy.ts";
import type { LoopLimits } from "../../../supervise/decide-loop.ts";
import { runLoop } from "../../../supervise/loop.ts";
import { cutToBytes } from "../../../text/cut-to-bytes.ts";
import { redactCommand } from "../../../text/redact-part.ts";
import { headConfig } from "../../../workspace/opening/config.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { tellsUnknownKeys } from "../../context/tell.ts";
import {
  type CommandInput,
  countOption,
  isSet,
  listArgument,
  textOption,
  usage,
} from "../../grammar/options.ts";
import { parseDuration } from "../../grammar/parse-duration.ts";
import { untrustedLines } from "../../screen/news-lines.ts";
import { reportError } from "../../screen/report-error.ts";
import { shortId } from "../../screen/short-id.ts";
import { oneLine } from "../../screen/words.ts";
import { whyWords } from "./loop-lines.ts";
import { LoopLog } from "./loop-log.ts";
import { settleByPolicy } from "./loop-settle.ts";
import { runFace } from "./run-face.ts";
import { runOrder } from "./run-order.ts";
import { exitCodeOfOurs, runPlainly } from "./run-plainly.ts";
import { writeReport } from "./write-report.ts";

const BACKOFF_MS = 10_000;
const MAX_COUNT = 1_000_000;
/** A name is shown in lists; two command lines that differ later than this are told apart by their length only. */
const MAX_NAME_BYTES = 120;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  if (process.env.REFLOAT_OFF === "1") return { code: await runPlainly(context, listArgument(input, 0)) };
  const signals = loopSignals();
  try {
    return { code: await loop(context, input, signals) };
  } catch (thrown) {
    return { code: exitCodeOfOurs(await reportError(thrown, context.out, input.words)) };
  } finally {
    signals.stop();
  }
}

async function loop(context: Context, input: CommandInput, signals: LoopSignals): Promise<number> {
  const command = listArgument(input, 0);
  const run = { ...(await runOrder(context, input, command)), name: await nameOf(input, command) };
  const limits = limitsOf(input);
  const until = textOption(input, "until");
  assertCheck(until);
  const report = { path: textOption(input, "report"), isRaw: isSet(input, "raw") };
  const store = await context.openOrMakeStore({ thread: true });
  const { workspace } = await workspaceHere(context, store);
  // T2: read once, before the first session: what one of them commits does not decide about the next.
  const config = await headConfig(workspace, process.env, tellsUnknownKeys(context));
  const order: LoopOrder = {
    run: { ...run, commitAt: config.commit?.at ?? "never" },
    until,
    stopFile: textOption(input, "stopFile"),
  };
  const notify = await loopNotify({
    ...{ store, workspace, env: process.env, config, typed: textOption(input, "notify") },
    onUntrusted: (command) => {
      for (const line of untrustedNotify(context, command)) context.out.narrate(line);
    },
  });
  const log = new LoopLog(context.out, context.clock);
  const story = new LoopStory(context.clock, {
    command: notify,
    place: { cwd: run.place, env: process.env },
    words: loopWords(context),
    complain: (line) => log.say(line),
  });
  const policy = (textOption(input, "settle") ?? config.policy ?? "leave") as Policy;
  const face = loopFace(context, { log, story, store, home: run.home, policy, signals });
  const parts = loopParts({ at: context, store, workspace, order, signals, face });
  const outcome = await runLoop(parts, limits);
  await writeReport(context.out, report, { schema: "refloat.loop/1", ...story.report(outcome) });
  return outcome.code;
}

interface LoopShown {
  readonly log: LoopLog;
  readonly story: LoopStory;
  readonly store: RefloatStore;
  readonly home: string;
  readonly policy: Policy;
  readonly signals: LoopSignals;
}

function loopFace(context: Context, shown: LoopShown): LoopFace {
  const { log, story, store, home, policy, signals } = shown;
  const say = (line: string): void => log.say(line);
  const onUntrusted = saidOnce((line) => log.sayTyped(line));
  return {
    run: runFace(context),
    tell: async (news) => {
      log.hear(news);
      await story.hear(news);
    },
    settle: (session) => settleByPolicy({ context, store, home, policy, signals, say, onUntrusted }, session),
    onUnsettled: (session) => story.unsettled(session),
  };
}

const loopWords = ({ out }: Context): LoopWords => ({
  stops: (news) => out.typed(whyWords(news)),
  unsettled: (session) =>
    out.typed(`it left changes that nobody has settled: refloat inspect ${shortId(session)}`),
});

/** Every session of the loop would say the same. */
function saidOnce(say: (line: string) => void): (command: string) => void {
  const said = new Set<string>();
  return (command) => {
    if (said.has(command)) return;
    said.add(command);
    for (const line of untrustedLines(command)) say(line);
  };
}

const untrustedNotify = ({ out }: Context, command: string): string[] => [
  "refloat: nobody is notified: the command came with the repository, and you never trusted it:",
  `  ${oneLine(command)}`,
  out.typed("This shows it and asks: refloat trust"),
];

function limitsOf(input: CommandInput): LoopLimits {
  const maxTime = textOption(input, "maxTime");
  const backoff = textOption(input, "backoff");
  return {
    max: countOption(input, "max", MAX_COUNT),
    maxTimeMs: maxTime === null ? null : parseDuration("--max-time", maxTime),
    backoffMs: backoff === null ? BACKOFF_MS : parseDuration("--backoff", backoff),
    suspendAfter: suspendAfterOf(input),
    onLimit: textOption(input, "onLimit") === "wait" ? "wait" : "exit",
  };
}

function suspendAfterOf(input: CommandInput): number | null {
  const text = textOption(input, "suspendAfter");
  if (text === null) return 3;
  if (text === "never") return null;
  const value = /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw usage(`--suspend-after wants a number from 1 on, or never, not ${text}.`);
  return value;
}

/** A loop is named by its command line (DESIGN 10), as far as that may be shown (T4). */
async function nameOf(input: CommandInput, command: readonly string[]): Promise<string> {
  const given = textOption(input, "name");
  if (given !== null) return given;
  const line = `loop: ${(await redactCommand(command)).join(" ")}`;
  const shown = cutToBytes(line.replace(/\s+/g, " "), MAX_NAME_BYTES);
  if (shown === "loop: ") throw new RefloatError("E_USAGE", { why: "loop needs a command, after --." });
  return shown.length === line.length ? shown : `${shown} (${line.length})`;
}
