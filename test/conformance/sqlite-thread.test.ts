import { describeStore } from "./describe-store.ts";
import { sqlitePlace } from "./places.ts";

describeStore("SQLite on its own thread", () => sqlitePlace({ thread: true }));
