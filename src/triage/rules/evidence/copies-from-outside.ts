/** Whether a command line copies from outside the workspace: a template, another clone, a download. Pure. */
const COPY = /(?:^|[\s;&|(])(?:cp|rsync|mv|install|ln)\s+([^;&|\n]*)/g;
/** Up and out, from the root, from home, or from a place a variable names. */
const OUTSIDE = /(?:^|\s)["']?(?:\.\.(?:\/|\s|$)|\/(?!dev\/)|~|\$)/;
const ALWAYS: readonly RegExp[] = [
  /(?:^|[\s;&|(])scp\s/,
  /\b(?:curl|wget)\b[^\n]*\|\s*(?:tar|unzip|sh|bash)\b/,
  /\bgit\s+(?:-C\s+\S+\s+)?(?:archive|subtree\s+(?:pull|add|merge)|read-tree)\b/,
  /(?:^|[\s;&|(])(?:degit|copier|cookiecutter|cruft|yo)\s/,
];

export function copiesFromOutside(command: string): boolean {
  if (ALWAYS.some((pattern) => pattern.test(command))) return true;
  return [...command.matchAll(COPY)].some(([, words]) => OUTSIDE.test(words ?? ""));
}
