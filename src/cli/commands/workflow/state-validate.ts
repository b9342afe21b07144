/** `state validate`: reads, says, changes nothing. Exit 1 when there is an error among the findings. */
import { packageVersion } from "../../../platform/own-files.ts";
import type { StateFinding } from "../../../workflow/finding.ts";
import { type PlacedFinding, withLines } from "../../../workflow/finding-lines.ts";
import { validateFiles } from "../../../workflow/validate-files.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { watched } from "../../context/watched.ts";
import { type CommandInput, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { jsonText } from "../../screen/json-text.ts";
import { schemaOf } from "../../screen/output.ts";
import { count, oneLine } from "../../screen/words.ts";
import { githubLines, sarifOf } from "./finding-formats.ts";
import { claimsOfFiles } from "./state-claims.ts";
import { filesAndLost } from "./state-files.ts";
import { logsOfFiles } from "./state-logs.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const files = await filesAndLost(context, input);
  const claims = await claimsOfFiles(context, files);
  const log = await logsOfFiles(context, files);
  const bar = watched(context);
  const findings = validateFiles(files, {
    clock: context.clock,
    claims,
    log,
    onProgress: (done) => bar.onProgress(done, files.length),
  }).map((one) => ({ ...one, command: context.out.typed(one.command) }));
  bar.end();
  await say(context, textOption(input, "format") ?? "text", files.length, findings);
  return findings.some(({ severity }) => severity === "error") ? EXIT.failed : EXIT.done;
}

async function say(
  context: Context,
  format: string,
  files: number,
  findings: readonly StateFinding[],
): Promise<void> {
  const { out } = context;
  const json = { files, findings };
  if (format === "json") return out.write(`${jsonText({ schema: schemaOf("state-validate"), ...json })}\n`);
  if (format === "sarif") return out.write(`${jsonText(sarifOf(withLines(findings), packageVersion()))}\n`);
  if (format === "github")
    return out.write(
      githubLines(withLines(findings))
        .map((line) => `${line}\n`)
        .join(""),
    );
  return out.result({
    command: "state-validate",
    json,
    text: () => textLines(context, files, withLines(findings)),
  });
}

function textLines({ out }: Context, files: number, findings: readonly PlacedFinding[]): string[] {
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
