/** What was said of a workflow from inside a sandbox, as screens have it: the agent's own words on one line (T3). */
import { saidOrderText } from "../../text/said-order-text.ts";
import type { AnsweredOrder, SaidOrder, SaidToFile } from "../../workflow/said-orders.ts";
import { oneLine } from "./words.ts";

export const saidWords = (order: SaidOrder): string => oneLine(saidOrderText(order));

export const waitingLine = (file: string, { order }: SaidToFile): string =>
  `${saidWords(order)}: said in a sandbox, not in ${oneLine(file)} yet.`;

export const refusedLine = (
  file: string,
  { order, why }: Extract<AnsweredOrder, { outcome: "refused" }>,
): string => `${saidWords(order)}: said in a sandbox, refused by ${oneLine(file)}: ${oneLine(why)}`;
