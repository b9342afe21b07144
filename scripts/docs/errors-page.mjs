// docs/errors.md, from the catalogue.
import { ERRORS } from "../../dist/model/errors.js";

const EXITS = {
  1: "failed",
  3: "wants attention",
  4: "held by another",
  5: "damaged",
  64: "usage",
  75: "try again later",
  125: "run could not begin",
  126: "not executable",
  127: "not found",
};

// What an error fills in from its data stands between these marks, which mean nothing to Markdown.
const filled = (text) => text.replace(/\{(\w+)\}/g, "‹$1›");

export function errorsPage() {
  const codes = Object.keys(ERRORS).sort();
  return `# Errors

<!-- Made from src/model/errors.ts by \`npm run docs\`. Change it there. -->

Every error has a code that stays the same, a message, a hint, and the exit code of a command that ends with it.
With \`--json\` it is one object on stdout:

\`\`\`json
{"schema":"refloat.error/1","code":"E_NO_SESSION","message":"There is no session abcd.","hint":"\`refloat sessions\` lists them."}
\`\`\`

In the library it is a \`RefloatError\` with \`code\`, \`hint\`, \`data\` and \`cause\`; \`Held\` (E_HELD) also has \`by\` and \`since\`.

| exit | means | codes |
|---|---|---|
${Object.entries(EXITS)
  .map(([exit, means]) => {
    const with_ = codes.filter((code) => String(ERRORS[code].exit) === exit);
    return `| ${exit} | ${means} | ${with_.map((code) => `[${code}](#${code.toLowerCase()})`).join(", ") || "(no error: said by `--exit-code`)"} |`;
  })
  .join("\n")}

0 is done. 2 is never used: agents read it from a hook as "block".

${codes
  .map((code) => {
    const { message, hint, exit } = ERRORS[code];
    return `## ${code}\n\n${filled(message)}\n\n*What to do:* ${filled(hint)}\n\nExit ${exit}, ${EXITS[exit]}.\n`;
  })
  .join("\n")}`;
}
