/**
 * The conformance suite: what every store must do, whatever engine it runs on (store/driver.ts numbers the
 * promises). One suite, run over each of them; a driver that needs a case of its own is not one of them.
 */
import { describe } from "vitest";
import { claimLaws } from "./claims.ts";
import type { MakePlace } from "./harness.ts";
import { journalLaws } from "./journal.ts";
import { openLaws } from "./open-things.ts";

export function describeStore(name: string, make: MakePlace): void {
  describe(name, () => {
    describe("journal", () => journalLaws(make));
    describe("claims", () => claimLaws(make));
    describe("open things and sessions", () => openLaws(make));
  });
}
