/**
 * `state validate`: reads, says, changes nothing. Exit 1 when there is an error among the findings. For other programs: annotations of
 * a GitHub workflow, and SARIF 2.1.0 for code scanning.
 */
import { type StateFindings, validateStateFiles } from "../../../app/workflow/validate.ts";
import { packageVersion } from "../../../platform/own-files.ts";
import { jsonText } from "../../../text/json-text.ts";
import type { PlacedFinding } from "../../../workflow/validate-files.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { watched } from "../../context/watched.ts";
import { type CommandInput, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { schemaOf } from "../../screen/output.ts";
import { count, oneLine } from "../../screen/words.ts";
import { namedFiles } from "./state.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const bar = watched(context);
  const found = await validateStateFiles(context, namedFiles(context, input), bar.onProgress);
  bar.end();
  await say(context, textOption(input, "format") ?? "text", found);
  return found.findings.some(({ severity }) => severity === "error") ? EXIT.failed : EXIT.done;
}

async function say({ out }: Context, format: string, found: StateFindings): Promise<void> {
  const { files, rules } = found;
  const typed = <T extends { readonly command: string }>(one: T): T => ({
    ...one,
    command: out.typed(one.command),
  });
  const placed = (): PlacedFinding[] => found.placed().map(typed);
  const json = { files, findings: found.findings.map(typed) };
  if (format === "json") return out.write(`${jsonText({ schema: schemaOf("state-validate"), ...json })}\n`);
  if (format === "sarif") return out.write(`${jsonText(sarifOf(placed(), rules))}\n`);
  if (format === "github")
    return out.write(
      githubLines(placed())
        .map((line) => `${line}\n`)
        .join(""),
    );
  return out.result({ command: "state-validate", json, text: () => textLines(out, files, placed()) });
}

function textLines(out: Context["out"], files: number, findings: readonly PlacedFinding[]): string[] {
  const { red, yellow, dim, green, bold } = out.style;
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const paint = { error: red, warning: yellow } as const;
  const lines = findings.flatMap(({ severity, rule, path, message, command, file, line }) => [
    `${bold(`${oneLine(file)}:${line}`)}: ${paint[severity](severity)} ${rule}${path === "" ? "" : ` ${oneLine(path)}`}`,
    `  ${oneLine(message)}`,
    `  ${dim(oneLine(command))}`,
  ]);
  if (findings.length === 0) return [`${green("Sound.")} ${count(files, "file")} looked at, nothing found.`];
  const warnings = findings.length - errors;
  return [...lines, "", `${count(files, "file")}: ${count(errors, "error")}, ${count(warnings, "warning")}.`];
}

/** One command per line; the escapes are those of the workflow commands. */
function githubLines(findings: readonly PlacedFinding[]): string[] {
  return findings.map(({ severity, rule, path, message, command, file, line }) => {
    const title = path === "" ? rule : `${rule} ${path}`;
    const properties = [`file=${property(file)}`, `line=${line}`, `title=${property(title)}`].join(",");
    return `::${severity} ${properties}::${data(`${message} ${command}`)}`;
  });
}

const data = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

function sarifOf(findings: readonly PlacedFinding[], rules: StateFindings["rules"]): Record<string, unknown> {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "refloat",
            version: packageVersion(),
            rules: rules.map(({ id, severity, about, command }) => ({
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
