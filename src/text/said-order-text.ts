/** What was said of a workflow from inside a sandbox, as a command has it, without its options. */
import type { BodyOf } from "../model/record.ts";

export function saidOrderText(order: BodyOf<"state.said">["order"]): string {
  if (order.kind === "decided") return `decide ${order.key} ${order.value}`;
  return `step ${order.does} ${order.step}${order.part === null ? "" : ` ${order.part}`}`;
}
