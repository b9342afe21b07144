/**
 * What the functions of a Python file take and what it gives to those it calls (arguments.ts). By name: a name that is bound
 * again anywhere in the file is not followed.
 */
import type { Node } from "web-tree-sitter";
import { type BoundName, type CallGives, type FunctionTakes, fits } from "../known/arguments.ts";
import type { SourceFacts } from "../known/file-facts.ts";
import { isPythonsAlone } from "../known/python-modules.ts";
import type { SourceSpan } from "./parsed.ts";
import { classTakes, takesOfFunction } from "./python-takes.ts";

interface PythonCall {
  /** What stands before the last dot, dotted itself or not; empty: a plain name is called. */
  readonly object: string;
  readonly name: string;
  readonly gives: CallGives;
  readonly at: number;
  readonly line: number;
}

interface ClassSpan extends SourceSpan {
  readonly name: string;
}

interface CallFindings {
  readonly calls: PythonCall[];
  readonly bound: Map<string, BoundName | null>;
  readonly handsOn: string[];
  /** By how they are reached. Null: several, or not to be told. */
  readonly takes: Map<string, FunctionTakes | null>;
  readonly top: Set<string>;
  readonly classes: ClassSpan[];
  readonly instances: Map<string, string[]>;
  /** How often a name is bound, but by import, `def` and `class`. */
  readonly again: Map<string, number>;
  /** Where a call is meant to fail. */
  readonly failing: SourceSpan[];
}

/** Calls kept of one file; generated ones have more. */
const MAX_CALLS = 500;
const MAX_SEEN = 5000;

export interface PythonArguments {
  take(node: Node, boundAgain: readonly string[]): void;
  finish(): Pick<SourceFacts, "takes" | "calls" | "callLines" | "handsOn" | "misfits">;
}

export function pythonArguments(): PythonArguments {
  const seen: CallFindings = {
    calls: [],
    bound: new Map(),
    handsOn: [],
    takes: new Map(),
    top: new Set(),
    classes: [],
    instances: new Map(),
    again: new Map(),
    failing: [],
  };
  return {
    take: (node, boundAgain) => takeNode(node, boundAgain, seen),
    finish: () => finish(seen),
  };
}

function takeNode(node: Node, boundAgain: readonly string[], seen: CallFindings): void {
  switch (node.type) {
    case "call":
      if (seen.calls.length < MAX_SEEN) takeCall(node, seen);
      return;
    case "import_statement":
    case "import_from_statement":
      takeImport(node, seen);
      return;
    case "function_definition":
      takeFunction(node, seen);
      return;
    case "class_definition":
      takeClass(node, seen);
      return;
    case "with_statement":
      if (/\b(?:assertR|r)aises\b/i.test(node.namedChild(0)?.text ?? ""))
        seen.failing.push({ start: node.startIndex, end: node.endIndex });
      return;
    case "typed_parameter":
    case "typed_default_parameter":
      addInstance(
        (node.childForFieldName("name") ?? node.namedChild(0))?.text,
        node.childForFieldName("type")?.text,
        seen,
      );
      return;
    default:
      for (const name of boundAgain) seen.again.set(name, (seen.again.get(name) ?? 0) + 1);
      if (node.type === "assignment") takeAssignment(node, seen);
      return;
  }
}

function addInstance(name: string | undefined, of: string | undefined, { instances }: CallFindings): void {
  if (name === undefined || of === undefined || !/^[A-Za-z_]\w*$/.test(of)) return;
  instances.set(name, [...(instances.get(name) ?? []), of]);
}

function takeAssignment(node: Node, seen: CallFindings): void {
  const [left, right] = [node.childForFieldName("left"), node.childForFieldName("right")];
  const made = right?.type === "call" ? right.childForFieldName("function")?.text : undefined;
  if (left?.type === "identifier") addInstance(left.text, made, seen);
  // Of a field everything counts that it is ever given.
  if (left?.type === "attribute" && right && /^self\.\w+$/.test(left.text))
    addInstance(left.text, made !== undefined && /^\w+$/.test(made) ? made : "_", seen);
}

function takeCall(node: Node, { calls }: CallFindings): void {
  const callee = node.childForFieldName("function");
  const gives = givesOf(node.childForFieldName("arguments"));
  if (!callee || gives === null) return;
  const about = { gives, at: node.startIndex, line: node.startPosition.row + 1 };
  if (callee.type === "identifier") calls.push({ object: "", name: callee.text, ...about });
  if (callee.type !== "attribute") return;
  const object = callee.childForFieldName("object")?.text ?? "";
  const name = callee.childForFieldName("attribute")?.text ?? "";
  if (/^[A-Za-z_][\w.]*$/.test(object)) calls.push({ object, name, ...about });
}

function givesOf(list: Node | null): CallGives | null {
  if (!list) return null;
  if (list.type !== "argument_list") return "1";
  let [count, isMore] = [0, false];
  const names: string[] = [];
  for (const one of list.namedChildren) {
    if (!one || one.type === "comment") continue;
    if (one.type === "list_splat") isMore = true;
    else if (one.type === "dictionary_splat") names.push("**");
    else if (one.type === "keyword_argument") names.push(one.childForFieldName("name")?.text ?? "");
    else count++;
  }
  return [`${count}${isMore ? "+" : ""}`, ...names.sort()].join(",");
}

function takeImport(node: Node, seen: CallFindings): void {
  const isFrom = node.type === "import_from_statement";
  const from = isFrom ? (node.childForFieldName("module_name")?.text.replace(/\s+/g, "") ?? "") : "";
  const isTop = holderOf(node)?.type === "module";
  for (const one of node.childrenForFieldName("name")) {
    const alias = one?.type === "aliased_import" ? one.childForFieldName("alias")?.text : undefined;
    const name = (one?.type === "aliased_import" ? one.childForFieldName("name") : one)?.text;
    if (name === undefined) continue;
    const local = alias ?? name;
    const bound = isFrom ? { specifier: from, name } : { specifier: name, name: "*" };
    const known = seen.bound.get(local);
    const isOther =
      known !== undefined && (known?.specifier !== bound.specifier || known.name !== bound.name);
    seen.bound.set(local, isOther ? null : bound);
    if (isFrom && isTop && !isPythonsAlone(from)) seen.handsOn.push(`${local} ${from} ${name}`);
  }
}

const AROUND =
  /^(?:decorated_definition|block|if_statement|elif_clause|else_clause|try_statement|except_clause|except_group_clause|finally_clause|with_statement)$/;

/** The module, class or function that something stands in. */
function holderOf(node: Node): Node | null {
  let at = node.parent;
  while (at && AROUND.test(at.type)) at = at.parent;
  return at;
}

function put(name: string, takes: FunctionTakes | null, { takes: all }: CallFindings): void {
  all.set(name, all.has(name) ? null : takes);
}

function takeFunction(node: Node, seen: CallFindings): void {
  const holder = holderOf(node);
  if (holder?.type === "class_definition") return;
  const name = node.childForFieldName("name")?.text ?? "";
  if (holder?.type === "module") seen.top.add(name);
  put(name, takesOfFunction(node, { isBound: false }), seen);
}

function takeClass(node: Node, seen: CallFindings): void {
  const name = node.childForFieldName("name")?.text ?? "";
  seen.classes.push({ name, start: node.startIndex, end: node.endIndex });
  if (holderOf(node)?.type === "module") seen.top.add(name);
  const isAgain = seen.takes.has(name);
  for (const [suffix, takes] of classTakes(node)) put(`${name}${suffix}`, isAgain ? null : takes, seen);
}

type PythonCallee = BoundName | { readonly takes: FunctionTakes };

function calleeOf({ object, name, at }: PythonCall, seen: CallFindings): PythonCallee | null {
  const { takes, bound, again, classes, instances } = seen;
  const own = (reached: string): PythonCallee | null => {
    const known = takes.get(reached);
    return known ? { takes: known } : null;
  };
  if (object === "") {
    if (again.has(name)) return null;
    return bound.get(name) ?? (bound.has(name) ? null : own(name));
  }
  if (object === "self" || object === "cls") {
    const holder = classes.findLast(({ start, end }) => start <= at && at < end);
    const known = holder && takes.get(`${holder.name}#${name}`);
    // Whoever inherits may take more.
    return known ? { takes: known.startsWith("?") ? known : `?${known}` } : null;
  }
  const isField = object.startsWith("self.");
  const times = isField ? 0 : (again.get(object.split(".")[0] ?? "") ?? 0);
  const whole = bound.get(object);
  if (whole && times === 0)
    return { specifier: whole.specifier, name: whole.name === "*" ? name : `${whole.name}.${name}` };
  const [of, ...more] = instances.get(object) ?? [];
  if (of === undefined) return times === 0 ? own(`${object}.${name}`) : null;
  if ((!isField && more.length + 1 !== times) || more.some((one) => one !== of) || again.has(of)) return null;
  const theirs = bound.get(of);
  if (theirs)
    return theirs.name === "*" ? null : { specifier: theirs.specifier, name: `${theirs.name}#${name}` };
  return own(`${of}#${name}`);
}

function finish(seen: CallFindings): ReturnType<PythonArguments["finish"]> {
  const calls = new Map<string, number>();
  const misfits = new Set<string>();
  // The outer class first, so that the last one found is the inner one.
  seen.classes.sort((a, b) => a.start - b.start);
  for (const call of seen.calls) {
    if (seen.failing.some(({ start, end }) => start <= call.at && call.at < end)) continue;
    const callee = calleeOf(call, seen);
    if (!callee) continue;
    if ("takes" in callee) {
      const reached = call.object === "" ? call.name : `${call.object}.${call.name}`;
      if (!fits(callee.takes, call.gives)) misfits.add(`${reached} ${call.gives} ${callee.takes}`);
    } else if (!isPythonsAlone(callee.specifier)) {
      const key = `${callee.specifier} ${callee.name} ${call.gives}`;
      if (calls.size < MAX_CALLS) calls.set(key, Math.min(calls.get(key) ?? call.line, call.line));
    }
  }
  const inOrder = [...calls].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    takes: givenTakes(seen),
    calls: inOrder.map(([call]) => call),
    callLines: inOrder.map(([, line]) => line),
    handsOn: [...new Set(seen.handsOn)].sort(),
    misfits: [...misfits].sort().slice(0, MAX_CALLS),
  };
}

function givenTakes({ takes, top, again }: CallFindings): string[] {
  const found: string[] = [];
  for (const [reached, known] of takes) {
    const base = /^[^.#]*/.exec(reached)?.[0] ?? "";
    if (known === null || !top.has(base)) continue;
    // What is set anew below may be another: a function that is wrapped by hand.
    const isDoubtful = known.startsWith("?") || !again.has(base);
    found.push(`${reached} ${isDoubtful ? known : `?${known}`}`);
  }
  return found.sort();
}
