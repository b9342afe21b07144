/** 500ms, 90s, 50m, 2h (DESIGN 10). */
import { usage } from "./options.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A month: what is longer is a mistake, and timers end there. */
const LONGEST_MS = 31 * 24 * 3_600_000;

export function parseDuration(flag: string, text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (!Number.isFinite(ms)) throw usage(`${flag} wants a time like 500ms, 90s, 50m or 2h, not ${text}.`);
  if (ms > LONGEST_MS) throw usage(`${flag} wants at most 744h, not ${text}.`);
  return ms;
}
