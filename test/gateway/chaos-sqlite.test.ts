/** The gateway's chaos on SQLite. */
import { join } from "node:path";
import { describeChaos } from "./chaos-sweep.ts";

describeChaos("SQLite", (folder) => ({ url: join(folder, "refloat.db"), open: {} }));
