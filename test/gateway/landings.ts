/** Where the kills of the chaos landed, for people: a sweep that only kills idle servers proves nothing. */
export interface Landing {
  /** Before recovery was done. */
  readonly inStart: boolean;
  /** Messages were sent and had no receipt yet. */
  readonly inFlight: boolean;
  /** What the journals had open. */
  readonly open: readonly string[];
}

const PLACES: readonly (readonly [name: string, is: (landing: Landing) => boolean])[] = [
  ["in the start", ({ inStart }) => inStart],
  ["before a receipt", ({ inFlight }) => inFlight],
  ["with inputs waiting", ({ open }) => open.includes("input")],
  ["in a turn", ({ open }) => open.includes("turn")],
  ["in a call", ({ open }) => open.includes("call")],
  ["before or in a delivery", ({ open }) => open.includes("delivery")],
  ["idle", ({ inFlight, open }) => !inFlight && open.length === 0],
];

export function histogramOf(landings: readonly Landing[]): string {
  return PLACES.map(([name, is]) => `  ${name.padEnd(24)} ${landings.filter(is).length}`).join("\n");
}

/** Places no kill landed in, but for being idle: senders never rest. */
export function missedPlaces(landings: readonly Landing[]): string[] {
  return PLACES.filter(([name, is]) => name !== "idle" && !landings.some(is)).map(([name]) => name);
}

/** The share of kills between the beginning of something and its acknowledgement. */
export function shareInFlight(landings: readonly Landing[]): number {
  const hit = landings.filter(({ inStart, inFlight, open }) => inStart || inFlight || open.length > 0);
  return hit.length / landings.length;
}
