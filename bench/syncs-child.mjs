// Counted by strace from outside: 200 sequential appends between the marks.
import { openStore } from "refloat";
import { incompressibleText, syncMark } from "./raw.mjs";

const store = await openStore(process.argv[2], { thread: false });
const turn = await (await store.begin({ agent: "bench", workspace: "/" })).turn("go");
const text = incompressibleText(1024);
syncMark("appends", "begin");
for (let i = 0; i < 200; i++) await turn.append({ role: "assistant", parts: text });
syncMark("appends", "end");
await store.close();
