/** Findings for other programs: annotations of a GitHub workflow, and SARIF 2.1.0 for code scanning. */
import type { PlacedFinding } from "../../../workflow/finding-lines.ts";
import { RULES } from "../../../workflow/rules.ts";

/** One command per line; the escapes are those of the workflow commands. */
export function githubLines(findings: readonly PlacedFinding[]): string[] {
  return findings.map(({ severity, rule, path, message, command, file, line }) => {
    const title = path === "" ? rule : `${rule} ${path}`;
    const properties = [`file=${property(file)}`, `line=${line}`, `title=${property(title)}`].join(",");
    return `::${severity} ${properties}::${data(`${message} ${command}`)}`;
  });
}

const data = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

export function sarifOf(findings: readonly PlacedFinding[], version: string): Record<string, unknown> {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "refloat",
            version,
            rules: RULES.map(({ id, severity, about, command }) => ({
              id,
              shortDescription: { text: about },
              help: { text: command },
              defaultConfiguration: { level: severity },
            })),
          },
        },
        results: findings.map(({ severity, rule, path, message, command, file, line }) => ({
          ruleId: rule,
          level: severity,
          message: { text: `${message} ${command}` },
          locations: [
            {
              physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } },
              ...(path === "" ? {} : { logicalLocations: [{ fullyQualifiedName: path }] }),
            },
          ],
        })),
      },
    ],
  };
}

/** Relative addresses are what code scanning matches with the repository's files. */
const uriOf = (file: string): string => file.split("/").map(encodeURIComponent).join("/");
