// What people and models write in place of a file: its shape without its work.
import { parseSync } from "oxc-parser";

const BODIES = [
  () => '{\n  throw new Error("Not implemented");\n}',
  () => "{\n  // TODO: implement\n}",
  () => "{}",
  () => "{\n  return null;\n}",
];

export function stubOf(path, text, random) {
  const how = random.below(3);
  if (how === 0) return withoutBodies(path, text, random.pick(BODIES)());
  if (how === 1) return firstPart(path, text, random);
  const isModule = /^\s*(?:import|export)\b/m.test(text);
  return isModule ? "// TODO: write this\nexport {};\n" : '"use strict";\n\nmodule.exports = {};\n';
}

/** The outermost functions keep their heads; all of them lose what they do. */
function withoutBodies(path, text, body) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const { program, errors } = parseSync(name, text, { sourceType: "unambiguous" });
  if (errors.length > 0) return null;
  const spans = [];
  const visit = (node) => {
    if (Array.isArray(node)) {
      for (const item of node) visit(item);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    if (
      /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) &&
      node.body?.type === "BlockStatement"
    ) {
      if (node.body.body.length > 0) spans.push([node.body.start, node.body.end]);
      return;
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(program.body);
  if (spans.length === 0) return null;
  let stub = text;
  for (const [start, end] of spans.sort((a, b) => b[0] - a[0]))
    stub = stub.slice(0, start) + body + stub.slice(end);
  return stub;
}

/** The beginning, and a word that the rest stays. */
function firstPart(path, text, random) {
  const lines = text.split("\n");
  const name = path.slice(path.lastIndexOf("/") + 1);
  const words = ["// ... rest of the file unchanged", "// (remaining code as before)", "// TODO"];
  for (let at = Math.floor(lines.length * (0.2 + random.next() * 0.5)); at > 0; at--) {
    const rest = `${lines.slice(0, at).join("\n")}\n${random.pick(words)}\n`;
    if (parseSync(name, rest, { sourceType: "unambiguous" }).errors.length === 0) return rest;
  }
  return null;
}
