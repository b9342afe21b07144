/** What `run` and `loop` were told to do, read from their flags. */
import { constants } from "node:os";
import { basename } from "node:path";
import { type AskedRun, type RunOrder, runOrder } from "../../../app/run/run-order.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textOption, usage } from "../../grammar/options.ts";
import { parseDuration } from "../../grammar/parse-duration.ts";

export async function typedRun(
  context: Context,
  input: CommandInput,
  command: readonly string[],
): Promise<RunOrder> {
  const bundle = textOption(input, "bundle");
  for (const flag of ["name", "agent"])
    if (textOption(input, flag)?.trim() === "") throw usage(`--${flag} wants a name.`);
  if (bundle === null && textOption(input, "report") === null && isSet(input, "raw"))
    throw usage("--raw is for --bundle and --report.");
  return runOrder(context, {
    command,
    place: context.place(),
    store: context.flags.store,
    agent: textOption(input, "agent") ?? basename(command[0] ?? ""),
    name: textOption(input, "name"),
    ifBusy: (textOption(input, "ifBusy") ?? "fail") as RunOrder["ifBusy"],
    acceptsOlder: isSet(input, "acceptOlder"),
    bundle: bundle === null ? null : { folder: bundle, isRaw: isSet(input, "raw") },
    timeoutMs: timeOption(input, "timeout"),
    drainMs: timeOption(input, "drain"),
    ...warning(input),
    limit: limitSigns(input),
    owner: "refloat run",
  });
}

function timeOption(input: CommandInput, flag: "timeout" | "drain"): number | null {
  const typed = textOption(input, flag);
  return typed === null ? null : parseDuration(`--${flag}`, typed);
}

/** When and by what the agent is told that its time is up soon. */
function warning(input: CommandInput): Pick<AskedRun, "warnMs" | "warnSignal"> {
  const [warn, signal] = [textOption(input, "warn"), textOption(input, "warnSignal")];
  if (warn === null && signal !== null) throw usage("--warn-signal is for --warn.");
  if (warn === null) return {};
  const bounds = ["timeout", "maxTime"].flatMap((flag) => textOption(input, flag) ?? []);
  if (bounds.length === 0) throw usage("--warn is for --timeout: without it nothing ends.");
  return {
    warnMs: parseDuration("--warn", warn),
    warnSignal: signal === null ? null : signalNamed(signal),
  };
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
export function limitSigns(input: CommandInput): NonNullable<AskedRun["limit"]> {
  const text = textOption(input, "limitText");
  const code = textOption(input, "limitCode");
  if (code !== null && !/^[0-9]{1,3}$/.test(code))
    throw usage(`--limit-code wants an exit code from 0 to 255, not ${code}.`);
  if (text === "") throw usage("--limit-text wants the text of the line that says it.");
  return { text, code: code === null ? null : Number(code) };
}
