/**
 * How many arguments functions of a script take. A typed one says it; of a plain one a parameter is needed that has no default and
 * is nowhere asked whether it is there.
 */
import type { FunctionTakes } from "../known/arguments.ts";
import { bare, keyOf, type Node, nameOf, nodeAt, nodesAt } from "./script-node.ts";

/** What the walk over a script saw, for parameters of functions that are not typed. */
export interface AskedNames {
  /** Names that are asked whether they are there, and where. */
  readonly tested: Map<string, number[]>;
  /** Where `arguments` is read. */
  readonly rest: number[];
}

const FUNCTION = /^(?:Function(?:Declaration|Expression)|ArrowFunctionExpression)$/;
/** Written for types alone: what stands beside them with a body is not seen by callers. */
const BODILESS =
  /^TS(?:DeclareFunction|EmptyBodyFunctionExpression|MethodSignature|FunctionType|ConstructSignatureDeclaration)$/;

export const isFunction = (node: Node): boolean => FUNCTION.test(node.type);

/** The parts of a value that can be called, by how they are reached: itself, `.member`, `#method`. */
export type Parts = readonly (readonly [suffix: string, fn: Node])[];

export function partsOf(value: Node | null): Parts {
  const node = bare(value);
  if (!node) return [];
  if (FUNCTION.test(node.type) || BODILESS.test(node.type)) return [["", node]];
  if (/^Class/.test(node.type)) return classParts(node);
  if (node.type === "TSInterfaceDeclaration") return interfaceParts(node);
  return node.type === "ObjectExpression" ? objectParts(node) : [];
}

/** A declared variable: its type speaks before its value. */
export function variableParts(declarator: Node): Parts {
  const annotation = nodeAt(nodeAt(declarator, "id") ?? declarator, "typeAnnotation");
  if (!annotation) return partsOf(nodeAt(declarator, "init"));
  const type = nodeAt(annotation, "typeAnnotation");
  return type?.type === "TSFunctionType" ? [["", type]] : [];
}

function objectParts(node: Node): Parts {
  const parts: (readonly [string, Node])[] = [];
  for (const property of nodesAt(node, "properties")) {
    // What is spread below it may be the one that is called.
    if (property.type === "SpreadElement") parts.length = 0;
    const [key, value] = [keyOf(property, "key"), bare(nodeAt(property, "value"))];
    if (key !== null && property.kind === "init" && value && isFunction(value))
      parts.push([`.${key}`, value]);
  }
  return parts;
}

function classParts(node: Node): Parts {
  const members = nodesAt(nodeAt(node, "body") ?? node, "body");
  const parts = members.flatMap((member): (readonly [string, Node])[] => {
    const value = bare(nodeAt(member, "value"));
    const key = keyOf(member, "key");
    if (!value || key === null || nodeAt(member, "typeAnnotation")) return [];
    if (member.kind === "constructor") return [["", value]];
    if (member.kind === "get" || member.kind === "set" || (!isFunction(value) && !BODILESS.test(value.type)))
      return [];
    return [[`${member.static === true ? "." : "#"}${key}`, value]];
  });
  const isOwn = parts.some(([suffix]) => suffix === "") || nodeAt(node, "superClass") !== null;
  return isOwn ? parts : [["", NOTHING_TAKEN], ...parts];
}

/** A class that has no constructor and inherits none. */
const NOTHING_TAKEN: Node = { type: "TSDeclareFunction", start: 0, end: 0, params: [] };

function interfaceParts(node: Node): Parts {
  return nodesAt(nodeAt(node, "body") ?? node, "body").flatMap((member): (readonly [string, Node])[] => {
    const key = keyOf(member, "key");
    const type = nodeAt(nodeAt(member, "typeAnnotation") ?? member, "typeAnnotation");
    if (key === null) return [];
    if (member.type === "TSMethodSignature" && member.kind === "method") return [[`#${key}`, member]];
    return type?.type === "TSFunctionType" ? [[`#${key}`, type]] : [];
  });
}

/** All functions of one name together: overloads, or one that is given in several places. */
export function takesOf(functions: readonly Node[], asked: AskedNames | null): FunctionTakes {
  const bodiless = functions.filter(({ type }) => BODILESS.test(type));
  const seen = bodiless.length > 0 ? bodiless : functions;
  return [...new Set(seen.map((fn) => rangeOf(fn, asked)))].join("|");
}

function rangeOf(fn: Node, asked: AskedNames | null): string {
  const params = nodesAt(fn, "params").filter((param) => nameOf(param) !== "this");
  const isInside = (at: number): boolean => at >= fn.start && at < fn.end;
  if (asked?.rest.some(isInside) && fn.type !== "ArrowFunctionExpression") return "0-";
  const isTested = (name: string): boolean =>
    asked !== null && (name.startsWith("_") || asked.tested.get(name)?.some(isInside) === true);
  let least = 0;
  for (const [at, param] of params.entries()) if (isNeeded(param, isTested)) least = at + 1;
  const hasRest = params.at(-1)?.type === "RestElement";
  return `${least}-${hasRest ? "" : params.length}`;
}

function isNeeded(param: Node, isTested: (name: string) => boolean): boolean {
  const inner = param.type === "TSParameterProperty" ? nodeAt(param, "parameter") : param;
  if (!inner || inner.type === "AssignmentPattern" || inner.type === "RestElement") return false;
  if (inner.optional === true || mayBeVoid(nodeAt(inner, "typeAnnotation"))) return false;
  const name = nameOf(inner);
  return name === null || !isTested(name);
}

/** What may be nothing may be left out. */
function mayBeVoid(annotation: Node | null): boolean {
  const type = annotation && nodeAt(annotation, "typeAnnotation");
  if (!type) return false;
  return [type, ...nodesAt(type, "types")].some((one) => one.type === "TSVoidKeyword");
}

/** Takes down what a plain script asks of its names. */
export function takeAsked(node: Node, { tested, rest }: AskedNames): void {
  const note = (inner: Node | null): void => {
    for (const name of testedIn(inner)) {
      const known = tested.get(name);
      if (known) known.push(node.start);
      else tested.set(name, [node.start]);
    }
  };
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
    case "WhileStatement":
      note(nodeAt(node, "test"));
      return;
    case "LogicalExpression":
      note(nodeAt(node, "left"));
      return;
    case "UnaryExpression":
      if (node.operator === "!" || node.operator === "typeof") note(nodeAt(node, "argument"));
      return;
    case "BinaryExpression":
      note(node);
      return;
    case "AssignmentExpression":
      if (/^(?:\|\||\?\?)=$/.test(String(node.operator))) note(nodeAt(node, "left"));
      return;
    case "MemberExpression":
      if (node.optional === true) note(nodeAt(node, "object"));
      return;
    case "CallExpression":
      if (node.optional === true) note(nodeAt(node, "callee"));
      takeAskedCall(node, note);
      return;
    case "Identifier":
      if (node.name === "arguments") rest.push(node.start);
      return;
    default:
      return;
  }
}

/** `isString(x)`, `Array.isArray(x)`. */
function takeAskedCall(node: Node, note: (inner: Node | null) => void): void {
  const callee = bare(nodeAt(node, "callee"));
  const called = callee?.type === "MemberExpression" ? keyOf(callee, "property") : nameOf(callee);
  if (called !== null && /^is[A-Z]/.test(called)) note(nodesAt(node, "arguments")[0] ?? null);
}

function testedIn(start: Node | null): string[] {
  const node = bare(start);
  if (!node) return [];
  const name = nameOf(node);
  if (name !== null) return [name];
  if (node.type === "LogicalExpression")
    return [...testedIn(nodeAt(node, "left")), ...testedIn(nodeAt(node, "right"))];
  if (node.type === "UnaryExpression") return testedIn(nodeAt(node, "argument"));
  if (node.type !== "BinaryExpression" || !/^[!=]==?$|^instanceof$/.test(String(node.operator))) return [];
  const [left, right] = [bare(nodeAt(node, "left")), bare(nodeAt(node, "right"))];
  if (node.operator === "instanceof" || isNothing(right)) return testedIn(left);
  return isNothing(left) ? testedIn(right) : [];
}

const isNothing = (node: Node | null): boolean =>
  nameOf(node) === "undefined" ||
  (node?.type === "Literal" && node.raw === "null") ||
  (node?.type === "UnaryExpression" && node.operator === "void");
