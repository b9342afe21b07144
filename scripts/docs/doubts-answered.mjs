// The doubts that a check answers, as the pages about the judge list them: one list, from its table.
import { ANSWERED_BY_CHECK } from "../../dist/triage/rules/table.js";

export function doubtsAnswered() {
  const list = ANSWERED_BY_CHECK.map((slug) => `\`${slug}\``);
  return `${list.slice(0, -1).join(", ")} and ${list.at(-1)}`;
}
