/** The text of a config: JSON with comments, checked against its schema. What does not fit is named by line and column. */
import { type RefloatConfig, refloatConfig } from "../model/config.ts";
import { RefloatError } from "../model/errors.ts";
import { type JsonNode, jsonOf, lineOf, nodeAt, readJsonTree } from "./json-tree.ts";
import { type UnknownKey, unknownConfigKeys } from "./unknown-config-keys.ts";

export type OnUnknownKey = (key: UnknownKey) => void;

/** `path`: how the file is called in the error. */
export function readConfigText(text: string, path: string, onUnknownKey?: OnUnknownKey): RefloatConfig {
  const tree = readJsonTree(text, { comments: true });
  if (tree.kind === "broken") throw bad(path, text, tree.at, tree.why);
  const parsed = refloatConfig.safeParse(jsonOf(tree.root));
  if (parsed.success) {
    if (onUnknownKey) unknownConfigKeys(tree.root, text, path).forEach(onUnknownKey);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const keys = (issue?.path ?? []).filter((key) => typeof key !== "symbol");
  const where = keys.length === 0 ? "" : `${keys.join(".")}: `;
  throw bad(path, text, startOf(tree.root, keys), `${where}${issue?.message ?? "it does not fit"}`);
}

function startOf(root: JsonNode, keys: readonly (string | number)[]): number {
  return nodeAt(root, keys).start;
}

function bad(path: string, text: string, at: number, why: string): RefloatError {
  return new RefloatError("E_BAD_CONFIG", { path, ...lineOf(text, at), why: why.replace(/\.$/, "") });
}
