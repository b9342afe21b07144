import type { ExitWhy } from "./run-kinds.ts";

/** What an end that a supervisor saw is called (DESIGN 9). A process that exits by itself ended cleanly, whatever its code. */
export const EXIT_CAUSES = {
  exit: "clean",
  "signal-through-us": "signal",
  signal: "crash",
  timeout: "timeout",
  stopped: "signal",
  limit: "limit",
  oom: "oom",
} as const satisfies Readonly<Record<ExitWhy, string>>;

/** The same as evidence, in words. */
export function seenEnd(
  why: ExitWhy,
  { code, signal }: { readonly code: number | null; readonly signal: string | null },
): string {
  const how = signal ?? `exit code ${code ?? "unknown"}`;
  return why === "signal-through-us"
    ? `its supervisor saw it end, told to: ${how}`
    : `its supervisor saw it end: ${how}`;
}
