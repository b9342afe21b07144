/** What the demo's agent is asked, says and does; one text for the process that dies and the one that looks. */
export const DEMO = {
  session: "demo",
  agent: "demo-agent",
  goal: "Fix the failing login test, then deploy to staging.",
  answer: "The test expects a cookie that expired. I read the code, run the tests, then deploy.",
  calls: [
    { tool: "read_file", input: { path: "src/login.ts" }, output: "export const maxAge = 0;" },
    { tool: "bash", input: { command: "npm test" }, output: "12 passed" },
  ],
  deploy: { tool: "deploy", input: { target: "staging" } },
  queued: "Also bump the version to 1.4.0.",
  /** Between two parts of the upload. */
  stepMs: 60,
  /** The part in whose middle it is killed. */
  fatalStep: 4,
} as const;
