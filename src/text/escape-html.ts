/**
 * Text into HTML, for element content and for attributes in single or double quotes (T3). Not for unquoted
 * attributes, URLs, scripts or styles: nothing untrusted goes there.
 */
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  // A parser drops NUL in some places and replaces it in others; we decide.
  "\0": "\ufffd",
};

export function escapeHtml(text: string): string {
  // A lone surrogate cannot be sent as UTF-8; toWellFormed puts U+FFFD in its place.
  return text.toWellFormed().replace(/[&<>"'\0]/g, (found) => ENTITIES[found] ?? found);
}
