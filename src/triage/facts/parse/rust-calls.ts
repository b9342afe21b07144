/**
 * How many arguments Rust functions take and their calls give: of functions of modules alone, by their plain names and by paths. What several
 * builds define differently counts as overloads; a name that is bound or defined elsewhere in the file, too, is nobody's.
 */
import type { Node } from "web-tree-sitter";
import { fits } from "../known/arguments.ts";
import type { SourceFacts } from "../known/file-facts.ts";
import { isNode } from "./grammar-facts.ts";
import type { RustUse } from "./rust-uses.ts";

/** Kept of one file; more is generated. */
const MAX_CALLS = 2000;

export interface RustCallScope {
  /** What a `use` of the file's own level brings. */
  readonly uses: readonly RustUse[];
  readonly isLocal: (name: string) => boolean;
  /** The module that a path means; null: not to be told. */
  readonly moduleOf: (path: string) => string | null;
}

type RustArguments = Pick<SourceFacts, "takes" | "calls" | "callLines" | "misfits">;

export function rustArguments(root: Node, scope: RustCallScope): RustArguments {
  const takes = takesIn(root);
  const [calls, misfits] = [new Map<string, number>(), new Set<string>()];
  for (const node of root.descendantsOfType("call_expression")) {
    const callee = node?.childForFieldName("function");
    if (!node || !callee) continue;
    const gives = `${givenTo(node)}`;
    const known = callee.type === "identifier" ? takes.get(callee.text) : undefined;
    if (known !== undefined) {
      if (!scope.isLocal(callee.text) && !fits(known, gives)) misfits.add(`${callee.text} ${gives} ${known}`);
      continue;
    }
    const meant = calleeOf(callee, scope);
    const key = meant && `${meant.specifier} ${meant.name} ${gives}`;
    if (key && calls.size < MAX_CALLS && !calls.has(key)) calls.set(key, node.startPosition.row + 1);
  }
  return {
    takes: [...takes].map(([name, range]) => `${name} ${range}`),
    calls: [...calls.keys()],
    callLines: [...calls.values()],
    misfits: [...misfits],
  };
}

const givenTo = (call: Node): number =>
  (call.childForFieldName("arguments")?.namedChildren ?? []).filter(
    (one) => one && !/comment|attribute/.test(one.type),
  ).length;

/** Functions of the file's own module; not those whose name another function of the file has, too. */
function takesIn(root: Node): Map<string, string> {
  const ranges = new Map<string, Set<string>>();
  for (const item of root.namedChildren) {
    if (item?.type !== "function_item") continue;
    const list = (item.childForFieldName("parameters")?.namedChildren ?? []).filter(isNode);
    const count = list.filter(({ type }) => type === "parameter").length;
    const isOpen = list.some(({ type }) => type === "variadic_parameter");
    const name = item.childForFieldName("name")?.text ?? "";
    ranges.set(name, (ranges.get(name) ?? new Set()).add(`${count}-${isOpen ? "" : count}`));
  }
  for (const item of root.descendantsOfType(["function_item", "function_signature_item"])) {
    const isFree = !/^(?:impl_item|trait_item)$/.test(item?.parent?.parent?.type ?? "");
    if (item && isFree && item.parent?.type !== "source_file")
      ranges.delete(item.childForFieldName("name")?.text ?? "");
  }
  return new Map([...ranges].map(([name, all]) => [name, [...all].join("|")]));
}

function calleeOf(
  callee: Node,
  { uses, isLocal, moduleOf }: RustCallScope,
): { readonly specifier: string; readonly name: string } | null {
  if (callee.type === "identifier") {
    const found = uses.filter(({ local }) => local === callee.text);
    const [use] = found;
    const specifier = use && found.length === 1 && !isLocal(callee.text) ? moduleOf(use.from) : null;
    return use && specifier !== null ? { specifier, name: use.name } : null;
  }
  const path = callee.type === "scoped_identifier" ? (callee.childForFieldName("path")?.text ?? "") : "";
  if (path === "" || /[A-Z<\s]/.test(path)) return null;
  const specifier = moduleOf(path);
  return specifier === null ? null : { specifier, name: callee.childForFieldName("name")?.text ?? "" };
}
