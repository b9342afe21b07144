/**
 * The conformance suite: what every store must do, whatever engine it runs on (store/contract/driver.ts numbers the
 * promises). One suite, run over each of them; a driver that needs a case of its own is not one of them.
 */
import { describe } from "vitest";
import { backupLaws } from "./backing-up.ts";
import { claimLaws } from "./claims.ts";
import { contentLaws } from "./contents.ts";
import { exportLaws } from "./exporting.ts";
import { firstLaws } from "./first-made.ts";
import { followLaws } from "./following.ts";
import { forgetLaws } from "./forgetting.ts";
import type { MakePlace } from "./harness.ts";
import { journalLaws } from "./journal.ts";
import { openLaws } from "./open-things.ts";
import { restLaws } from "./resting.ts";
import { valueLaws } from "./values.ts";

export function describeStore(name: string, make: MakePlace): void {
  describe(name, () => {
    describe("journal", () => journalLaws(make));
    describe("claims", () => claimLaws(make));
    describe("open things and sessions", () => openLaws(make));
    describe("sessions at rest", () => restLaws(make));
    describe("the first that can be made", () => firstLaws(make));
    describe("values", () => valueLaws(make));
    describe("contents", () => contentLaws(make));
    describe("forget", () => forgetLaws(make));
    describe("follow", () => followLaws(make));
    describe("export and import", () => exportLaws(make));
    describe("backup", () => backupLaws(make));
  });
}
