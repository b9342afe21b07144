/** What `run` and `loop` were told to do, read from their flags. */
import { constants } from "node:os";
import { basename } from "node:path";
import { programOf, type RunOrder, usualDrainMs } from "../../../app/run/run-order.ts";
import { selfOwner } from "../../../platform/identity.ts";
import type { LimitSigns } from "../../../supervise/agent.ts";
import { genericAgent } from "../../../supervise/generic-agent.ts";
import { LimitReader } from "../../../supervise/limit-reader.ts";
import { WARN_SIGNAL } from "../../../supervise/supervise.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textOption, usage } from "../../grammar/options.ts";
import { parseDuration } from "../../grammar/parse-duration.ts";

export async function runOrder(
  context: Context,
  input: CommandInput,
  command: readonly string[],
): Promise<RunOrder> {
  const place = context.place();
  const timeout = textOption(input, "timeout");
  const drain = textOption(input, "drain");
  const bundle = textOption(input, "bundle");
  for (const flag of ["name", "agent"])
    if (textOption(input, flag)?.trim() === "") throw usage(`--${flag} wants a name.`);
  if (bundle === null && textOption(input, "report") === null && isSet(input, "raw"))
    throw usage("--raw is for --bundle and --report.");
  return {
    command,
    file: programOf(command, place, process.env),
    place,
    home: await context.home(),
    store: context.flags.store,
    agent: genericAgent(textOption(input, "agent") ?? basename(command[0] ?? ""), limitSigns(input)),
    owner: selfOwner("refloat run"),
    name: textOption(input, "name"),
    ifBusy: (textOption(input, "ifBusy") ?? "fail") as RunOrder["ifBusy"],
    bundle: bundle === null ? null : { folder: bundle, isRaw: isSet(input, "raw") },
    limits: {
      ...warning(input),
      timeoutMs: timeout === null ? null : parseDuration("--timeout", timeout),
      drainMs: drain === null ? usualDrainMs(process.env) : parseDuration("--drain", drain),
    },
  };
}

/** When and by what the agent is told that its time is up soon. */
function warning(input: CommandInput): Pick<RunOrder["limits"], "warnMs" | "warnSignal"> {
  const [warn, signal] = [textOption(input, "warn"), textOption(input, "warnSignal")];
  if (warn === null && signal !== null) throw usage("--warn-signal is for --warn.");
  if (warn === null) return { warnMs: null, warnSignal: WARN_SIGNAL };
  const bounds = ["timeout", "maxTime"].flatMap((flag) => textOption(input, flag) ?? []);
  if (bounds.length === 0) throw usage("--warn is for --timeout: without it nothing ends.");
  return { warnMs: parseDuration("--warn", warn), warnSignal: signalNamed(signal ?? WARN_SIGNAL) };
}

/** USR1 and SIGUSR1 are the same. Those that nobody can listen to tell nothing. */
function signalNamed(typed: string): NodeJS.Signals {
  const name = `SIG${typed.toUpperCase().replace(/^SIG/, "")}`;
  const isKnown = Object.keys(constants.signals).includes(name);
  if (!isKnown || UNHEARD.has(name)) throw usage(`--warn-signal wants a signal like USR1, not ${typed}.`);
  return name as NodeJS.Signals;
}

const UNHEARD: ReadonlySet<string> = new Set(["SIGKILL", "SIGSTOP"]);

/** What the user says of a program that refloat does not know (docs/loop.md). */
function limitSigns(input: CommandInput): LimitSigns {
  const text = textOption(input, "limitText");
  const code = textOption(input, "limitCode");
  if (code !== null && !/^[0-9]{1,3}$/.test(code))
    throw usage(`--limit-code wants an exit code from 0 to 255, not ${code}.`);
  if (text === "") throw usage("--limit-text wants the text of the line that says it.");
  return {
    reader: () => (text === null ? null : new LimitReader(text)),
    code: code === null ? null : Number(code),
  };
}
