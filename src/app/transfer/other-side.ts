/** The machine a session is sent to, asked by the user's own ssh: three orders of its `store import`, each of which can be given again. */
import { z } from "zod";
import { RefloatError } from "../../model/errors.ts";
import { parsedOrNull } from "../../model/json.ts";
import { runProgram } from "../../platform/run-program.ts";
import { withEnds } from "../upkeep/read-lines.ts";
import type { TransferNamed, TransferState } from "./receive.ts";
import { type SendTarget, sshArguments } from "./target.ts";

/** How it is called there unless the user says otherwise. */
export const PROGRAM_THERE = "refloat";
/** A session of gigabytes over a slow line; that the line is dead ssh notices itself within a minute. */
const SENDING_MS = 12 * 60 * 60 * 1000;
/** An answer is one object; what the other machine's profile prints before it is little. */
const ANSWER_BYTES = 1024 * 1024;
/** How ssh says that it did not come to run anything. */
const SSH_FAILED = 255;

export interface OtherSide {
  hold(offer: AsyncIterable<string>): Promise<OtherAnswer>;
  /** `seal` null: it is only asked how it stands. */
  accept(named: TransferNamed, seal: AsyncIterable<string> | null): Promise<OtherAnswer>;
  refuse(named: TransferNamed): Promise<OtherAnswer>;
}

export interface OtherAnswer {
  readonly state: TransferState;
  readonly store: string;
}

const answered = z.looseObject({ state: z.enum(["held", "live", "refused", "unknown"]), store: z.string() });
const refused = z.looseObject({ code: z.string(), message: z.string() });

export interface OtherSideOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** refloat there, as its shell understands it. */
  readonly program: string;
}

export function otherSide(
  target: Extract<SendTarget, { kind: "ssh" }>,
  { env, cwd, program }: OtherSideOptions,
): OtherSide {
  const ask = async (words: readonly string[], input: AsyncIterable<string> | null): Promise<OtherAnswer> => {
    const args = sshArguments(target, program, ["store", "import", ...words, "--json", "--no-input"]);
    const outcome = await runProgram("ssh", args, {
      cwd,
      env: Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      timeoutMs: SENDING_MS,
      maxOutputBytes: ANSWER_BYTES,
      ...(input ? { inputFrom: withEnds(input) } : { input: new Uint8Array() }),
    });
    return answerIn(target.host, outcome);
  };
  const named = ({ transfer, session }: TransferNamed): string[] => [transfer, "--session", session];
  return {
    hold: (offer) => ask(["-", "--hold"], offer),
    accept: (of, seal) => ask([...(seal ? ["-"] : []), "--accept", ...named(of)], seal),
    refuse: (of) => ask(["--refuse", ...named(of)], null),
  };
}

/** An address is no identity: what is decided elsewhere than in the store that has the session is no answer (K1). */
export function fromStore(
  answer: OtherAnswer,
  {
    host,
    session,
    store,
  }: { readonly host: string; readonly session: string; readonly store: string | null },
): OtherAnswer {
  if (answer.store === store) return answer;
  const wanted = store ?? "(not recorded)";
  throw new RefloatError("E_SEND_STORE", { session, host, wanted, found: answer.store });
}

/** What was said is untrusted like everything from outside: the last line that is an object counts. */
function answerIn(host: string, outcome: Awaited<ReturnType<typeof runProgram>>): OtherAnswer {
  switch (outcome.kind) {
    case "ended": {
      const said = lastObject(outcome.stdout.toString("utf8"));
      const answer = outcome.code === 0 ? answered.safeParse(said) : null;
      if (answer?.success) return answer.data;
      const error = refused.safeParse(said);
      if (error.success && error.data.code === "E_SEND_SAME")
        throw new RefloatError("E_SEND_SAME", { to: host, session: String(error.data.session ?? "it") });
      if (error.success)
        throw new RefloatError("E_SEND_THERE", { host, why: `${error.data.message} (${error.data.code})` });
      const why = firstLine(outcome.stderr) || `it ended with code ${outcome.code} and said nothing`;
      throw new RefloatError(outcome.code === SSH_FAILED ? "E_SEND_SSH" : "E_SEND_THERE", { host, why });
    }
    case "signalled":
      throw new RefloatError("E_SEND_SSH", { host, why: `ssh was ended by ${outcome.signal}` });
    case "too-long":
      throw new RefloatError("E_SEND_THERE", { host, why: `it said more than ${outcome.limit} bytes` });
    case "too-slow":
      throw new RefloatError("E_SEND_SSH", {
        host,
        why: `it took more than ${outcome.limitMs / 3_600_000} h`,
      });
    case "not-started":
      throw new RefloatError("E_SEND_SSH", { host, why: outcome.error.message }, outcome.error);
    default:
      return outcome satisfies never;
  }
}

function lastObject(text: string): unknown {
  const lines = text.trimEnd().split("\n");
  const from = lines.findLastIndex((line) => line.startsWith("{"));
  return from === -1 ? null : parsedOrNull(lines.slice(from).join("\n"));
}

const firstLine = (text: string): string => text.trim().split("\n").at(-1)?.slice(0, 500) ?? "";
