/** The first seed's case (DESIGN 8): what an agent left that was killed in the middle of a sync. */
import { describe, expect, it } from "vitest";
import { type Case, groupOf, judge, rulesOf } from "../../../test/support/triage-facts.ts";
import type { OperationFact } from "../facts/known/triage-facts.ts";

const PRE_COMMIT = `repos:
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: v0.14.7
    hooks:
      - id: ruff
  - repo: local
    hooks:
      - id: mypy
`;
const makefile = (word: string): string =>
  Array.from({ length: 20 }, (_, at) => `${word}${at}:\n\techo ${word}\n`).join("");

const OPEN: OperationFact = {
  id: "op1",
  label: "sync config with the template",
  state: "open",
  paths: [".pre-commit-config.yaml", "Makefile", "packages/**"],
  beganSeq: 5,
  endedSeq: null,
  source: "record",
};

const seed: Case = {
  head: {
    ".pre-commit-config.yaml": PRE_COMMIT,
    Makefile: makefile("old"),
    "packages/gptmail": { link: "../gptme-contrib/packages/gptmail" },
    "journal/2026-04-16.md": "# Journal\n\nMorning.\n",
    "state/queue-manual.md": "# Queue\n\n- [ ] one\n- [ ] two\n",
    ".bashrc": "alias ll='ls -l'\n",
  },
  now: {
    ".pre-commit-config.yaml": PRE_COMMIT.replace("v0.14.7", "v0.6.9"),
    Makefile: makefile("new"),
    "packages/gptmail": null,
    "packages/gptmail/pyproject.toml": '[project]\nname = "gptmail"\n',
    "packages/gptmail/src/mail.py": "def send():\n    return 1\n",
    "journal/2026-04-16.md": "# Journal\n\nMorning.\n\nWorked on the sync.\n",
    "state/queue-manual.md": "# Queue\n\n- [x] one\n- [ ] two\n",
    ".bashrc": "alias ll='ls -la'\n",
  },
  facts: { operations: [OPEN] },
};

describe("the first seed's case", () => {
  it("calls journal and queue safe, config, Makefile and the link risky, and never commits one half of the link (S3, S4)", async () => {
    const groups = await judge(seed);
    expect(groupOf(groups, "journal/2026-04-16.md")).toMatchObject({ verdict: "safe" });
    expect(groupOf(groups, "state/queue-manual.md")).toMatchObject({ verdict: "safe" });
    const risky = groupOf(groups, "Makefile");
    expect(risky.verdict).toBe("risky");
    expect(risky.changes.map(({ change }) => change.path)).toEqual([
      ".pre-commit-config.yaml",
      "Makefile",
      "packages/gptmail",
    ]);
    expect(rulesOf(risky)).toEqual(
      expect.arrayContaining([
        "open-operation",
        "type-change",
        "downgrade",
        "rewrite",
        "config",
        "judge-changed",
      ]),
    );
    expect(groups.flatMap(({ changes }) => changes.map(({ change }) => change.path))).not.toContain(
      "packages/gptmail/src/mail.py",
    );
  });

  it("calls the dotfiles unknown: nothing speaks against them, nothing for them (S3)", async () => {
    const group = groupOf(await judge(seed), ".bashrc");
    expect(group.verdict).toBe("unknown");
    expect(rulesOf(group)).toEqual(["no-evidence"]);
  });

  it("says of a long journal and a long queue why they are safe, and nothing that contradicts it (T1)", async () => {
    const journal = `# Journal\n\n${"Worked on this and that, and wrote it down.\n\n".repeat(20)}`;
    const queue = `# Queue\n\n${Array.from({ length: 30 }, (_, at) => `- [ ] task ${at}\n`).join("")}`;
    const groups = await judge({
      head: { "journal/a.md": journal, "state/queue.md": queue },
      now: {
        "journal/a.md": `${journal}## Evening\n\n- Done:\n`,
        "state/queue.md": queue.replace("- [ ] task 29\n", ""),
      },
    });
    expect(rulesOf(groupOf(groups, "journal/a.md"))).toEqual(["append-only"]);
    expect(rulesOf(groupOf(groups, "state/queue.md"))).toEqual(["record-update"]);
  });

  it("taints everything but journal and queue when the operation named no paths", async () => {
    const groups = await judge({ ...seed, facts: { operations: [{ ...OPEN, paths: null }] } });
    expect(groupOf(groups, ".bashrc").verdict).toBe("risky");
    expect(groupOf(groups, "journal/2026-04-16.md").verdict).toBe("safe");
    expect(groupOf(groups, "state/queue-manual.md").verdict).toBe("safe");
  });

  it("gives the same ids for the same work, and another where a byte differs (J3)", async () => {
    const ids = (await judge(seed)).map(({ id }) => id);
    expect((await judge(seed)).map(({ id }) => id)).toEqual(ids);
    const other = await judge({ ...seed, now: { ...seed.now, ".bashrc": "alias ll='ls'\n" } });
    expect(groupOf(other, ".bashrc").id).not.toBe(groupOf(await judge(seed), ".bashrc").id);
    expect(groupOf(other, "Makefile").id).toBe(groupOf(await judge(seed), "Makefile").id);
  });
});
