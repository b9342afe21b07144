/** Who said that it is done, who saw it, and what neither of them shows (S3, L7, T2). */
import { describe, expect, it } from "vitest";
import {
  type Case,
  COMPLETED,
  ENDED,
  EXITED,
  groupOf,
  judge,
  rulesOf,
} from "../../../test/support/triage-facts.ts";
import type { SaidFact, TriageFacts } from "../facts/known/triage-facts.ts";
import type { Group } from "../verdict/group.ts";

/** The first seed's own: two small modules, the second takes the first. */
const FEATURE = {
  "src/f1.js": "export function double(x) {\n  const y = x * 2;\n  return y + 1;\n}\n",
  "src/f1b.js":
    'import { double } from "./f1.js";\n\nexport function more(x) {\n  return double(x) + 2;\n}\n',
};
const PIECE = { ...ENDED, paths: ["src/f1*.js"] };
const feature = (facts: Partial<TriageFacts>, more: Partial<Case> = {}): Case => ({
  head: { "package.json": '{ "type": "module" }\n' },
  now: FEATURE,
  facts,
  ...more,
});
const everywhere = { "src/f1.js": ["op"], "src/f1b.js": ["op"] };
const ofCode = (groups: readonly Group[]): Group => groupOf(groups, "src/f1.js");
const EDIT: Case = {
  head: { "src/a.js": "exports.a = 1;\n" },
  now: { "src/a.js": "exports.a = 2;\n" },
};

describe("an ended operation", () => {
  it("is a witness: whole modules that its end's capture has byte by byte are safe, and nothing doubts their ends (S3)", async () => {
    const group = ofCode(await judge(feature({ operations: [PIECE] }, { seenAtEnds: everywhere })));
    expect(group.verdict).toBe("safe");
    expect(rulesOf(group)).toEqual(["closed-and-sound"]);
    expect(group.reasons[0]?.message).toContain("operation ended");
  });

  it("is none where nobody waited for a capture with these bytes: the doubt stays (S3)", async () => {
    for (const seenAtEnds of [{}, { "src/f1.js": ["op"] }, { "src/f1.js": ["x"], "src/f1b.js": ["x"] }]) {
      const group = ofCode(await judge(feature({ operations: [PIECE] }, { seenAtEnds })));
      expect([group.verdict, rulesOf(group)]).toEqual(["unknown", ["open-end"]]);
    }
  });

  it("closes what its capture has, wherever later captures lie; what was written after it is nobody's word", async () => {
    const later = { fromSeq: 10, toSeq: 35, call: null };
    const writes = { "src/f1.js": [later], "src/f1b.js": [later] };
    const seen = await judge(feature({ operations: [PIECE] }, { writes, seenAtEnds: everywhere }));
    expect(ofCode(seen).verdict).toBe("safe");
    const unseen = ofCode(await judge(feature({ operations: [PIECE] }, { writes })));
    expect(unseen.verdict).toBe("unknown");
    expect(rulesOf(unseen)).not.toContain("closed-and-sound");
  });

  it.each(["open", "aborted"] as const)(
    "that is %s stays risky, whatever any capture has (S3)",
    async (state) => {
      const operations = [{ ...PIECE, state, endedSeq: state === "open" ? null : 30 }];
      const group = ofCode(await judge(feature({ operations }, { seenAtEnds: everywhere })));
      expect([group.verdict, rulesOf(group)[0]]).toEqual(["risky", "open-operation"]);
    },
  );

  it("takes away only the doubt about the end: a name that nothing defines, a stub and a reference that leads nowhere stay", async () => {
    const seenAtEnds = { "src/f1.js": ["op"], "src/f1b.js": ["op"] };
    const withFile = (text: string): Case =>
      feature({ operations: [PIECE] }, { now: { ...FEATURE, "src/f1b.js": text }, seenAtEnds });
    const undefinedName = FEATURE["src/f1b.js"].replace("+ 2", "+ rest");
    expect(rulesOf(ofCode(await judge(withFile(undefinedName))))).toContain("loose-names");
    const stub = `${FEATURE["src/f1b.js"]}\nexport function most(x) {\n  throw new Error("not implemented");\n}\n`;
    expect(rulesOf(ofCode(await judge(withFile(stub))))).toContain("unfinished");
    const broken = FEATURE["src/f1b.js"].replaceAll("./f1.js", "./f2.js");
    expect((await judge(withFile(broken))).map(({ verdict }) => verdict)).toContain("risky");
  });

  it("does not hide what the bytes say by themselves: code that nothing closes in a text, links and functions that are gone", async () => {
    const judged = async (path: string, before: string, after: string) => {
      const given = { head: { [path]: before }, now: { [path]: after }, seenAtEnds: { [path]: ["op"] } };
      const [group] = await judge({ ...given, facts: { operations: [ENDED] } });
      return [group?.verdict, group && rulesOf(group)];
    };
    const page = "# A\n\nOne.\n\nTwo.\n";
    expect(await judged("a.md", page, `${page}\n## More\n\nThree.\n`)).toEqual([
      "safe",
      ["closed-and-sound"],
    ]);
    expect(await judged("a.md", page, `${page}\n## More\n\n\`\`\`sh\nmake it\n`)).toEqual([
      "unknown",
      ["open-end"],
    ]);
    const source = (last: string): string =>
      `exports.run = (list) => list.map((one) => help(one));\nexports.of = (help) => help;\n${last}`;
    const help = "function help(x) {\n  return x + 1;\n}\n";
    expect(await judged("a.js", source(help), source(""))).toEqual(["unknown", ["open-end"]]);
  });

  it("closes its own part of a group that several wrote, each its own", async () => {
    const operations = [
      { ...ENDED, id: "op1", paths: ["src/f1.js"], beganSeq: 5, endedSeq: 15 },
      { ...ENDED, id: "op2", paths: ["src/f1b.js"], beganSeq: 16, endedSeq: 30 },
    ];
    const writes = {
      "src/f1.js": [{ fromSeq: 4, toSeq: 14, call: null }],
      "src/f1b.js": [{ fromSeq: 17, toSeq: 29, call: null }],
    };
    const seenAtEnds = { "src/f1.js": ["op1", "op2"], "src/f1b.js": ["op2"] };
    const group = ofCode(await judge(feature({ operations }, { writes, seenAtEnds })));
    expect([group.verdict, group.changes.length]).toEqual(["safe", 2]);
  });
});

describe("a call that ended well and recorded all that it wrote", () => {
  it("saw the end of the file, and closes nothing by itself (S3)", async () => {
    const asWritten = Object.keys(FEATURE);
    const closed = ofCode(await judge(feature({ turns: [COMPLETED] }, { asWritten })));
    expect([closed.verdict, rulesOf(closed)]).toEqual(["safe", ["closed-and-sound"]]);
    const interrupted = { ...COMPLETED, outcome: "interrupted", endedBy: null } as const;
    expect(ofCode(await judge(feature({ turns: [interrupted] }, { asWritten }))).verdict).toBe("unknown");
  });
});

describe("an exit code", () => {
  it("is no word for code: nobody said that it is done, and what would tell is said (L7)", async () => {
    const [group] = await judge({ ...EDIT, facts: { turns: [EXITED] } });
    expect(group?.verdict).toBe("unknown");
    expect(group?.reasons.map(({ rule, message }) => [rule, message])).toEqual([
      [
        "no-evidence",
        "Nobody said that src/a.js is done: its agent only exited with 0. A check of yours would tell: `--verify 'COMMAND'`.",
      ],
    ]);
  });

  it("is none for configuration and manifests either, also of data that parses (L7)", async () => {
    const json = (version: string): string => `{\n  "name": "a",\n  "description": "${version}"\n}\n`;
    for (const path of ["package.json", "Cargo.toml", "app/requirements.txt"]) {
      const text = (one: string): string => (path === "package.json" ? json(one) : `# ${one}\n`);
      const given = { head: { [path]: text("one") }, now: { [path]: text("two") } };
      const [group] = await judge({ ...given, facts: { turns: [EXITED] } });
      expect(group?.verdict, path).not.toBe("safe");
    }
  });

  it("is enough for prose, as long as there is no code with it; data may be somebody's configuration, and is not told from it (L7)", async () => {
    const data = { "docs/a.md": "# B\n\nOne.\n", "README.md": "# A\n\nOne.\n" };
    const now = { "docs/a.md": "# B\n\nTwo.\n", "README.md": "# A\n\nTwo.\n" };
    const groups = await judge({ head: data, now, facts: { turns: [EXITED] } });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["safe", "safe"]);
    for (const path of ["config/prod.yaml", "settings.json", "k8s/d.yaml", "app.toml", "data/a.json"]) {
      const text = /json$/.test(path) ? '{"a": 1}\n' : /toml$/.test(path) ? "a = 1\n" : "a: 1\n";
      const changed = { head: { [path]: text }, now: { [path]: text.replace("1", "2") } };
      const [group] = await judge({ ...changed, facts: { turns: [EXITED] } });
      expect([path, group?.verdict]).not.toEqual([path, "safe"]);
    }
    const given = { head: { ...data, ...EDIT.head }, now: { ...now, ...EDIT.now } };
    const writes = Object.fromEntries(
      Object.keys(given.now).map((path) => [path, [{ fromSeq: 10, toSeq: 20, call: "c" }]]),
    );
    const mixed = await judge({ ...given, writes, facts: { turns: [EXITED] } });
    expect(mixed.map(({ verdict }) => verdict)).toEqual(["unknown"]);
  });

  it("does not take away what an ended operation says, nor the agent's own end record", async () => {
    const ended = await judge({ ...EDIT, facts: { operations: [ENDED], turns: [EXITED] } });
    const said = await judge({ ...EDIT, facts: { turns: [COMPLETED] } });
    expect([ended[0]?.verdict, said[0]?.verdict]).toEqual(["safe", "safe"]);
  });
});

describe("the agent's last words", () => {
  const said = (text: string, more: Partial<SaidFact> = {}): SaidFact => ({
    seq: 25,
    channel: "messages",
    text,
    ...more,
  });
  const judged = async (facts: Partial<TriageFacts>) => (await judge({ ...EDIT, facts }))[0] as Group;

  it("that work remains speak against safe, and are quoted (T2)", async () => {
    const group = await judged({ turns: [COMPLETED], said: [said("Edited a.js.\nStopping here for now.")] });
    expect(group.verdict).toBe("unknown");
    expect(group.reasons[0]).toMatchObject({
      rule: "work-remains",
      message: `The agent's last words say that work remains: "Stopping here for now."`,
    });
  });

  it("speak against an ended operation, too, where something is not done; not where it only goes on to the next", async () => {
    const facts = { operations: [ENDED], turns: [COMPLETED] };
    const left = await judged({ ...facts, said: [said("Two callers are left to do.")] });
    expect([left.verdict, rulesOf(left)]).toEqual(["unknown", ["work-remains"]]);
    const next = await judged({ ...facts, said: [said("Next I will do the second feature.")] });
    expect(next.verdict).toBe("safe");
    const untold = await judged({ turns: [COMPLETED], said: [said("Next I will do the callers.")] });
    expect(untold.verdict).toBe("unknown");
  });

  it("are those after the work: what it announced and then did, and what it said in another turn, are none", async () => {
    const before = await judged({ turns: [COMPLETED], said: [said("Next I will edit a.js.", { seq: 9 })] });
    expect(before.verdict).toBe("safe");
    const second = { ...COMPLETED, id: "t2", startedSeq: 41, endedSeq: 60 };
    const other = await judged({
      turns: [COMPLETED, second],
      said: [said("Done."), said("Not finished yet.", { seq: 50 })],
    });
    expect(other.verdict).toBe("safe");
  });

  it("do not touch an append to a journal, which needs no word", async () => {
    const facts = { turns: [EXITED], said: [said("Stopping here for now.", { channel: "stdout", seq: 39 })] };
    const [group] = await judge({
      head: { "journal/log.md": "one\n" },
      now: { "journal/log.md": "one\ntwo\n" },
      facts,
    });
    expect([group?.verdict, group && rulesOf(group)]).toEqual(["safe", ["append-only"]]);
  });
});

describe("a check that passes", () => {
  /** Judged again with what the check said of each group. */
  async function checked(given: Case): Promise<Group[]> {
    const groups = new Map((await judge(given)).map(({ id }) => [id, "passed"] as const));
    const verify = { command: "make test", head: "passed", groups, clashing: [] } as const;
    return judge({ ...given, facts: { ...given.facts, verify } });
  }

  it("is the witness that an exit code is not: nobody's word and an open end are no longer doubted (S3)", async () => {
    const group = ofCode(await checked(feature({ turns: [EXITED] })));
    expect([group.verdict, rulesOf(group)]).toEqual(["safe", ["verified"]]);
  });

  it("proves no end of what nobody said is done: a killed agent's file stays doubted (S3)", async () => {
    for (const turns of [[], [{ ...COMPLETED, outcome: "interrupted", endedBy: null } as const]]) {
      const group = ofCode(await checked(feature({ turns })));
      expect([group.verdict, rulesOf(group)]).toEqual(["unknown", ["open-end"]]);
    }
  });

  it("takes no other doubt away, and not what the agent says itself (T2)", async () => {
    const facts = { turns: [COMPLETED], said: [{ seq: 25, channel: "messages", text: "Not finished yet." }] };
    const group = ofCode(await checked(feature(facts)));
    expect([group.verdict, rulesOf(group)]).toEqual(["unknown", ["work-remains", "open-end"]]);
  });
});

describe("the agent's own plan (T2)", () => {
  const left = (seq: number, ...named: string[]) => ({ seq, left: named.length, named });
  const planned = (...plans: readonly ReturnType<typeof left>[]): Case => ({
    ...EDIT,
    facts: { turns: [COMPLETED], plans },
  });

  it("with everything done leaves the word of a completed turn as it is", async () => {
    const [group] = await judge(planned(left(5, "write a", "write b"), left(30)));
    expect([group?.verdict, group && rulesOf(group)]).toEqual(["safe", ["closed-and-sound"]]);
  });

  it("with items left takes the word away, and says which", async () => {
    const [group] = await judge(
      planned(left(30), { seq: 35, left: 4, named: ["write b", "the docs", "a test"] }),
    );
    expect([group?.verdict, group && rulesOf(group)]).toEqual(["unknown", ["open-plan"]]);
    expect(group?.reasons[0]?.message).toBe(
      'The agent\'s plan still had 4 items to do: "write b", "the docs", "a test" and 1 more.',
    );
  });

  it("of a later turn says nothing of what was closed before it", async () => {
    const [group] = await judge(planned(left(30), left(50, "something else")));
    expect(group?.verdict).toBe("safe");
  });

  it("is about other work where an ended operation closes the group", async () => {
    const facts = { operations: [ENDED], turns: [COMPLETED], plans: [left(30, "the rest")] };
    const [group] = await judge({ ...EDIT, facts });
    expect([group?.verdict, group && rulesOf(group)]).toEqual(["safe", ["closed-and-sound"]]);
  });

  it("gives way to the user's check, as the other doubts about the word do", async () => {
    const [first] = await judge(planned(left(30, "the rest")));
    const verify = {
      command: "make test",
      head: "passed" as const,
      groups: new Map([[first?.id ?? "", "passed" as const]]),
      clashing: [],
    };
    const facts = { turns: [COMPLETED], plans: [left(30, "the rest")], verify };
    expect((await judge({ ...EDIT, facts }))[0]?.verdict).toBe("safe");
  });

  it("L7: an end that only reads like one closes nothing, not even prose", async () => {
    const prose = { head: { "a.txt": "a\n" }, now: { "a.txt": "b\n" } };
    for (const [endedBy, verdict] of [
      ["agent", "safe"],
      ["exit", "safe"],
      ["inferred", "unknown"],
    ] as const)
      expect((await judge({ ...prose, facts: { turns: [{ ...COMPLETED, endedBy }] } }))[0]?.verdict).toBe(
        verdict,
      );
  });
});
