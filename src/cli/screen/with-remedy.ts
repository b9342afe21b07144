/** What a person can do about a reason stands behind it, on the same line. */
import type { ManifestReason } from "../../model/manifest.ts";

export const withRemedy = <R extends Pick<ManifestReason, "message" | "remedy">>(reason: R): R =>
  reason.remedy === undefined ? reason : { ...reason, message: `${reason.message} ${reason.remedy}` };
