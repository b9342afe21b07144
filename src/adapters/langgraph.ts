/** `refloat/langgraph`: LangGraph's checkpointer and store on a refloat store, and tools that run once. docs/langgraph.md. */
export { RefloatMemory, type RefloatMemoryOptions } from "./langgraph/memory.ts";
export { type OnceToolOptions, once } from "./langgraph/once-tool.ts";
export { RefloatSaver, type RefloatSaverOptions } from "./langgraph/saver.ts";
