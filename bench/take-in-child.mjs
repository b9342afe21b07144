// Takes a transcript of pi into a new session of a store: node take-in-child.mjs STORE TRANSCRIPT SESSION.
import { takeIn } from "../dist/agents/journal/take-in.js";
import { pi } from "../dist/agents/pi/agent.js";
import { selfOwner } from "../dist/platform/identity.js";
import { takeClaim } from "../dist/session/claims.js";
import { newRecord } from "../dist/session/new-record.js";
import { openRawStore } from "../dist/store/open-raw-store.js";

const [path, transcript, nativeId] = process.argv.slice(2);
const store = await openRawStore(path, { thread: false });
const began = { agent: "pi", workspace: "/srv/repo", goal: null, name: null };
const records = () => [newRecord(store.clock, "session.began", began)];
const { attempt } = await takeClaim(store, { session: nativeId, owner: selfOwner("bench"), records });
const order = { session: nativeId, attempt, adapter: pi, path: transcript, nativeId, turns: "source" };
const taken = await takeIn(store, order);
await store.close();
console.log(JSON.stringify({ records: taken.records, status: taken.status }));
