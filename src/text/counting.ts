/** Numbers as people say them. */
const TEEN = /1[123]$/;

/** 1st, 2nd, 3rd, 11th. */
export function ordinal(n: number): string {
  const ending = TEEN.test(String(n)) ? undefined : { 1: "st", 2: "nd", 3: "rd" }[n % 10];
  return `${n}${ending ?? "th"}`;
}

/** A whole number, 12,345: as `toLocaleString("en-US")` has it, whose tables take milliseconds to load. */
export const digits = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ",");

export function count(n: number, one: string, many = `${one}s`): string {
  return `${digits(n)} ${n === 1 ? one : many}`;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** 2 h 10 min; 45 s. */
export function durationText(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return `${minutes} min`;
  return `${Math.ceil(ms / SECOND_MS)} s`;
}
