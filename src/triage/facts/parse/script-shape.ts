/** What the type of a node says to the walk over a script. */

/** Fields that name something without using or declaring it. */
const SKIPPED: Readonly<Record<string, readonly string[]>> = {
  LabeledStatement: ["label"],
  BreakStatement: ["label"],
  ContinueStatement: ["label"],
  MetaProperty: ["meta", "property"],
  ImportDeclaration: ["specifiers", "source", "attributes"],
  ExportAllDeclaration: ["exported", "source", "attributes"],
  ImportAttribute: ["key"],
  JSXAttribute: ["name"],
  JSXClosingElement: ["name"],
  TSEnumMember: ["id"],
  TSNamedTupleMember: ["label"],
  TSTypePredicate: ["parameterName"],
  TSImportType: ["qualifier"],
  TSQualifiedName: ["right"],
  CatchClause: ["param"],
  TSTypeParameter: ["name"],
  TSMappedType: ["key"],
  TSIndexSignature: ["parameters"],
  ExportSpecifier: ["exported", "local"],
};

const KEYED =
  /^(?:Property|MethodDefinition|PropertyDefinition|AccessorProperty|TSAbstract\w+|TSPropertySignature|TSMethodSignature)$/;
export const FUNCTION =
  /^(?:Function|Arrow)|^TS(?:DeclareFunction|EmptyBodyFunctionExpression|FunctionType|ConstructorType|CallSignatureDeclaration|ConstructSignatureDeclaration|MethodSignature)/;
export const NAMED =
  /^(?:FunctionDeclaration|FunctionExpression|ClassDeclaration|ClassExpression|TSDeclareFunction|TSInterfaceDeclaration|TSTypeAliasDeclaration|TSEnumDeclaration|TSModuleDeclaration|TSImportEqualsDeclaration)$/;

/** What a node's type says about it, worked out once per type: a walk meets a few dozen types a million times. */
export interface Shape {
  readonly isName: boolean;
  readonly isJsx: boolean;
  readonly isTry: boolean;
  readonly isMember: boolean;
  readonly isBinding: boolean;
  readonly isKeyed: boolean;
  readonly isTypeNode: boolean;
  readonly declares: boolean;
  readonly skipped: readonly string[];
  readonly skippedWithKey: readonly string[];
  readonly skippedWithProperty: readonly string[];
}

const shapes = new Map<string, Shape>();

export function shapeOf(type: string): Shape {
  const known = shapes.get(type);
  if (known) return known;
  const isFunction = FUNCTION.test(type);
  const isNamed = type === "VariableDeclarator" || NAMED.test(type);
  const isValueAgain = /^TS(?:As|NonNull|Satisfies|Instantiation)Expression$/.test(type);
  const skipped = [...(SKIPPED[type] ?? []), ...(isNamed ? ["id"] : []), ...(isFunction ? ["params"] : [])];
  const shape: Shape = {
    isName: type === "Identifier" || type === "JSXIdentifier",
    isJsx: type.startsWith("JSX"),
    isTry: type === "TryStatement",
    isMember: /MemberExpression$|^TSQualifiedName$/.test(type),
    isBinding: type === "VariableDeclarator" || type === "AssignmentExpression",
    isKeyed: KEYED.test(type),
    isTypeNode:
      !isValueAgain &&
      /^TS(?:Interface|TypeAlias|Type|.*Type$|.*Keyword$|.*Signature$|QualifiedName)/.test(type),
    declares: isFunction || isNamed || DECLARING.has(type),
    skipped,
    skippedWithKey: [...skipped, "key"],
    skippedWithProperty: [...skipped, "property"],
  };
  shapes.set(type, shape);
  return shape;
}

const DECLARING: ReadonlySet<string> = new Set([
  "CatchClause",
  "TSTypeParameter",
  "TSMappedType",
  "TSEnumMember",
  "ImportDeclaration",
  "ExportSpecifier",
]);
export const TYPE_FIELDS: ReadonlySet<string> = new Set([
  "typeAnnotation",
  "typeParameters",
  "typeArguments",
  "returnType",
  "implements",
  "superTypeArguments",
]);
