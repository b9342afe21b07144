import { describeStore } from "./describe-store.ts";
import { postgresPlace } from "./places.ts";

describeStore("PostgreSQL", postgresPlace);
