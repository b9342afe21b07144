/** How an attempt ended (DESIGN 9), each with what people are told. Only ever said with evidence; else `unknown`. */
export const CAUSES = [
  "clean",
  "timeout",
  "signal",
  "crash",
  "oom",
  "reboot",
  "limit",
  "lost",
  "unknown",
] as const;
export type Cause = (typeof CAUSES)[number];

export const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  clean: "it ended by its own word",
  timeout: "our timeout ended it",
  signal: "it was told to stop",
  crash: "it died by a signal that did not come from us",
  oom: "the kernel killed it for want of memory",
  reboot: "the machine was started again",
  limit: "its usage limit was reached",
  lost: "nothing was heard of it any more",
  unknown: "it ended without saying so",
};

const isCause = (value: unknown): value is Cause =>
  typeof value === "string" && (CAUSES as readonly string[]).includes(value);

/** What a row or record says, or `unknown`: a newer refloat may know other causes (D5). */
export const causeFrom = (value: unknown): Cause => (isCause(value) ? value : "unknown");
