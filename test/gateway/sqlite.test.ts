/** The gateway killed and restarted, on SQLite: real processes, real SIGKILL. */
import { join } from "node:path";
import { describeEdges, describeSurvivor } from "./edges.ts";
import { describeLifecycle } from "./lifecycle.ts";
import { describeTwoProcesses } from "./two-processes.ts";
import { describeWork } from "./work.ts";

const fresh = (folder: string) => ({ url: join(folder, "refloat.db"), open: {} });

describeLifecycle(fresh);
describeWork(fresh);
describeTwoProcesses(fresh);
describeEdges(fresh);
describeSurvivor(fresh);
