import { describeStore } from "./describe-store.ts";
import { sqlitePlace } from "./places.ts";

describeStore("SQLite on the caller's thread", () => sqlitePlace({ thread: false }));
