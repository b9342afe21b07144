/** An error as the user sees it: code, message, hint; as JSON on stdout with --json, else on stderr. */
import { ERRORS, ensureError, RefloatError } from "../../model/errors.ts";
import { escapeForTerminal } from "../../text/escape.ts";
import { wrapWhole } from "../../text/wrap-whole.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Output } from "./output.ts";

export interface PlanError {
  /** What the command would have done, for E_NEEDS_YES: the reader of the error can decide on it. */
  readonly plan?: Readonly<Record<string, unknown>>;
}

/** `command`: its words; a wrong use is pointed to the page of that very command. */
export async function reportError(
  thrown: unknown,
  out: Output,
  command: readonly string[],
): Promise<ExitCode> {
  const error = asRefloatError(thrown);
  // The hint is ours; what was filled into it is a name that a command takes as it is.
  const hint =
    error.code === "E_USAGE"
      ? `See \`${["refloat", ...command, "--help"].join(" ")}\`.`
      : out.typed(error.hint);
  if (out.isJson) {
    const { code, message } = error;
    const plan = (error as PlanError).plan;
    const json = { code, message, hint, ...(plan ? { plan } : {}) };
    await out.result({ command: "error", json, text: () => [] });
  } else {
    const { bold, red, dim } = out.errorStyle;
    const [first = "", ...rest] = lines(out, `${safe(error.message)} (${error.code})`);
    out.complain(`${red(bold("refloat:"))} ${first}`);
    for (const line of rest) out.complain(INDENT + line);
    for (const line of lines(out, safe(hint))) out.complain(INDENT + dim(line));
  }
  // A defect is reported with what is needed to find it.
  if (error.code === "E_INTERNAL") out.complain(safe(ensureError(error.cause).stack ?? ""));
  return ERRORS[error.code].exit;
}

/** Of a part of an order that failed, among others that did not. */
export const errorLines = ({ message, code, hint }: RefloatError): string[] => [
  `${message} (${code})`,
  `  ${hint}`,
];

/** What nobody foresaw is a defect, and says so. */
function asRefloatError(thrown: unknown): RefloatError {
  if (thrown instanceof RefloatError) return thrown;
  return new RefloatError("E_INTERNAL", { why: ensureError(thrown).message }, thrown);
}

const INDENT = " ".repeat("refloat: ".length);
const lines = (out: Output, text: string): string[] => wrapWhole(text, out.columns - INDENT.length);
const safe = (text: string): string => escapeForTerminal(text, { newlines: "keep" });
