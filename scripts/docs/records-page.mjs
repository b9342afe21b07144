// docs/records.md, from the table of record kinds and the schemas of their bodies.
import { z } from "zod";
import { RECORD_KINDS } from "../../dist/model/record.js";

export function recordsPage() {
  const kinds = Object.entries(RECORD_KINDS);
  return `# Records

<!-- Made from src/model/record.ts by \`npm run docs\`. Change it there. -->

A session's journal is made of records. Each has a sequence number the store gives (their only order), an id that is
unique in its session, a kind, the attempt that wrote it, a time for people, and a body. Bodies may have more fields
than are listed: those of a newer refloat are kept. Kinds that are not listed are kept, too.

*by owner*: only under the session's current attempt; the store refuses older ones in the same transaction.
*by anyone*: inputs, orders and observations, which claim nothing. What a record *opens* is open until one that
*closes* it; what it *needs* must be open when it is written. \`forget\` erases a body but for the fields *kept*.

| kind | by | opens | closes | needs |
|---|---|---|---|---|
${kinds
  .map(
    ([kind, { by, opens, closes, needs, within }]) =>
      `| [${kind}](#${kind.replaceAll(".", "")}) | ${by} | ${ref(opens)} | ${ref(closes)} | ${[needs, within].filter(Boolean).map(ref).join(", ")} |`,
  )
  .join("\n")}

${kinds.map(([kind, spec]) => section(kind, spec)).join("\n")}`;
}

const ref = (pair) => (pair ? pair[0] : "");

function section(kind, { body, shape }) {
  const schema = z.toJSONSchema(body, { unrepresentable: "any" });
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const optional = required.has(name) || typeOf(property) === "any JSON" ? "" : " (may be left out)";
    return `| \`${name}\` | ${typeOf(property)}${optional} | ${shape.includes(name) ? "kept" : ""} |`;
  });
  return `## ${kind}\n\n| field | type | after \`forget\` |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function typeOf(property) {
  if (property.anyOf) return [...new Set(property.anyOf.map(typeOf))].join(" or ");
  if (Array.isArray(property.type))
    return property.type.map((type) => typeOf({ ...property, type })).join(" or ");
  if (property.enum) return property.enum.map((value) => `\`${value}\``).join(" or ");
  if (property.const !== undefined) return `\`${property.const}\``;
  if (property.type === "array" && property.prefixItems) {
    return `[${property.prefixItems.map(typeOf).join(", ")}]`;
  }
  if (property.type === "array") return `list of ${plural(typeOf(property.items ?? {}))}`;
  if (property.type === "object") return objectType(property);
  return (
    { string: "text", integer: "whole number", number: "number", boolean: "true or false", null: "null" }[
      property.type
    ] ?? "any JSON"
  );
}

// The two objects that appear inside bodies have names of their own.
function objectType({ properties = {} }) {
  if (properties.pid_namespace) return "owner";
  if (properties.type) return "part";
  return "object";
}

const plural = (type) =>
  ({ text: "texts", part: "parts", "any JSON": "any JSON" })[type.includes("part") ? "part" : type] ?? type;
