/** Thirty deaths as facts: every cause, one to many open calls, operations, verdicts, and texts of every size. */
import type { BriefCall, BriefFacts, BriefGroup, BriefOperation } from "../../src/handoff/brief-facts.ts";

export interface Death {
  readonly title: string;
  readonly facts: BriefFacts;
  /** What the brief must name whatever its budget: sentences of ours that nothing else of it can contain. */
  readonly mustName: readonly string[];
  /** And what from 2,000 tokens on. */
  readonly mustNameInFull: readonly string[];
}

const CAUSES = ["timeout", "signal", "crash", "oom", "reboot", "lost", "unknown"] as const;

const COMMANDS: readonly (readonly [tool: string, command: string, check: string | null])[] = [
  ["shell", "git push origin main", "git fetch && git status -sb"],
  ["bash", "docker restart gateway", "docker ps -a"],
  ["terminal", "terraform apply -auto-approve", "terraform plan"],
  ["run", "npm publish", "npm view . version"],
  ["edit_file", "src/server/session-registry.ts", null],
];

const LABELS = ["migrate the users table", "rename the package", "release 2.4.0"] as const;

const call = (n: number, at: number): BriefCall => {
  const [tool, command, check] = COMMANDS[(n + at) % COMMANDS.length] ?? ["shell", "true", null];
  const effect = n % 7 === 3 ? "idempotent" : "unknown";
  return { id: `call-${n}-${at}`, tool, input: { command }, status: "unknown-outcome", effect, check };
};

const operation = (n: number): BriefOperation => ({
  id: `op-${n}`,
  label: LABELS[n % LABELS.length] ?? "work",
  state: n % 5 === 4 ? "aborted" : "open",
  paths: n % 2 === 0 ? ["db/**", "src/models/**"] : [],
});

const VERDICTS = ["risky", "unknown", "safe"] as const;

function groups(n: number): BriefGroup[] {
  const many = [1, 3, 12, 150][n % 4] ?? 1;
  return Array.from({ length: many }, (_, at) => ({
    id: `g${n.toString(36)}${at.toString(36).padStart(4, "0")}`,
    verdict: VERDICTS[at % VERDICTS.length] ?? "unknown",
    reasons: [
      { rule: "open-call", message: "written during a call without a result" },
      { rule: "rewrite", message: "most of the file was replaced" },
    ],
    changes: Array.from({ length: 1 + (at % 20) }, (_path, i) => ({
      path: `packages/part-${at}/src/module-${i}.ts`,
      kind: "modified",
      owner: "session",
    })),
  }));
}

const lineOf = (n: number): string => `step ${n}: writing migration 00${n}_users.sql`;

function lastOutput(n: number): string {
  const lines = [1, 5, 60][n % 3] ?? 1;
  return [
    ...Array.from({ length: lines - 1 }, (_, at) => `compiled ${at} of ${lines} modules`),
    lineOf(n),
  ].join("\n");
}

const callLine = ({ tool, input }: BriefCall): string =>
  `- \`${tool}\`: \`${(input as { command: string }).command}\`. `;

function verdictLine(own: readonly BriefGroup[]): string {
  const of = (wanted: string): string[] => {
    const many = own.filter(({ verdict }) => verdict === wanted).length;
    return many === 0 ? [] : [`${many} ${wanted}`];
  };
  const groups = own.length === 1 ? "1 group" : `${own.length} groups`;
  return `${groups} of changes: ${VERDICTS.flatMap(of).join(", ")}.`;
}

function death(n: number): Death {
  const calls = Array.from({ length: 1 + (n % 3) }, (_, at) => call(n, at));
  const own = groups(n);
  const done = operation(n);
  const last = calls.at(-1) as BriefCall;
  const cause = CAUSES[n % CAUSES.length] ?? "unknown";
  const facts: BriefFacts = {
    session: {
      id: `7k2m9q4xbcd0e1f2g${String(n).padStart(3, "0")}`,
      name: null,
      agent: "claude",
      workspace: "/srv/repo",
      state: n % 6 === 5 ? "suspended" : "interrupted",
      unsettled: true,
      cause,
      attempt: 1 + (n % 4),
      last_attempt: 1 + (n % 4),
      dirty_ends: n % 4,
      last_at: "2026-11-15T05:19:44.111Z",
    },
    goal: n % 4 === 0 ? `Move users to the new table.\n${"Keep every address. ".repeat(60)}` : "Move users",
    last_output: lastOutput(n),
    turn: { id: "t1", outcome: "interrupted", started_at: "2026-11-15T05:10:00.000Z", input: "go on" },
    calls,
    operations: [
      done,
      ...Array.from({ length: n % 8 }, (_, at) => ({
        id: `past-${at}`,
        label: `earlier work ${at}`,
        state: "ended" as const,
        paths: [],
      })),
    ],
    groups: own,
    claims_contradicted:
      n % 3 === 0
        ? [{ claim: "tests-pass", said: "All tests pass.", evidence: "the last test call failed" }]
        : [],
    leftovers: n % 5 === 0 ? [{ pid: 4123, command: "node watch.js" }] : [],
    steps: [
      { id: "1", name: "Requirements", status: "complete", sub_step: null },
      { id: "2", name: "Architecture", status: "in_progress", sub_step: "phase_2_waf" },
    ],
    decisions: Array.from({ length: n % 12 }, (_, at) => ({
      key: `choice ${at}`,
      value: "postgres",
      reason: "one server fewer to run",
      step: "2",
    })),
    waiting: n % 2 === 0 ? [{ from: "chat", text: "And write the changelog" }] : [],
    done: [{ at: "2026-11-15T05:20:00.000Z", text: "settled 1 open call as unknown" }],
    base: { head: "9f1c2e7a40b1", branch: "feature/users" },
    next: ["refloat inspect", "refloat settle", "refloat resume"],
  };
  const mustName = [
    callLine(last),
    `- \`${done.label}\` was ${done.state === "open" ? "begun and never ended" : "given up"}`,
    lineOf(n),
    verdictLine(own),
    `# Handoff: session \`${facts.session.id}\``,
  ];
  const mustNameInFull = calls.map(callLine);
  return {
    title: `death ${n}: ${cause} in ${last.tool}, ${own.length} groups`,
    facts,
    mustName,
    mustNameInFull,
  };
}

export const DEATHS: readonly Death[] = Array.from({ length: 30 }, (_, n) => death(n));
