/** `refloat/mastra`: Mastra's storage on a refloat store, tools and steps that run once. docs/mastra.md. */
export { type OnceOptions, type OnceStepOptions, once, onceStep } from "./mastra/once.ts";
export { RefloatMastra, type RefloatMastraOptions } from "./mastra/storage.ts";
