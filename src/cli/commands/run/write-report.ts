/**
 * The file that `--report` names: JSON, whole or not there, without secrets unless --raw (T4), for nobody else to read. CI
 * keeps such files and shows them to whoever can see the build. One that cannot be written is said; the exit code stays.
 */
import { resolve } from "node:path";
import { ensureError } from "../../../model/errors.ts";
import { writeDurable } from "../../../platform/durable-file.ts";
import { withoutSecrets } from "../../../text/without-secrets.ts";
import type { Output } from "../../screen/output.ts";

export interface ReportPlace {
  /** Null: none is wanted. */
  readonly path: string | null;
  readonly isRaw: boolean;
}

export async function writeReport(
  out: Pick<Output, "complain">,
  { path, isRaw }: ReportPlace,
  report: object,
): Promise<void> {
  if (path === null) return;
  try {
    const { value } = await withoutSecrets(report, isRaw);
    writeDurable(resolve(path), `${JSON.stringify(value, null, 2)}\n`);
  } catch (thrown) {
    out.complain(`refloat: the report was not written: ${ensureError(thrown).message}`);
  }
}
