/** The library: re-exports only, the core's and, in the place of its `openStore`, the one that knows workspaces. See docs/library.md and examples/. */

export { openStore } from "./app/store/open-store.ts";
export * from "./core.ts";
