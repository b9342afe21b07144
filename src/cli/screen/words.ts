/** Numbers and times as people say them. */
import { count } from "../../text/counting.ts";

export { count, ordinal } from "../../text/counting.ts";
export { oneLine } from "../../text/escape.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? count(bytes, "byte") : `${value.toFixed(1)} ${units[unit]}`;
}

/** A time of this machine's zone, with its date. */
export function timeText(ms: number): string {
  const at = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The time, without the date when that is today's. */
export function shortTimeText(ms: number, nowMs: number): string {
  const full = timeText(ms);
  const isToday = full.slice(0, 10) === timeText(nowMs).slice(0, 10);
  return isToday ? full.slice(11) : full.slice(0, 16);
}

export function agoText(ms: number, nowMs: number): string {
  const passed = nowMs - ms;
  if (passed < 0) return "in the future"; // a clock was set: said, not hidden
  if (passed < 1000) return "just now";
  if (passed < MINUTE_MS) return `${Math.floor(passed / 1000)} s ago`;
  if (passed < HOUR_MS) return `${Math.floor(passed / MINUTE_MS)} min ago`;
  if (passed < DAY_MS) return `${Math.floor(passed / HOUR_MS)} h ago`;
  return count(Math.floor(passed / DAY_MS), "day").concat(" ago");
}
