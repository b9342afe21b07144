/**
 * `init`: finds the agents of this user and has their own files call us, so that sessions are kept however an agent is started. Everything
 * is planned and shown first; each file's note in the ledger is on disk before the file changes, so that `uninstall` gives back the very
 * bytes, and a kill in the middle is finished by the next of the two. A session's own process may look, not change (T2).
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installedVersion, type UntriedVersion, untriedVersion } from "../../agents/agent-version.ts";
import { ownCommand, ownProgram, pluginText, sharedCommand } from "../../agents/install/commands.ts";
import { openLedger } from "../../agents/install/ledger.ts";
import { type PlannedFile, planInstall } from "../../agents/install/plan-file.ts";
import { SHELLS, type ShellName, shellFile, shellForm } from "../../agents/install/shell-lines.ts";
import { AGENTS, agentNamed } from "../../agents/registry.ts";
import type { AgentAdapter, AgentHome } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import type { InstallPlace, InstallScope } from "../../agents/words/install.ts";
import { RefloatError } from "../../model/errors.ts";
import { type CompiledCode, compiledCode } from "../../platform/compiled-code.ts";
import { builtFile } from "../../platform/own-files.ts";
import { findProgram } from "../../platform/places.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { applyFile, isRecorderNew, putRecorder, type RefusedFile } from "./install-files.ts";
import { inTurn, looked } from "./install-turn.ts";
import { keepCompiledHere } from "./keep-compiled.ts";
import { onlyIgnored, repositoryHere } from "./repository-files.ts";

export interface InitOrder {
  /** As typed; empty: every one that is found. */
  readonly agents: readonly string[];
  readonly scope: InstallScope;
  readonly shell: boolean;
  /** Whether this build serves MCP. */
  readonly hasServer: boolean;
  readonly isDryRun: boolean;
  /** Throws where nobody can be asked. */
  readonly ask: (plan: InitPlan) => Promise<"yes" | "no">;
}

export interface InitPlan {
  readonly home: string;
  readonly scope: InstallScope;
  readonly isRecorderNew: boolean;
  readonly files: readonly PlannedFile[];
  /** Agents it is for, by name; and what only the user can do. */
  readonly agents: readonly AgentNews[];
  /** Known, and not found on this machine. */
  readonly absent: readonly string[];
  /** refloat was fetched for this start only: nothing may point at it. */
  readonly isPassing: boolean;
  /** What the recorder holds work trees with before a destructive command. */
  readonly hasPerl: boolean;
  /** `--shell` was asked for, and there is none that we know. */
  readonly isShellUnknown: boolean;
  /** The program's own code as this Node compiles it, beside it. */
  readonly compiled: CompiledCode;
}

export interface AgentNews {
  readonly name: string;
  readonly title: string;
  readonly afterwards: readonly string[];
  /** It is newer than what was tried; null: it is not, or where it lies does not say. */
  readonly untried: UntriedVersion | null;
}

export type EndedInit =
  | { readonly kind: "planned" | "nothing" | "declined"; readonly plan: InitPlan }
  /** `refused`: changed by somebody since they were looked at; nothing was done to these. */
  | { readonly kind: "done"; readonly plan: InitPlan; readonly refused: readonly RefusedFile[] };

export async function init(at: AppPlace, order: InitOrder): Promise<EndedInit> {
  const home = await at.home();
  const plan = await looked(at.clock, home, () => planInit(at, order));
  const isNothing =
    !plan.isRecorderNew &&
    plan.compiled.kind !== "missing" &&
    plan.files.every(({ kind }) => kind !== "change");
  if (isNothing) return { kind: "nothing", plan };
  if (order.isDryRun) return { kind: "planned", plan };
  await assertNotJudged(at.env, null, "set up hooks");
  if ((await order.ask(plan)) === "no") return { kind: "declined", plan };
  return inTurn(at.clock, home, async () => {
    const now = await planInit(at, order);
    const refused = apply(now);
    return { kind: "done", plan: now, refused: [...refused, ...keepCompiledHere(now.compiled)] };
  });
}

function apply({ home, files, isPassing }: InitPlan): readonly RefusedFile[] {
  const ledger = openLedger(home);
  // First what is called, then who calls it.
  putRecorder(home, isPassing);
  return files.flatMap((file) => {
    if (file.kind !== "change") return [];
    ledger.keep(file.note, file.original);
    return applyFile(file);
  });
}

async function planInit(at: AppPlace, order: InitOrder): Promise<InitPlan> {
  const where = agentHome(at.env);
  const home = await at.home();
  const chosen = chosenAgents(order.agents, where, at);
  if (chosen.length === 0) throw new RefloatError("E_NO_AGENT_HERE", { agents: titles(installable()) });
  const repository = order.scope === "user" ? null : await repositoryHere(at);
  const root = repository?.root ?? where.home;
  const program = ownProgram(fileURLToPath(builtFile("cli/bin.js")), at.place(), at.env);
  const server = order.hasServer && program !== null ? ([program, "mcp"] as const) : null;
  const place = (agent: AgentAdapter): InstallPlace => ({
    ...{ where, root, scope: order.scope, server },
    command: (event) =>
      order.scope === "shared" ? sharedCommand(agent.name, event) : ownCommand(home, agent.name, event),
    ownFile: (name) =>
      pluginText(order.scope === "shared" ? null : [home], [packaged("inbox-writer.js"), packaged(name)]),
  });
  const ledger = openLedger(home);
  const inside = repository?.root ?? null;
  const files = chosen.flatMap((agent) =>
    (agent.install?.files(place(agent)) ?? []).map((file) =>
      planInstall(file, { agent: agent.name, scope: order.scope }, { ledger, inside }),
    ),
  );
  const ignored =
    repository && order.scope === "repo" ? await onlyIgnored(repository, files, at.place()) : files;
  const shell = order.shell && program !== null ? shellFiles(where, program, chosen, home) : [];
  return {
    ...{ home, scope: order.scope, isRecorderNew: isRecorderNew(home, program === null) },
    files: [...ignored, ...shell],
    agents: chosen.map((agent) => ({
      ...{ name: agent.name, title: agent.title, afterwards: agent.install?.afterwards?.[order.scope] ?? [] },
      untried: untriedVersion(agent, installedVersion(agent, { place: at.place(), env: at.env })),
    })),
    absent: installable()
      .filter((agent) => !chosen.includes(agent) && !isHere(agent, where, at))
      .map(({ title }) => title),
    isPassing: program === null,
    hasPerl: findProgram("perl", at.place(), at.env).kind === "found",
    isShellUnknown: order.shell && program !== null && shell.length === 0,
    compiled: program === null ? { ...compiledCode(), kind: "impossible" } : compiledCode(),
  };
}

const packaged = (name: string): string => readFileSync(builtFile(`hooks/${name}`), "utf8");

const installable = (): readonly AgentAdapter[] => AGENTS.filter(({ install }) => install !== null);

const titles = (agents: readonly AgentAdapter[]): string => agents.map(({ title }) => title).join(", ");

function chosenAgents(typed: readonly string[], where: AgentHome, at: AppPlace): readonly AgentAdapter[] {
  if (typed.length === 0) return installable().filter((agent) => isHere(agent, where, at));
  return [...new Set(typed)].map((name) => {
    const agent = agentNamed(name);
    if (agent?.install) return agent;
    const names = installable().map((one) => one.name);
    throw new RefloatError("E_USAGE", {
      why: `--agent ${name}: nothing can be set up for that one; there is ${names.join(", ")}.`,
    });
  });
}

/** Its own folder is there, or its program. */
const isHere = ({ install, launch }: AgentAdapter, where: AgentHome, at: AppPlace): boolean =>
  (install !== null && existsSync(install.folder(where))) ||
  (launch !== null && findProgram(launch.program, at.place(), at.env).kind === "found");

/** Shells whose file is there, and the user's own. */
function shellFiles(
  where: AgentHome,
  program: string,
  agents: readonly AgentAdapter[],
  home: string,
): readonly PlannedFile[] {
  const programs = agents.flatMap(({ launch }) => launch?.program ?? []);
  const isUsed = (shell: ShellName): boolean =>
    (where.env.SHELL ?? "").endsWith(`/${shell}`) || existsSync(shellFile(shell, where));
  return SHELLS.filter(isUsed).map((shell) =>
    planInstall(
      {
        path: shellFile(shell, where),
        form: shellForm(shell, { program, home, agents: programs }),
        what: `${programs.join(", ")} through refloat run`,
      },
      { agent: shell, scope: "shell" },
      { ledger: openLedger(home), inside: null },
    ),
  );
}
