/** What functions and classes of Python take (arguments.ts). Null: it cannot be read off. */
import type { Node } from "web-tree-sitter";
import type { FunctionTakes } from "../known/arguments.ts";

/** Decorators below which a function takes what it says. */
const KEEPING =
  /^(?:(?:abc\.)?abstractmethod|staticmethod|classmethod|(?:functools\.)?(?:lru_cache|cache|wraps|singledispatch)|(?:typing\.|typing_extensions\.)?(?:override|final|no_type_check)|(?:contextlib\.)?(?:async)?contextmanager|(?:warnings\.)?deprecated|torch\.(?:no_grad|inference_mode))$/;
/** What is not called as it is written. */
const NOT_CALLED =
  /^(?:(?:typing\.|typing_extensions\.)?overload|property|(?:functools\.)?cached_property|\w+\.(?:setter|getter|deleter))$/;
const DATACLASS = /^(?:dataclasses\.)?dataclass$/;

const decoratorsOf = (node: Node): string[] =>
  node.parent?.type === "decorated_definition"
    ? node.parent.namedChildren.flatMap((one) =>
        one?.type === "decorator" ? one.text.slice(1).trim().replace(/\(.*$/s, "") : [],
      )
    : [];

/** `isBound`: the first is given by what it is called on. */
export function takesOfFunction(
  node: Node,
  { isBound }: { readonly isBound: boolean },
): FunctionTakes | null {
  const decorators = decoratorsOf(node);
  if (decorators.some((one) => NOT_CALLED.test(one))) return null;
  const words = parameterWords(node.childForFieldName("parameters"));
  if (words === null) return null;
  const isOpen = words[0]?.startsWith("*") === true;
  const rest = isBound && !isOpen ? words.slice(1) : words;
  const mark = decorators.every((one) => KEEPING.test(one)) ? "" : "?";
  return `${mark}(${(rest[0] === "/" ? rest.slice(1) : rest).join(",")}`;
}

function parameterWords(parameters: Node | null): string[] | null {
  const words: string[] = [];
  for (const one of parameters?.namedChildren ?? []) {
    if (!one || one.type === "comment") continue;
    const word = wordOf(one);
    if (word === null) return null;
    words.push(word);
  }
  return words;
}

function wordOf(parameter: Node): string | null {
  switch (parameter.type) {
    case "identifier":
      return parameter.text;
    case "default_parameter":
    case "typed_default_parameter":
      return `${parameter.childForFieldName("name")?.text ?? ""}=`;
    case "typed_parameter":
      return parameter.namedChild(0) ? wordOf(parameter.namedChild(0) as Node) : null;
    case "list_splat_pattern":
      return "*+";
    case "dictionary_splat_pattern":
      return "**";
    case "keyword_separator":
      return "*";
    case "positional_separator":
      return "/";
    default:
      return null;
  }
}

/** The parts of a class that can be called, as script-takes.ts names them. */
export function classTakes(node: Node): [suffix: string, takes: FunctionTakes | null][] {
  const found: [string, FunctionTakes | null][] = [];
  const body = node.childForFieldName("body");
  for (const child of body?.namedChildren ?? []) {
    // `f = classmethod(f)`: what it takes is no longer what it says.
    const set =
      child?.type === "expression_statement" ? child.namedChild(0)?.childForFieldName("left") : null;
    if (set) found.push([`#${set.text}`, null], [`.${set.text}`, null]);
    const inner = child?.type === "decorated_definition" ? child.childForFieldName("definition") : child;
    if (inner?.type !== "function_definition") continue;
    const name = inner.childForFieldName("name")?.text ?? "";
    const decorators = decoratorsOf(inner);
    const isStatic = decorators.includes("staticmethod") || name === "__new__";
    const isOfClass = decorators.includes("classmethod");
    const bound = takesOfFunction(inner, { isBound: !isStatic });
    found.push([`#${name}`, bound]);
    found.push([`.${name}`, isStatic || isOfClass ? bound : takesOfFunction(inner, { isBound: false })]);
  }
  return [["", construction(node, found)], ...found];
}

function construction(
  node: Node,
  methods: readonly (readonly [string, FunctionTakes | null])[],
): FunctionTakes | null {
  const decorators = decoratorsOf(node);
  const made = methods.filter(([suffix]) => suffix === "#__init__");
  const bases = (node.childForFieldName("superclasses")?.namedChildren ?? []).filter(
    (one) => one && one.text !== "object" && one.type !== "comment",
  );
  if (made.length > 0) {
    const [init] = made;
    const takes = made.length === 1 && init ? init[1] : null;
    const isPlain = decorators.every((one) => DATACLASS.test(one) || KEEPING.test(one));
    return takes === null || isPlain || takes.startsWith("?") ? takes : `?${takes}`;
  }
  if (bases.length > 0 || methods.some(([suffix]) => suffix === "#__new__")) return null;
  if (decorators.length === 0) return "(";
  return decorators.every((one) => DATACLASS.test(one)) ? fieldsOf(node) : null;
}

/** `a: int` and `b: str = ""` of a dataclass. */
function fieldsOf(node: Node): FunctionTakes | null {
  const words: string[] = [];
  for (const child of node.childForFieldName("body")?.namedChildren ?? []) {
    const field = child?.type === "expression_statement" ? child.namedChild(0) : null;
    const type = field?.childForFieldName("type");
    if (field?.type !== "assignment" || !type || /\bClassVar\b/.test(type.text)) continue;
    const value = field.childForFieldName("right")?.text ?? "";
    if (/\b(?:KW_ONLY|InitVar)\b/.test(type.text) || /\b(?:init|kw_only)\s*=/.test(value)) return null;
    words.push(`${field.childForFieldName("left")?.text ?? ""}${value === "" ? "" : "="}`);
  }
  const isKeyed = node.parent?.namedChildren.some((one) =>
    /kw_only/.test(one?.type === "decorator" ? one.text : ""),
  );
  return isKeyed ? null : `(${words.join(",")}`;
}
