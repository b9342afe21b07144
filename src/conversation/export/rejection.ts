/**
 * What a provider would refuse, as our checkers say it. A checker knows only rules that a provider was seen
 * to enforce or documents: each has an entry with its source in test/corpus/providers.
 */
export interface Rejection {
  /** The slug of the rule, stable. */
  readonly rule: string;
  /** A path into the exported conversation, such as `messages[2].content[0]`. */
  readonly where: string;
  readonly why: string;
}

export interface CheckOptions {
  /** True: it will be sent to be answered. False: it is history, which may be empty or end on an answer. */
  readonly forRequest: boolean;
}

/** Collects rejections against one table of rules. */
export interface Rejections<Rule extends string> {
  readonly found: Rejection[];
  add(rule: Rule, where: string): void;
}

export function rejectionsBy<Rule extends string>(rules: Readonly<Record<Rule, string>>): Rejections<Rule> {
  const found: Rejection[] = [];
  return { found, add: (rule, where) => found.push({ rule, where, why: rules[rule] }) };
}

export type JsonFields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The places of texts and keys a strict JSON parser refuses. */
export function loneSurrogates(value: unknown, where: string): string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [where];
  if (Array.isArray(value)) return value.flatMap((item, at) => loneSurrogates(item, `${where}[${at}]`));
  return Object.entries(fieldsOf(value)).flatMap(([key, item]) => [
    ...(key.isWellFormed() ? [] : [where]),
    ...loneSurrogates(item, `${where}.${key.toWellFormed()}`),
  ]);
}
