/** What a Java file imports and declares, and the types that need no import. Pure. */
import type { Node } from "web-tree-sitter";
import { isNode, PACKAGE_CLAUSE } from "./grammar-facts.ts";

/** The specifier of types that any file of the own package may declare. */
export const OWN_JAVA_PACKAGE = ".";

export function javaPackage(root: Node): string[] {
  const declaration = root.namedChildren.find((one) => one?.type === "package_declaration");
  const name = declaration?.namedChildren
    .find((one) => /identifier$/.test(one?.type ?? ""))
    ?.text.replace(/\s+/g, "");
  return name === undefined ? [] : [`${PACKAGE_CLAUSE}${name}`];
}

export interface JavaImport {
  /** The type, or the package where all of it is taken: `a.b.C`, `a.b.*`. */
  readonly path: string;
  /** Of a static import what it takes of the type; `*`: all. Null: no static import. */
  readonly member: string | null;
  /** As the file calls it; empty where all is taken. */
  readonly local: string;
  readonly line: number;
}

export function javaImports(root: Node): JavaImport[] {
  return root.namedChildren.filter(isNode).flatMap((node): JavaImport[] => {
    const path =
      node.type === "import_declaration"
        ? node.namedChildren.find((one) => /identifier/.test(one?.type ?? ""))
        : null;
    if (!path) return [];
    const text = path.text.replace(/\s+/g, "");
    const isAll = node.namedChildren.some((one) => one?.type === "asterisk");
    const line = node.startPosition.row + 1;
    if (!/^import\s+static\b/.test(node.text)) {
      const local = isAll ? "" : text.slice(text.lastIndexOf(".") + 1);
      return [{ path: isAll ? `${text}.*` : text, member: null, local, line }];
    }
    if (isAll) return [{ path: text, member: "*", local: "", line }];
    const at = text.lastIndexOf(".");
    return [{ path: text.slice(0, at), member: text.slice(at + 1), local: text.slice(at + 1), line }];
  });
}

const TYPES = [
  "class_declaration",
  "interface_declaration",
  "enum_declaration",
  "record_declaration",
  "annotation_type_declaration",
];
export const isTypeDeclaration = ({ type }: Node): boolean => TYPES.includes(type);
export const typeDeclarations = (root: Node): Node[] => root.descendantsOfType(TYPES).filter(isNode);

/** Every type and parameter of a type that the file declares, wherever. */
export function typesDeclared(root: Node): ReadonlySet<string> {
  const names = typeDeclarations(root).map((one) => one.childForFieldName("name")?.text ?? "");
  const parameters = root
    .descendantsOfType("type_parameter")
    .map((one) => one?.descendantsOfType("type_identifier")[0]?.text ?? "");
  return new Set([...names, ...parameters]);
}

/** The plain name of a type; null: an array, a primitive or one that is not told. */
export function javaTypeName(type: Node | null): string | null {
  switch (type?.type) {
    case "type_identifier":
      return type.text === "var" ? null : type.text;
    case "generic_type":
      return javaTypeName(type.namedChild(0));
    case "scoped_type_identifier":
      return type.lastNamedChild?.type === "type_identifier" ? type.lastNamedChild.text : null;
    default:
      return null;
  }
}

/** java.lang, which every file has. */
export const JAVA_LANG: ReadonlySet<string> = new Set(
  "AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException ArrayStoreException AssertionError AutoCloseable Boolean BootstrapMethodError Byte CharSequence Character Class ClassCastException ClassCircularityError ClassFormatError ClassLoader ClassNotFoundException ClassValue CloneNotSupportedException Cloneable Comparable Compiler Deprecated Double Enum EnumConstantNotPresentException Error Exception ExceptionInInitializerError Float FunctionalInterface IllegalAccessError IllegalAccessException IllegalArgumentException IllegalCallerException IllegalMonitorStateException IllegalStateException IllegalThreadStateException IncompatibleClassChangeError IndexOutOfBoundsException InheritableThreadLocal InstantiationError InstantiationException Integer InternalError InterruptedException Iterable LayerInstantiationException LinkageError Long MatchException Math Module ModuleLayer NegativeArraySizeException NoClassDefFoundError NoSuchFieldError NoSuchFieldException NoSuchMethodError NoSuchMethodException NullPointerException Number NumberFormatException Object OutOfMemoryError Override Package Process ProcessBuilder ProcessHandle Readable Record ReflectiveOperationException Runnable Runtime RuntimeException RuntimePermission SafeVarargs ScopedValue SecurityException SecurityManager Short StackOverflowError StackTraceElement StackWalker StrictMath String StringBuffer StringBuilder StringIndexOutOfBoundsException SuppressWarnings System Thread ThreadDeath ThreadGroup ThreadLocal Throwable TypeNotPresentException UnknownError UnsatisfiedLinkError UnsupportedClassVersionError UnsupportedOperationException VerifyError VirtualMachineError Void WrongThreadException".split(
    " ",
  ),
);
