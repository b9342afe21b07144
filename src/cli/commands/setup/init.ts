/** `init`: says in one screen what changes in which files and how to take it back, asks, and does it. */
import { type EndedInit, type InitPlan, init } from "../../../app/agents/init.ts";
import { wrapWhole } from "../../../text/wrap-whole.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, type ShownPlan } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, listOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count } from "../../screen/words.ts";
import { type FilePart, fileJson, fileLines, SCREEN_COLUMNS, shownHome } from "./file-lines.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const ended = await init(context, {
    agents: listOption(input, "agent"),
    scope: scopeOf(input),
    shell: isSet(input, "shell"),
    hasServer: input.grammar.commands.some(({ words }) => words === "mcp"),
    isDryRun: isSet(input, "dryRun"),
    ask: async (plan) => ((await confirmed(context, shown(context, plan))) ? "yes" : "no"),
  });
  const plan = shown(context, ended.plan);
  const refused = refusedOf(ended);
  const isLess = refused.length > 0 || ended.plan.isShellUnknown;
  await context.out.result({
    command: "init",
    json: {
      plan: plan.json,
      done: ended.kind === "done" || (ended.kind === "nothing" && !isLess),
      refused,
    },
    text: () => textOf(ended, plan, context),
  });
  return ended.kind === "declined" || isLess ? EXIT.failed : EXIT.done;
}

function scopeOf(input: CommandInput): "user" | "repo" | "shared" {
  const [repo, shared] = [isSet(input, "repo"), isSet(input, "shared")];
  if (repo && shared) throw usage("--repo and --shared are two places: give one of them.");
  if ((repo || shared) && isSet(input, "shell"))
    throw usage("--shell is about your own shell: not with --repo or --shared.");
  return repo ? "repo" : shared ? "shared" : "user";
}

const refusedOf = (ended: EndedInit): readonly { path: string; why: string }[] => [
  ...ended.plan.files.flatMap((file) =>
    file.kind === "refused" ? [{ path: file.path, why: file.why }] : [],
  ),
  ...(ended.kind === "done" ? ended.refused : []),
];

function shown({ env }: Context, plan: InitPlan): ShownPlan {
  return {
    json: {
      scope: plan.scope,
      agents: plan.agents.map(({ name }) => name),
      absent: plan.absent,
      recorder: { path: `${plan.home}/bin/refloat-hook`, change: plan.isRecorderNew ? "create" : "none" },
      files: plan.files.map(fileJson),
      compiled: { path: plan.compiled.path, change: plan.compiled.kind === "missing" ? "create" : "none" },
      ...(plan.isShellUnknown ? { no_shell: true } : {}),
      ...(plan.hasPerl ? {} : { no_perl: true }),
      afterwards: plan.agents.flatMap(({ afterwards }) => afterwards),
      ...(plan.agents.some(({ untried }) => untried !== null)
        ? {
            untried: plan.agents.flatMap(({ name, untried }) =>
              untried === null ? [] : [{ agent: name, ...untried }],
            ),
          }
        : {}),
    },
    text: () => planLines(plan, env),
  };
}

const PASSING =
  "refloat was only fetched for this start, so no server and no shell lines: `npm install -g refloat`, then again.";

const NO_SHELL =
  "No shell that --shell knows (bash, zsh, fish) is yours: neither SHELL nor a file of theirs says so. `SHELL=/bin/bash refloat init --shell` makes `~/.bashrc`; or start agents by `refloat run -- claude`.";

/** One sentence for all of them: the screen is one. */
function untriedLine({ agents }: InitPlan): readonly string[] {
  const newer = agents.flatMap(({ title, untried }) =>
    untried === null ? [] : [`${title} ${untried.version} (tried: ${untried.tried})`],
  );
  return newer.length === 0
    ? []
    : [`Newer than tried: ${newer.join(", ")}. Whether it tells something, \`refloat doctor\` says.`];
}

const NO_PERL =
  "There is no perl here: what a destructive command takes away is mostly not held in time. `refloat doctor` says how to get it.";

/** It is no file of theirs, and still one that is made. */
const compiledLine = ({ compiled }: InitPlan, env: NodeJS.ProcessEnv): readonly string[] =>
  compiled.kind === "missing"
    ? [
        `Commands will start faster: what this Node compiles of refloat is kept beside it, ${shownHome(compiled.path, env)}, and goes with it.`,
      ]
    : [];

const withoutPerl = ({ hasPerl }: InitPlan): readonly string[] => (hasPerl ? [] : [NO_PERL]);

const unknownShell = ({ isShellUnknown }: InitPlan): readonly string[] => (isShellUnknown ? [NO_SHELL] : []);

function planLines(plan: InitPlan, env: NodeJS.ProcessEnv): readonly string[] {
  const parts: FilePart[] = plan.files.map((file) => ({
    ...file,
    title: plan.agents.find(({ name }) => name === file.owner.agent)?.title ?? file.owner.agent,
  }));
  const changes = plan.files.filter(({ kind }) => kind === "change").length;
  const isRefused = plan.files.some(({ kind }) => kind === "refused");
  const recorder = shownHome(`${plan.home}/bin/refloat-hook`, env);
  const absent = plan.absent.length === 0 ? [] : [`Not found: ${plan.absent.join(", ")}.`];
  const passing = plan.isPassing ? [PASSING] : [];
  const will =
    changes > 0
      ? `${count(changes, "file")} will call refloat (its recorder: ${recorder}):`
      : isRefused
        ? "No file is changed:"
        : "Your agents call refloat already.";
  return [
    ...wrapped(will),
    ...fileLines(parts, env),
    ...[
      ...plan.agents.flatMap(({ afterwards }) => afterwards),
      ...absent,
      ...passing,
      ...unknownShell(plan),
      ...untriedLine(plan),
      ...withoutPerl(plan),
      ...compiledLine(plan, env),
      "Back to the very bytes: `refloat uninstall`.",
    ].flatMap(wrapped),
  ];
}

const wrapped = (text: string): readonly string[] => wrapWhole(text, SCREEN_COLUMNS);

function textOf(ended: EndedInit, plan: ShownPlan, { env }: Context): readonly string[] {
  switch (ended.kind) {
    case "planned":
      return plan.text();
    case "declined":
      return ["Nothing was changed."];
    case "nothing":
      return [
        ...(refusedOf(ended).length === 0
          ? ["Nothing to do: your agents call refloat already.", ...unknownShell(ended.plan).flatMap(wrapped)]
          : plan.text()),
      ];
    case "done": {
      const { whole, partly } = servedBy(ended);
      const failed = refusedOf(ended).map(
        ({ path, why }) => `Left as it was: ${shownHome(path, env)}: ${why}.`,
      );
      const titles = (agents: InitPlan["agents"]): string => agents.map(({ title }) => title).join(", ");
      return [
        ...(whole.length === 0
          ? []
          : [`Done for ${titles(whole)}. Start them as always; \`refloat\` shows what they left.`]),
        ...(partly.length === 0 ? [] : [`Only in part for ${titles(partly)}.`]),
        ...changedLine(ended, env),
        ...(ended.plan.isPassing ? [PASSING] : []),
        ...unknownShell(ended.plan),
        ...untriedLine(ended.plan),
        ...withoutPerl(ended.plan),
        ...[...whole, ...partly].flatMap(({ afterwards }) => afterwards),
        ...failed,
        "Back to the very bytes: `refloat uninstall`.",
      ].flatMap(wrapped);
    }
  }
}

/** With --yes nobody saw the plan: what is another now is said all the same. */
function changedLine(ended: EndedInit, env: NodeJS.ProcessEnv): readonly string[] {
  const refused = new Set(refusedOf(ended).map(({ path }) => path));
  const changed = ended.plan.files.filter(({ kind, path }) => kind === "change" && !refused.has(path));
  return changed.length === 0
    ? []
    : [`Changed: ${changed.map(({ path }) => shownHome(path, env)).join(", ")}.`];
}

/** Agents whose files all call refloat now, and those of which a file was left as it was. */
function servedBy(ended: EndedInit): { whole: InitPlan["agents"]; partly: InitPlan["agents"] } {
  const refused = new Set(refusedOf(ended).map(({ path }) => path));
  const of = (name: string): boolean[] =>
    ended.plan.files.filter(({ owner }) => owner.agent === name).map(({ path }) => refused.has(path));
  const { agents } = ended.plan;
  return {
    whole: agents.filter(({ name }) => of(name).length > 0 && !of(name).includes(true)),
    partly: agents.filter(({ name }) => of(name).includes(true) && of(name).includes(false)),
  };
}
