/** YAML, also several documents in one file. */
import { parseAllDocuments } from "yaml";
import { isTemplate, parseTemplate } from "./parse-template.ts";
import type { ParsedText } from "./parsed.ts";

export function parseYamlText(path: string, text: string): ParsedText {
  if (isTemplate(path, text)) return parseTemplate(text);
  // A tag nobody knows is a warning, not an error: CloudFormation and others live on them.
  const documents = parseAllDocuments(text, { logLevel: "silent", uniqueKeys: true });
  if (!Array.isArray(documents)) return { kind: "sound", source: null };
  // Its own word for the end of the stack, which says nothing about the text.
  if (documents.some(({ errors }) => errors.some(({ code }) => code === "RESOURCE_EXHAUSTION")))
    throw new RangeError("nested too deep");
  for (const { errors } of documents) {
    const first = errors[0];
    if (first)
      return { kind: "broken", line: first.linePos?.[0].line ?? 1, message: firstLine(first.message) };
  }
  return { kind: "sound", source: null };
}

const firstLine = (text: string): string => text.split("\n")[0] ?? text;
