/** `doctor`: every check there is, each finding with its command. `--fix` does what needs no decision and never discards. */
import { finishOpenPlans } from "../../../app/acts/finish-open.ts";
import { workspaceHere } from "../../../app/place/workspace-here.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import type { DoctorFinding } from "../../../doctor/checks.ts";
import { diagnose } from "../../../doctor/checks.ts";
import { type FixedCheck, fixAll } from "../../../doctor/fix.ts";
import { gatherFacts } from "../../../doctor/gather.ts";
import { RefloatError } from "../../../model/errors.ts";
import { requireGit } from "../../../workspace/git/version.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";
import { everyKnownFile } from "./state-files.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const gather = async () =>
    gatherFacts({
      clock: context.clock,
      address: await context.storeAddress(),
      isThere: await context.hasStore(),
      isNamed: context.flags.store !== null || Boolean(process.env.REFLOAT_STORE),
      openStore: async () => (await context.openStore()).raw,
      stateFiles: await everyKnownFile(context),
      env: process.env,
      nodeVersion: process.versions.node,
      requireGit: () => requireGit(process.env, context.place()),
      path: process.env.PATH ?? "",
      workspace: await workspaceOf(context),
    });
  const facts = await gather();
  const before = diagnose(facts);
  const fixed = isSet(input, "fix") && before.length > 0 ? await fix(context, facts) : [];
  const found = fixed.length > 0 ? diagnose(await gather()) : before;
  const findings = found.map((one) => ({ ...one, command: context.out.typed(one.command) }));
  await context.out.result({
    command: "doctor",
    json: { findings, fixed },
    text: () => lines(context, findings, fixed),
  });
  return isSet(input, "exitCode") && findings.length > 0 ? EXIT.attention : EXIT.done;
}

async function fix(context: Context, facts: Parameters<typeof fixAll>[0]): Promise<readonly FixedCheck[]> {
  const isOpen = facts.store.openError === null;
  // State files are repaired with the store's help; the first one makes it, as every state command does.
  const needsStore = facts.store.isThere || facts.stateFiles.some(({ findings }) => findings.length > 0);
  const store = isOpen && needsStore ? await context.openOrMakeStore() : null;
  return fixAll(facts, {
    store: store?.raw ?? null,
    settlePlans: async () => (store ? settled(store, await workspaceOf(context)) : []),
    recover: async () => (store ? (await store.recover()).map(({ session }) => session) : []),
  });
}

/** A hostile or broken repository has its own findings: the doctor goes on without the workspace. */
async function workspaceOf(context: Context): Promise<Workspace | null> {
  try {
    const store = (await context.hasStore()) ? await context.findStore() : null;
    return (await workspaceHere(context, store)).workspace;
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

async function settled(store: RefloatStore, workspace: Workspace | null): Promise<readonly string[]> {
  if (!workspace) return [];
  return (await finishOpenPlans(store.raw, workspace)).map(
    ({ plan, act, how }) => `The plan ${plan} (${act}) is ${how === "finished" ? how : "taken back"}.`,
  );
}

function lines({ out }: Context, findings: readonly DoctorFinding[], fixed: readonly FixedCheck[]): string[] {
  const { green, red, yellow, dim } = out.style;
  const paint = { error: red, warning: yellow } as const;
  const done = fixed.map(({ message }) => `${green("fixed")} ${oneLine(message)}`);
  if (findings.length === 0) return [...done, `${green("Sound.")} Nothing is wrong here.`];
  return [
    ...done,
    ...findings.flatMap(({ check, severity, message, command }) => [
      `${paint[severity](severity)} ${check}: ${oneLine(message)}`,
      `  ${dim(oneLine(command))}`,
    ]),
    "",
    `${count(findings.length, "finding")}.`,
  ];
}
