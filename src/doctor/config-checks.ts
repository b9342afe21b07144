/** The doctor's rows about configs: the user's own, and the one HEAD has. */
import { dirname } from "node:path";
import { CONFIG_FILE } from "../model/config.ts";
import { shellWord } from "../text/escape.ts";
import type { ConfigFacts, DoctorCheck } from "./facts.ts";

/** The editor git would take. What a commit has counts (T2), so that correcting it takes a commit. */
const EDIT = "$(git var GIT_EDITOR)";
const CORRECT_CONFIG = `${EDIT} FILE && git commit FILE`;

function correctIt({ path, isCommitted }: ConfigFacts): string {
  const file = shellWord(path);
  const commit = `git -C ${shellWord(dirname(path))} commit -m "Correct the config" ${CONFIG_FILE}`;
  return `${EDIT} ${file}${isCommitted ? ` && ${commit}` : ""}`;
}

export const CONFIG_CHECKS = [
  {
    id: "config-broken",
    severity: "error",
    about: "refloat.json as HEAD has it, or your own config.json, cannot be used.",
    question: "Does every config parse, and fit its schema?",
    command: CORRECT_CONFIG,
    find: ({ configs }) =>
      configs.flatMap((config) =>
        config.problem === null ? [] : [{ message: config.problem, command: correctIt(config) }],
      ),
  },
  {
    id: "config-unknown-key",
    severity: "warning",
    about: "A config has a key that means nothing here: misspelt, or of a newer refloat.",
    question: "Is every key of the configs known?",
    command: CORRECT_CONFIG,
    find: ({ configs }) =>
      configs.flatMap((config) =>
        config.unknownKeys.map((message) => ({ message, command: correctIt(config) })),
      ),
  },
] as const satisfies readonly DoctorCheck[];
