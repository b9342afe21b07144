/**
 * Who holds a claim (K2). On one host a process is identified by boot id + pid namespace + pid + start
 * time; `instance` tells two handles of one process apart; `host` says where the rest has meaning.
 */
import { z } from "zod";

export const owner = z.looseObject({
  host: z.string(),
  boot: z.string(),
  pid_namespace: z.string(),
  pid: z.number().int(),
  /** Clock ticks since boot, as the kernel counts them; null where it cannot be read. */
  started: z.number().nullable(),
  instance: z.string(),
  /** What a person sees: the command or the agent's name. */
  label: z.string().optional(),
});
export type Owner = z.infer<typeof owner>;

type ProcessOf = Pick<Owner, "host" | "boot" | "pid_namespace" | "pid" | "started">;

/** One process in the words of K2: all handles and instances in it end when it does. */
export const processKey = ({ host, boot, pid_namespace, pid, started }: ProcessOf): string =>
  JSON.stringify([host, boot, pid_namespace, pid, started]);

/** A pid alone is none: containers of one host have the same ones, and a process before this one had it, too. */
export const isSameProcess = (a: ProcessOf, b: ProcessOf): boolean => processKey(a) === processKey(b);

/** The label of a claim that whoever reads a dead agent's transcript holds meanwhile: its process is none of the agent's. */
export const readerLabel = (agent: string): string => `${agent}${READ_AFTERWARDS}`;
const READ_AFTERWARDS = ", read afterwards";

/** The agent that was read of under a claim of this label; null: whoever has it worked himself. */
export const agentReadUnder = (label: string | null): string | null =>
  label?.endsWith(READ_AFTERWARDS) ? label.slice(0, -READ_AFTERWARDS.length) : null;

/** What this process can prove about an owner. */
export type Liveness =
  | { readonly kind: "alive" }
  | { readonly kind: "dead"; readonly because: "reboot" | "no-such-process" | "pid-reused" }
  | { readonly kind: "unreachable"; readonly because: "other-namespace" | "not-readable" }
  | { readonly kind: "elsewhere"; readonly host: string };
