/** A LangChain tool that runs once for one call of a thread, whatever dies around it. */
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Effect } from "../../model/record.ts";
import { runOnce } from "../shared/once.ts";
import type { RefloatSaver } from "./saver.ts";

/** What a tool function is called with by LangGraph's ToolNode and agents, as far as it matters here. */
type ToolRun<Input, Output> = (input: Input, config: RunnableConfig) => Output | Promise<Output>;

export interface OnceToolOptions {
  readonly name: string;
  /** What running it may do to the world; left out: by refloat's table of tools that only read, else unknown. */
  readonly effect?: Effect;
}

/**
 * The function of `tool(...)`, guarded. The call is told by the model's own id of it and by the thread; without either (the tool was
 * called by hand) it just runs. Throws E_OUTCOME_UNKNOWN for a call that a dead process began: ToolNode hands that to the model.
 */
export function once<Input, Output>(
  saver: RefloatSaver,
  { name, effect }: OnceToolOptions,
  run: ToolRun<Input, Output>,
): ToolRun<Input, Output> {
  return async (input, config) => {
    const thread: unknown = config.configurable?.thread_id;
    const call = (config as { readonly toolCall?: { readonly id?: string } }).toolCall?.id;
    if (thread === undefined || call === undefined) return run(input, config);
    const session = saver.sessionOf(String(thread));
    return saver.held.inTurn(session, String(thread), async (turn, { id }) => {
      const asked = { id: call, tool: name, input, ...(effect ? { effect } : {}) };
      return (await runOnce(saver.held.store, id, turn, asked, () => run(input, config))) as Output;
    });
  };
}
