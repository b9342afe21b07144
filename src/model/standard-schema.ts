/**
 * A schema of anybody's making, by the interface that libraries of schemas agreed on (Standard Schema, version 1): zod, valibot,
 * arktype and others have it as `~standard`. An interface of our own, so that nobody needs a package for it.
 */
import { RefloatError } from "./errors.ts";

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** For the compiler alone. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What the schema makes of a value, or why it does not fit. */
export type SchemaFit<Output> =
  | { readonly kind: "fits"; readonly value: Output }
  | { readonly kind: "misfit"; readonly why: string };

export async function fitted<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): Promise<SchemaFit<Output>> {
  const result = await schema["~standard"].validate(value);
  return result.issues
    ? { kind: "misfit", why: firstIssue(result.issues) }
    : { kind: "fits", value: result.value };
}

/** Given by a caller, who may not have a compiler. */
export function assertSchema(schema: unknown): void {
  const standard = (schema as Partial<StandardSchema> | null | undefined)?.["~standard"];
  if (standard?.version !== 1 || typeof standard.validate !== "function")
    throw new RefloatError("E_USAGE", { why: "A kind's schema must be a Standard Schema (version 1)." });
}

function firstIssue(issues: readonly StandardIssue[]): string {
  const [issue] = issues;
  if (!issue) return "it does not fit";
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  return `${path.join(".") || "body"}: ${issue.message}`;
}
