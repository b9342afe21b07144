/** A date a person types: a day (its midnight here), or a time with its zone. Never guessed at. */
import { usage } from "./options.ts";

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/;

export function parseDate(text: string): number {
  const ms = DAY.test(text) ? midnight(text) : TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw usage(`${text} is no date: write 2026-01-31 or 2026-01-31T12:00:00Z.`);
  return ms;
}

/** 31 February is no day, though Date would make it 3 March. */
function midnight(text: string): number {
  const [, year, month, day] = (DAY.exec(text) ?? []).map(Number) as [number, number, number, number];
  const at = new Date(year, month - 1, day);
  return at.getMonth() === month - 1 && at.getDate() === day ? at.getTime() : Number.NaN;
}
