/** What a capture holds and leaves out, as every face's data has it (S7, DESIGN 10). */
import type { CaptureOutcome } from "./capture.ts";

export const toldCapture = ({ root, reading, taken, open }: CaptureOutcome) => {
  const { how, head, partial, in_progress, entries, gaps, limits, hidden } = reading;
  return {
    capture: taken?.id ?? null,
    session: taken?.session ?? null,
    at: taken === null ? null : new Date(taken.atMs).toISOString(),
    workspace: root,
    how,
    head,
    partial,
    in_progress,
    held: entries.length,
    gaps,
    limits,
    hidden,
    // It may hold a tree in the middle of an act.
    ...(open.length > 0 ? { open_plans: open.map(({ id, act }) => ({ id, act })) } : {}),
  };
};
