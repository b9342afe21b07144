// @ts-check
// `--write`: the last run's rows in docs/benchmarks.md, between two marks. A busy machine's figures are ceilings, and a
// table does not show it: above a load of 2 nothing is written unless somebody says `--anyway`.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const DOCS = resolve(import.meta.dirname, "../docs/benchmarks.md");
const [BEGIN, END] = ["<!-- the last run: begin -->", "<!-- the last run: end -->"];
export const MAX_LOAD = 2;

/** @typedef {{ goal: string, what: string, value: number, target: number, want: string, note?: string, isMet: boolean }} Result */
/** @typedef {{ node: string, load: number, at: string, results: readonly Result[] }} LastRun */

/** Why nothing may be written, or null. @param {number} load before the benchmarks began: they load the machine themselves @param {boolean} anyway */
export function refusal(load, anyway) {
  if (load <= MAX_LOAD || anyway) return null;
  return `The load was ${load.toFixed(1)} before the run: docs/benchmarks.md is not written above ${MAX_LOAD}. --anyway writes it all the same, with the load beside it.`;
}

/** @param {LastRun} run */
export function tableOf({ node, load, at, results }) {
  const met = results.filter(({ isMet }) => isMet).length;
  const cells = (/** @type {Result} */ row) =>
    [
      row.goal,
      row.what,
      `${row.want} ${row.target}x`,
      `${row.value.toFixed(2)}x${row.note ? `; ${row.note}` : ""}`,
      row.isMet ? "met" : "missed",
    ].map((cell) => cell.replaceAll("|", "\\|"));
  return [
    `${at.slice(0, 10)}, Node ${node.replace(/^v/, "")}, load ${load.toFixed(1)} before it began: ${met} of ${results.length} goals met.`,
    "",
    "| # | what | goal | measured | |",
    "|---|---|---|---|---|",
    ...results.map((row) => `| ${cells(row).join(" | ")} |`),
  ].join("\n");
}

/** @param {string} text of the document @param {string} table */
export function withTable(text, table) {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no place for it: ${BEGIN} ... ${END}`);
  return `${text.slice(0, from + BEGIN.length)}\n${table}\n${text.slice(to)}`;
}

/** @param {LastRun} run */
export function writeDocs(run) {
  writeFileSync(DOCS, withTable(readFileSync(DOCS, "utf8"), tableOf(run)));
}
