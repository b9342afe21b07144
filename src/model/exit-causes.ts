/** What an end that a supervisor saw is called (DESIGN 9). A process that exits by itself ended cleanly, whatever its code. */
export const EXIT_CAUSES = {
  exit: "clean",
  "signal-through-us": "signal",
  signal: "crash",
  timeout: "timeout",
  stopped: "signal",
  limit: "limit",
  oom: "oom",
} as const;
