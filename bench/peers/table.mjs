// @ts-check
/**
 * @typedef {{ bytes: number, depth: number, p50Us: number, rawP50Us: number,
 *   ratio: { median: number, min: number, max: number } }} Cell
 * @typedef {{ bytes: number, perMessage: number, bySyscall: Record<string, number>, byFile: Record<string, number> }} SyncRow
 * @typedef {{ id: string, title: string, package: string, version: string, unit: string }} Named
 * @typedef {Named & { kind: "measured", node: string, rawAloneP50Us: Record<string, number>, cells: Cell[],
 *   syncs: SyncRow[] | { unavailable: string }, notes: readonly string[] }} Measured
 * @typedef {Named & { kind: "skipped", reason: string }} Skipped
 * @typedef {Measured | Skipped} Outcome
 */

const HEADINGS = ["peer", "message", "at 10", "at 100", "at 1000", "at 5000", "raw", "syncs/message"];

const LEGEND = [
  "A cell: p50 of saving one message when the conversation holds that many, its ratio to raw (lowest to highest round).",
  "raw: p50 of one write + fdatasync of as many bytes, in the same process, in turns with the peer.",
  "not synced: saved into the operating system's memory; survives kill -9, not a power cut. Its ratio is not a durable one.",
  "not run: left out where saving at 1000 cost over twice what it did at 10, or where time ran out.",
];

/** @param {readonly Outcome[]} outcomes */
export function table(outcomes) {
  const rows = outcomes.flatMap((outcome) => (outcome.kind === "measured" ? measuredRows(outcome) : []));
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = [HEADINGS, widths.map((width) => "-".repeat(width)), ...rows].map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const skipped = outcomes.flatMap((outcome) =>
    outcome.kind === "skipped" ? [`SKIPPED ${outcome.title}: ${outcome.reason}`] : [],
  );
  const notes = outcomes.flatMap((outcome) =>
    outcome.kind === "measured" ? outcome.notes.map((note) => `NOTE ${outcome.title}: ${note}`) : [],
  );
  return [...lines, "", ...LEGEND, ...skipped, ...notes].join("\n");
}

/** @param {Measured} outcome */
function measuredRows(outcome) {
  const sizes = [...new Set(outcome.cells.map((cell) => cell.bytes))];
  return sizes.map((bytes) => {
    const cells = outcome.cells.filter((cell) => cell.bytes === bytes);
    const at = [10, 100, 1000, 5000].map((depth) => {
      const cell = cells.find((candidate) => candidate.depth === depth);
      if (cell === undefined) return "not run";
      const { median, min, max } = cell.ratio;
      return `${duration(cell.p50Us)}, ${times(median)} (${times(min)} to ${times(max)})`;
    });
    const raws = cells.map((cell) => cell.rawP50Us);
    const raw = `${duration(Math.min(...raws))} to ${duration(Math.max(...raws))}`;
    const name = `${outcome.title} ${outcome.version}`;
    return [name, `${bytes / 1024} KiB`, ...at, raw, syncs(outcome, bytes)];
  });
}

/**
 * @param {Measured} outcome
 * @param {number} bytes
 */
function syncs(outcome, bytes) {
  if (!Array.isArray(outcome.syncs)) return "not counted";
  const row = outcome.syncs.find((candidate) => candidate.bytes === bytes);
  if (row === undefined) return "not counted";
  return row.perMessage < 1 ? `${row.perMessage} (not synced)` : String(row.perMessage);
}

/** @param {number} us */
function duration(us) {
  return us < 1000 ? `${us.toFixed(0)} us` : `${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms`;
}

/** @param {number} ratio */
function times(ratio) {
  return `${ratio.toFixed(ratio < 1 ? 2 : ratio < 20 ? 1 : 0)}x`;
}
