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
