/**
 * `loop -- CMD`: session after session, with recovery, settling and the brief between them (docs/loop.md). stdout and
 * stderr are the agents' while they run; the loop's own log goes to stderr, a line for each thing that happened.
 */

import { whyOff } from "../../../app/place/off.ts";
import { offLine } from "../../../app/place/off-line.ts";
import { loop } from "../../../app/run/loop.ts";
import type { LoopTold } from "../../../app/run/loop-parts.ts";
import { type LoopSignals, loopSignals } from "../../../app/run/loop-signals.ts";
import type { LoopWords } from "../../../app/run/loop-story.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { Policy } from "../../../salvage/settle/policy.ts";
import type { LoopLimits } from "../../../supervise/decide-loop.ts";
import { cutToBytes } from "../../../text/cut-to-bytes.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { redactCommand } from "../../../text/redact-part.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import {
  type CommandInput,
  countOption,
  isSet,
  listArgument,
  textOption,
  usage,
} from "../../grammar/options.ts";
import { parseDuration } from "../../grammar/parse-duration.ts";
import { reportError } from "../../screen/report-error.ts";
import { shortId } from "../../screen/short-id.ts";
import { Countdown } from "./countdown.ts";
import { loopLines, stamped, untrustedNotify, whyWords } from "./loop-lines.ts";
import { runFace } from "./run-face.ts";
import { typedRun } from "./run-order.ts";
import { exitCodeOfOurs, plainly } from "./run-plainly.ts";
import { writeReport } from "./write-report.ts";

const BACKOFF_MS = 10_000;
const MAX_COUNT = 1_000_000;
/** A name is shown in lists; two command lines that differ later than this are told apart by their length only. */
const MAX_NAME_BYTES = 120;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const off = await whyOff(context);
  if (off?.kind === "left-alone") context.out.narrate(offLine(off));
  if (off) return { code: await plainly(context, listArgument(input, 0)) };
  const signals = loopSignals();
  try {
    return { code: await looped(context, input, signals) };
  } catch (thrown) {
    return { code: exitCodeOfOurs(await reportError(thrown, context.out, input.words)) };
  } finally {
    signals.stop();
  }
}

async function looped(context: Context, input: CommandInput, signals: LoopSignals): Promise<number> {
  const command = listArgument(input, 0);
  const run = { ...(await typedRun(context, input, command)), name: await nameOf(input, command) };
  const limits = limitsOf(input);
  const order = {
    run,
    until: textOption(input, "until"),
    stopFile: textOption(input, "stopFile"),
    policy: textOption(input, "settle") as Policy | null,
    notify: textOption(input, "notify"),
  };
  const face = { run: runFace(context), tell: loopLog(context), words: loopWords(context) };
  const { code, report } = await loop(context, order, limits, face, signals);
  const place = { path: textOption(input, "report"), isRaw: isSet(input, "raw") };
  await writeReport(context.out, place, { schema: "refloat.loop/1", ...report });
  return code;
}

/** Its log on stderr: a line for each thing that happened, and now and then one of a long wait. */
function loopLog({ out, clock }: Context): (news: LoopTold) => void {
  let countdown = new Countdown();
  const say = (line: string): void => out.narrate(`refloat: ${stamped(line, clock.nowMs())}`);
  return (news) => {
    switch (news.kind) {
      case "countdown": {
        const line = countdown.line(news.leftMs);
        if (line !== null) say(line);
        break;
      }
      case "notify-untrusted":
        for (const line of untrustedNotify(news.command, out)) out.narrate(line);
        break;
      default:
        for (const line of loopLines(news, out)) say(line);
        if (news.kind === "begins" || news.kind === "waits") countdown = new Countdown();
    }
  };
}

const loopWords = ({ out }: Context): LoopWords => ({
  stops: (news) => out.typed(whyWords(news)),
  unsettled: (session) =>
    out.typed(`it left changes that nobody has settled: refloat inspect ${shellLineWord(shortId(session))}`),
});

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
