/** `@a/b/c` and `a/c` name the packages `@a/b` and `a`. Null: not the name of a package. */
export function packageOf(specifier: string): string | null {
  if (/^(?:node:|#|\/|\.|[a-z]+:|[@~]\/|\$|virtual:)/.test(specifier) || specifier === "") return null;
  const parts = specifier.split("/");
  const name = specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
  return /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(name) ? name : null;
}
