/** What is said where refloat is switched off. */
import type { WhyOff } from "./off.ts";

export function offLine(why: WhyOff, what = "nothing is recorded here"): string {
  switch (why.kind) {
    case "off":
      return `REFLOAT_OFF=1: ${what}.`;
    case "left-alone":
      return `This repository is left alone ("ignore" in ${why.by}): ${what}.`;
    default:
      return why satisfies never;
  }
}
