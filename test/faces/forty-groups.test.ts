/**
 * Forty groups as `inspect` shows them at 80 columns, kept whole: each must be understood by somebody who knows only the screen (T1).
 * What a line says is changed on purpose or not at all: `npx vitest run test/faces/forty-groups.test.ts -u`, and read it.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { groupsLines } from "../../src/cli/commands/manifest/groups-lines.ts";
import { styleFor } from "../../src/cli/screen/style.ts";
import type { Manifest } from "../../src/model/manifest.ts";
import { displayWidth } from "../../src/text/width.ts";
import type { Group } from "../../src/triage/verdict/group.ts";
import { judge } from "../support/triage-facts.ts";
import { FORTY } from "./forty-groups.ts";

const COLUMNS = 80;

const manifestOf = (groups: readonly Group[]) =>
  ({
    groups: groups.map(({ id, verdict, reasons, changes }) => ({
      ...{ id, verdict, reasons },
      changes: changes.map(({ change, owner }) => ({
        ...{ path: change.path, kind: change.kind, from: change.from, to: change.to },
        ...{ owner: owner.owner, owner_evidence: [] },
      })),
    })),
    gaps: [],
    base: { head: "0", branch: "main" },
  }) as unknown as Manifest;

async function screens(): Promise<{ title: string; groups: Group[]; lines: readonly string[] }[]> {
  const all = [];
  for (const [title, given] of Object.entries(FORTY)) {
    const groups = await judge(given);
    const { lines } = groupsLines(
      { style: styleFor(false), columns: COLUMNS, isAll: false },
      manifestOf(groups),
    );
    all.push({ title, groups, lines });
  }
  return all;
}

it("are forty, each within 80 columns, the same as when they were read last", async () => {
  const all = await screens();
  expect(all).toHaveLength(40);
  const text = all.map(({ title, lines }) => [`# ${title}`, ...lines.slice(1), ""].join("\n")).join("\n");
  for (const line of text.split("\n")) expect(displayWidth(line), line).toBeLessThanOrEqual(COLUMNS);
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, "forty-groups.txt"));
});

it("say nothing that speaks for safe below a risky group, and nothing in a parser's words", async () => {
  for (const { title, groups, lines } of await screens())
    for (const { verdict, reasons } of groups) {
      expect(reasons.length, title).toBeGreaterThan(0);
      if (verdict !== "safe")
        expect(
          reasons.map(({ weight }) => weight),
          title,
        ).not.toContain("safe");
      expect(lines.join("\n"), title).not.toMatch(/ of #|_declaration|_item|Declaration/);
    }
});
