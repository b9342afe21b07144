/** What a person can do about a reason, or about a process that was left, in the same words on every face (S7). */
import type { ManifestReason } from "../model/manifest.ts";

/** It stands behind the reason, on the same line. */
export const withRemedy = <R extends Pick<ManifestReason, "message" | "remedy">>(reason: R): R =>
  reason.remedy === undefined ? reason : { ...reason, message: `${reason.message} ${reason.remedy}` };

/** Of a process that refloat leaves alone: what its command is for. */
export const leftoverRemedyWords = (remedy: string): string =>
  remedy.startsWith("kill ") ? "If nobody needs it, this ends it" : "This tells what it is";
