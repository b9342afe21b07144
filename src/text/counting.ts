/** Numbers as people say them. */
const TEEN = /1[123]$/;

/** 1st, 2nd, 3rd, 11th. */
export function ordinal(n: number): string {
  const ending = TEEN.test(String(n)) ? undefined : { 1: "st", 2: "nd", 3: "rd" }[n % 10];
  return `${n}${ending ?? "th"}`;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
}
