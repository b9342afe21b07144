/** The versions a GitHub workflow pins: actions, images, runners, tools. The same one stands in many steps: the lowest counts. */
import { parse as parseYaml, YAMLError } from "yaml";
import { isTable, type Versions } from "./tables.ts";
import { keepLowest } from "./version-order.ts";

/** In lines, for a pinned commit says its version in a comment. */
const USES = /\buses:\s*["']?([^\s"'@]+)@([\w.-]+)["']?(?:\s*#\s*(v?\d[\w.-]*))?/g;
const VERSION = /^v?\d[\w.-]*$/;
const IMAGE = /^(?:docker:\/\/)?(\S+):(v?\d[\w.-]*)(?:@\S+)?$/;
const RUNNER = /^([a-z]+)-(\d[\d.]*)(?:-\S+)?$/;
/** Lists of a matrix that name versions. */
const TOOL = /^(?:node|python|py|go|ruby|php|java|jdk|rust|deno|bun|dotnet|os|.*version)s?$/i;

export function readWorkflow(text: string): Versions {
  const versions: Versions = {};
  const note = (name: string, version: string): void => keepLowest(versions, name, version);
  for (const [, name = "", ref = "", said] of text.matchAll(USES)) {
    const version = /^[0-9a-f]{40}$/.test(ref) ? said : ref;
    if (version !== undefined && VERSION.test(version)) note(name, version);
  }
  visit(yamlStrings(text), "", note);
  return versions;
}

/** Every scalar as its text: 3.10 is no 3.1. */
export function yamlStrings(text: string): unknown {
  try {
    return parseYaml(text, { logLevel: "silent", schema: "failsafe" });
  } catch (thrown) {
    // Aliases without an anchor come as ReferenceError.
    if (thrown instanceof YAMLError || thrown instanceof ReferenceError) return {};
    throw thrown;
  }
}

function visit(value: unknown, key: string, note: (name: string, version: string) => void): void {
  if (isTable(value)) for (const [name, inner] of Object.entries(value)) visit(inner, name, note);
  else if (Array.isArray(value)) for (const inner of value) visit(inner, key, note);
  else if (typeof value === "string") noteText(value, key, note);
}

function noteText(text: string, key: string, note: (name: string, version: string) => void): void {
  const image = key === "image" || key === "container" || key === "uses" ? IMAGE.exec(text) : null;
  if (image && (key !== "uses" || text.startsWith("docker://"))) note(image[1] ?? "", image[2] ?? "");
  const runner = key === "runs-on" || key === "os" ? RUNNER.exec(text) : null;
  if (runner) note(runner[1] ?? "", runner[2] ?? "");
  else if (TOOL.test(key) && VERSION.test(text)) note(key, text.replace(/^v/, ""));
}
