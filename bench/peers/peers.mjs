// @ts-check
/**
 * The peers, and the one shape in which all are measured.
 *
 * @typedef {{
 *   withConversation: (depth: number, text: () => string, use: (append: () => unknown) => Promise<void>) => Promise<void>,
 *   reader?: (depth: number, text: () => string) => Promise<() => Promise<void>>,
 *   close: () => Promise<void>,
 * }} Store
 *   `withConversation` makes a conversation that holds `depth` messages and hands over a function that saves one
 *   more through the peer's own API and returns (or resolves) when the peer says it is saved.
 *   `reader` makes one and hands over a function that reads it whole, as a framework that goes on with it does.
 * @typedef {{ id: string, title: string, package: string, adapter: string, options: Record<string, string>,
 *   unit: string }} Peer `unit`: what one message is in this peer's API
 */

/** @type {readonly Peer[]} */
export const PEERS = [
  {
    id: "langgraph",
    title: "LangGraph SqliteSaver, as shipped",
    package: "@langchain/langgraph-checkpoint-sqlite",
    adapter: "./adapters/langgraph.mjs",
    options: {},
    unit: "putWrites + put of the state with the message added",
  },
  {
    id: "langgraph-full",
    title: "LangGraph SqliteSaver, made durable",
    package: "@langchain/langgraph-checkpoint-sqlite",
    adapter: "./adapters/langgraph.mjs",
    options: { synchronous: "FULL" },
    unit: "the same, on a connection on which we set synchronous=FULL",
  },
  {
    id: "langgraph-refloat",
    title: "LangGraph with refloat's saver, as shipped",
    package: "@langchain/langgraph-checkpoint",
    adapter: "./adapters/langgraph.mjs",
    options: { saver: "refloat" },
    unit: "the same, through RefloatSaver of refloat/langgraph (the version is that of LangGraph's checkpoint package)",
  },
  {
    id: "mastra",
    title: "Mastra LibSQLStore",
    package: "@mastra/libsql",
    adapter: "./adapters/mastra.mjs",
    options: {},
    unit: "saveMessages of one message",
  },
  {
    id: "mastra-refloat",
    title: "Mastra with refloat's storage, as shipped",
    package: "@mastra/core",
    adapter: "./adapters/mastra.mjs",
    options: { storage: "refloat" },
    unit: "the same, through RefloatMastra of refloat/mastra (the version is that of Mastra itself)",
  },
  {
    id: "dbos",
    title: "DBOS on Postgres",
    package: "@dbos-inc/dbos-sdk",
    adapter: "./adapters/dbos.mjs",
    options: {},
    unit: "runStep that returns the message, inside one workflow",
  },
  {
    id: "pi",
    title: "pi SessionManager",
    package: "@earendil-works/pi-coding-agent",
    adapter: "./adapters/pi.mjs",
    options: {},
    unit: "appendMessage",
  },
];

/** On a server that whoever measures has started (BENCH_POSTGRES, BENCH_SCHEMA): of frameworks.mjs alone. @type {readonly Peer[]} */
export const ON_POSTGRES = [
  {
    id: "langgraph-postgres",
    title: "LangGraph PostgresSaver, as shipped",
    package: "@langchain/langgraph-checkpoint-postgres",
    adapter: "./adapters/langgraph.mjs",
    options: { saver: "postgres" },
    unit: "putWrites + put of the state with the message added",
  },
  {
    id: "langgraph-refloat-postgres",
    title: "LangGraph with refloat's saver on Postgres, as shipped",
    package: "@langchain/langgraph-checkpoint",
    adapter: "./adapters/langgraph.mjs",
    options: { saver: "refloat-postgres" },
    unit: "the same, through RefloatSaver of refloat/langgraph",
  },
];
