/** The gateway killed and restarted, on PostgreSQL: real processes, real SIGKILL, a real server. */
import { freshSchema } from "../support/postgres.ts";
import { describeEdges } from "./edges.ts";
import { describeLifecycle } from "./lifecycle.ts";
import { describeTwoProcesses } from "./two-processes.ts";
import { describeWork } from "./work.ts";

const fresh = () => {
  const { url, schema } = freshSchema();
  return { url, open: { schema } };
};

describeLifecycle(fresh);
describeWork(fresh);
describeTwoProcesses(fresh);
describeEdges(fresh);
