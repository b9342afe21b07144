/** The pages and the judge have one list of the doubts that a check answers (S3, T2). */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ANSWERED_BY_CHECK } from "./table.ts";

it.each(["triage.md", "triage-rules.md"])("%s lists them all, in its sentence about the check", (name) => {
  const page = readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
  const [said = ""] =
    /Your check \(`--verify`\) is a witness[\s\S]*?\. Of work|Your check[\s\S]*?\. Work/.exec(page) ?? [];
  expect([...said.matchAll(/`([a-z]+-[a-z-]+)`/g)].map(([, slug]) => slug)).toEqual(ANSWERED_BY_CHECK);
});
