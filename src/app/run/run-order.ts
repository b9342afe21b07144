/** What a run is told to do, what it gives back, and what a face gives it: the agent's streams, and ears for what happens. */
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Owner } from "../../model/owner.ts";
import { selfOwner } from "../../platform/identity.ts";
import { findProgram } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Agent } from "../../supervise/agent.ts";
import type { Difference } from "../../supervise/decide-resume.ts";
import { genericAgent } from "../../supervise/generic-agent.ts";
import { LimitReader } from "../../supervise/limit-reader.ts";
import type { RunReport } from "../../supervise/run-report.ts";
import type { Streams } from "../../supervise/running-agent.ts";
import { type AgentLife, type Limits, WARN_SIGNAL } from "../../supervise/supervise.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { AppNews } from "../telling/news.ts";
import type { BringTranscriptEnd } from "./bring-transcript.ts";
import type { CommitAt } from "./commit-ended.ts";

export interface RunOrder {
  readonly command: readonly string[];
  /** As it was typed, where the brief is filled in; left out: as it is. */
  readonly typed?: readonly string[];
  /** The file found for its first word. */
  readonly file: string;
  readonly place: string;
  readonly home: string;
  readonly agent: Agent;
  readonly owner: Owner;
  readonly name: string | null;
  readonly ifBusy: "fail" | "wait" | "skip";
  readonly limits: Limits;
  /** The store as the user named it for this run; null: by his environment, or not at all. */
  readonly store: string | null;
  /** Added to the agent's environment. */
  readonly childEnv?: Readonly<Record<string, string>>;
  /** What it speaks on its pipes, which is heard as it passes; left out: as its adapter says, if it has one. */
  readonly protocol?: "acp";
  /** The tree may be older than what was left in it: it is taken as it is. */
  readonly acceptsOlder?: boolean;
  /** Goes on with this session, as its next attempt; left out: a new one. */
  readonly resumes?: ResumedSession;
  /** Its session is begun and claimed already, by whoever orders this, in the owner's name; left out: it is begun here. */
  readonly begun?: { readonly session: SessionId; readonly attempt: number };
  /** Of a loop, read once before its first session (T2); left out: as the config says before this one. */
  readonly commitAt?: CommitAt;
  /** As it was typed; null: none is asked for. */
  readonly bundle: { readonly folder: string; readonly isRaw: boolean } | null;
}

/** As it was when the tree was made ready in which it goes on, and when it was last looked whether it may: what came since is seen at its claim. */
export interface ResumedSession {
  readonly tree: SessionRow;
  readonly looked: SessionRow;
}

export interface RunOutcome {
  readonly exitCode: number;
  readonly report: RunReport;
}

/** What happens before, while and after an agent runs, for whoever watches. */
export type RunNews =
  /** What is ended and recovered before it starts. */
  | AppNews
  /** Of a session that is gone on with: what is not as it was there, and the command it is started by. */
  | { readonly kind: "differs"; readonly difference: Difference }
  | { readonly kind: "goes-on"; readonly session: SessionId; readonly typed: readonly string[] }
  /** Its agent does not go on with a conversation of a folder that was moved: a new one is begun, with the brief. */
  | { readonly kind: "begun-anew"; readonly agent: string; readonly movedFrom: string }
  /** Its conversation was on another machine: it was put here, or not, and then a new one is begun, with the brief (W8). */
  | { readonly kind: "brought"; readonly agent: string; readonly by: BringTranscriptEnd }
  /** What it is started by has no place for the brief: its model does not get it. */
  | { readonly kind: "brief-not-given"; readonly session: SessionId; readonly agent: string }
  /** A sentence of the supervisor's own. */
  | { readonly kind: "said"; readonly line: string }
  /** Of the notice at its start, a line with a command in it. */
  | { readonly kind: "noticed"; readonly line: string }
  | { readonly kind: "notice-failed"; readonly error: Error }
  /** The config that would ask for commits as it goes cannot be read. */
  | { readonly kind: "commits-nothing"; readonly error: Error }
  | { readonly kind: "taken-over"; readonly error: Error }
  | { readonly kind: "step-lost"; readonly file: string; readonly step: string; readonly by: string }
  | { readonly kind: "no-terminal"; readonly why: string }
  | { readonly kind: "bundle-failed"; readonly error: Error }
  | { readonly kind: "bundle-gaps"; readonly folder: string; readonly gaps: number }
  | { readonly kind: "committed-as-it-went"; readonly commits: number; readonly last: string }
  | {
      readonly kind: "cut-off";
      readonly session: SessionId;
      readonly cause: AgentLife["end"]["cause"];
      /** It died of our own warning, by this signal. */
      readonly warnedBy: NodeJS.Signals | null;
    }
  | { readonly kind: "limit-waits"; readonly untilMs: number; readonly ms: number }
  | { readonly kind: "limit-left"; readonly leftMs: number }
  /** Somebody asked for the end before the limit's was there. */
  | { readonly kind: "limit-unwaited" };

export interface RunFace {
  /** Ours, which the agent gets. */
  readonly streams: Streams;
  /** Nobody is there to type, and several agents may run: each gets an input that is at its end. */
  readonly isUnattended?: true;
  tell(news: RunNews): void;
  /** The agent has the terminal: what is told meanwhile waits until it has left it. */
  hold(): void;
  release(): void;
}

/** Where a system kills soon after it asked: most CI systems give 7.5 to 10 s. */
const CI_DRAIN_MS = 6000;
const DRAIN_MS = 20_000;

/** A CI gives a job little time to end. It says so by `CI`, whatever the value; `false` and `0` say no. */
const usualDrainMs = (env: NodeJS.ProcessEnv): number =>
  ["", "0", "false"].includes(env.CI ?? "") ? DRAIN_MS : CI_DRAIN_MS;

/** What is said of a run by whoever orders it; left out or null: as usual. */
export interface AskedRun extends Pick<RunOrder, "command" | "place" | "store"> {
  readonly agent: string;
  readonly name?: string | null;
  readonly ifBusy?: RunOrder["ifBusy"];
  readonly acceptsOlder?: boolean;
  readonly bundle?: RunOrder["bundle"];
  readonly timeoutMs?: number | null;
  readonly warnMs?: number | null;
  readonly warnSignal?: NodeJS.Signals | null;
  readonly drainMs?: number | null;
  /** How its user says that it tells of a usage limit: a line of its output with this text, this exit code. */
  readonly limit?: { readonly text: string | null; readonly code: number | null };
  /** Whose name its claim is in. */
  readonly owner: "refloat run" | "refloat resume" | "refloat acp" | "refloat worker";
}

export async function runOrder(at: AppPlace, asked: AskedRun): Promise<RunOrder> {
  const { command, place, store, agent, limit, owner } = asked;
  const text = limit?.text ?? null;
  return {
    ...{ command, place, store },
    file: programOf(command, place, at.env),
    home: await at.home(),
    agent: genericAgent(agent, {
      reader: () => (text === null ? null : new LimitReader(text)),
      code: limit?.code ?? null,
    }),
    owner: selfOwner(owner),
    name: asked.name ?? null,
    ifBusy: asked.ifBusy ?? "fail",
    acceptsOlder: asked.acceptsOlder ?? false,
    bundle: asked.bundle ?? null,
    limits: {
      timeoutMs: asked.timeoutMs ?? null,
      warnMs: asked.warnMs ?? null,
      warnSignal: asked.warnSignal ?? WARN_SIGNAL,
      drainMs: asked.drainMs ?? usualDrainMs(at.env),
    },
  };
}

/** The file of a command's first word, as the shell would find it. */
export function programOf(command: readonly string[], place: string, env: NodeJS.ProcessEnv): string {
  const [program = ""] = command;
  const found = findProgram(program, place, env);
  switch (found.kind) {
    case "found":
      return found.path;
    case "not-found":
      throw new RefloatError("E_RUN_NOT_FOUND", { program });
    case "not-executable":
      throw new RefloatError("E_RUN_NOT_EXECUTABLE", { program, why: found.why });
    default:
      return found satisfies never;
  }
}
