/** What goes back: data without secrets (T4) and within a bound (T5), under its schema's name; an error as every face has it, with a status. */
import { ensureError, RefloatError } from "../../model/errors.ts";
import { HTTP_ANSWER_BYTES } from "../../model/limits.ts";
import { boundedJson } from "../../text/bounded-json.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import type { RouteAnswer } from "./route.ts";

export type AnswerData = Record<string, unknown> & { readonly schema: string };

/** A commit's id, a digest, a hash: what is not text is no secret, and what was redacted before is not again another. */
export async function answerData({ command, json, isRedacted = false }: RouteAnswer): Promise<AnswerData> {
  const { digest, ...rest } = json;
  const { value } = await withoutSecrets({ ...rest }, isRedacted);
  const bounded = boundedJson(value, HTTP_ANSWER_BYTES);
  return { schema: `refloat.${command}/1`, ...bounded, ...(digest === undefined ? {} : { digest }) };
}

export interface ErrorAnswer {
  readonly status: ErrorStatus;
  readonly data: AnswerData;
}

type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503;

/** What is not here is the user's or the tree's trouble, and says so itself. */
const STATUS: Readonly<Record<string, ErrorStatus>> = {
  E_USAGE: 400,
  E_BAD_ID: 400,
  E_PAGE_TOKEN: 401,
  E_PAGE_ORIGIN: 403,
  E_UNDER_MARK: 403,
  E_PAGE_UNKNOWN: 404,
  E_NO_SESSION: 404,
  E_NO_GROUP: 404,
  E_NO_PLAN: 404,
  E_NO_STORE: 404,
  E_PLAN_CHANGED: 409,
  E_HELD: 409,
  E_TOO_LARGE: 413,
  E_PAGE_BUSY: 429,
  E_INTERNAL: 500,
  E_STORE_BUSY: 503,
};

/** T1: a defect of ours, too, is answered, and the server lives on. */
export async function errorAnswer(thrown: unknown, typed: (text: string) => string): Promise<ErrorAnswer> {
  const error =
    thrown instanceof RefloatError
      ? thrown
      : new RefloatError("E_INTERNAL", { why: ensureError(thrown).message }, thrown);
  const { code, message } = error;
  const { value } = await withoutSecrets({ code, message, hint: typed(error.hint) });
  return { status: STATUS[code] ?? 422, data: { schema: "refloat.error/1", ...value } };
}
