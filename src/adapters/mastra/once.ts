/** A tool of an agent of Mastra's, or a step of a workflow, that runs once, whatever dies around it. */
import type { Effect } from "../../model/record.ts";
import { runOnce } from "../shared/once.ts";
import type { RefloatMastra } from "./storage.ts";

/** What a tool's `execute` is called with, as far as it matters here. */
interface ToolContext {
  readonly agent?: { readonly toolCallId?: string; readonly threadId?: string };
}
/** What a step's `execute` is called with. */
interface StepContext {
  readonly runId: string;
  readonly inputData?: unknown;
}

export interface OnceOptions {
  readonly name: string;
  /** What running it may do to the world; left out: by refloat's table of tools that only read, else unknown. */
  readonly effect?: Effect;
}

export interface OnceStepOptions<Context> extends OnceOptions {
  /** What tells this call from the others of its run; left out: its name. A step of a loop needs one. */
  readonly id?: (context: Context) => string;
}

/**
 * The `execute` of `createTool(...)`, guarded. The call is told by the model's own id of it and by the thread; without either (the agent has no memory,
 * the tool was called by hand) it just runs. Throws E_OUTCOME_UNKNOWN for a call that a dead process began: Mastra hands that to the model.
 */
export function once<Input, Context, Output>(
  storage: RefloatMastra,
  { name, effect }: OnceOptions,
  execute: (input: Input, context: Context) => Output | Promise<Output>,
): (input: Input, context: Context) => Promise<Output> {
  return async (input, context) => {
    const { toolCallId, threadId } = (context as ToolContext | undefined)?.agent ?? {};
    if (toolCallId === undefined || threadId === undefined) return execute(input, context);
    storage.threads.isBegunHere(toolCallId);
    const session = storage.threads.sessionOf(threadId);
    const call = { id: toolCallId, tool: name, input, ...(effect ? { effect } : {}) };
    return storage.held.inTurn(
      session,
      threadId,
      async (turn) =>
        (await runOnce(storage.held.store, session, turn, call, () => execute(input, context))) as Output,
    );
  };
}

/** The `execute` of `createStep(...)`, guarded: in one run it runs once under its id, though the run is restarted. */
export function onceStep<Context extends StepContext, Output>(
  storage: RefloatMastra,
  { name, effect, id = () => name }: OnceStepOptions<Context>,
  execute: (context: Context) => Output | Promise<Output>,
): (context: Context) => Promise<Output> {
  return async (context) => {
    const session = storage.runs.sessionOf(context.runId);
    const call = {
      id: id(context),
      tool: name,
      input: context.inputData,
      ...(effect ? { effect } : {}),
    };
    return storage.held.inTurn(
      session,
      context.runId,
      async (turn) =>
        (await runOnce(storage.held.store, session, turn, call, () => execute(context))) as Output,
    );
  };
}
