/** Which items of a store are asked for: namespaces by their ends, values by their fields. Pure. */

/** `*` stands for any one label. */
export function underNamespace(
  namespace: readonly string[],
  path: readonly string[],
  matchType: "prefix" | "suffix" = "prefix",
): boolean {
  if (path.length > namespace.length) return false;
  const from = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((label, at) => label === "*" || label === namespace[from + at]);
}

export const matches = (
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>>,
): boolean => Object.entries(filter).every(([field, wanted]) => fits(value[field], wanted));

function fits(value: unknown, wanted: unknown): boolean {
  const operators =
    typeof wanted === "object" && wanted !== null && !Array.isArray(wanted) ? Object.entries(wanted) : [];
  if (operators.length === 0 || !operators.every(([name]) => name.startsWith("$")))
    return isSame(value, wanted);
  return operators.every(([name, bound]) => {
    switch (name) {
      case "$eq":
        return isSame(value, bound);
      case "$ne":
        return !isSame(value, bound);
      case "$gt":
        return Number(value) > Number(bound);
      case "$gte":
        return Number(value) >= Number(bound);
      case "$lt":
        return Number(value) < Number(bound);
      case "$lte":
        return Number(value) <= Number(bound);
      default:
        return false;
    }
  });
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
