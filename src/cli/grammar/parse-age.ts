/** How old: 90d, 48h, 30m, or a date; as the moment that is meant. */
import { usage } from "./options.ts";
import { parseDate } from "./parse-date.ts";
import { parseDuration } from "./parse-duration.ts";

const DAY_MS = 24 * 3_600_000;

export function parseAge(flag: string, text: string, nowMs: number): number {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days !== undefined) return nowMs - Number(days) * DAY_MS;
  if (/^\d+(?:\.\d+)?[a-z]+$/.test(text)) return nowMs - parseDuration(flag, text);
  if (!/^\d/.test(text)) throw usage(`${flag} wants an age or a date: 90d, 48h, 2026-01-31.`);
  return parseDate(text);
}
