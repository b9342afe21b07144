// node examples/gateway/server.mjs: the chat server, ended by SIGTERM or Ctrl-C with a drain. Try it:
//   PLATFORM=http://127.0.0.1:9999/ PORT=8080 node examples/gateway/server.mjs
//   curl -d '{"session":"chat-1","id":"m1","text":"work 3"}' http://127.0.0.1:8080/messages
// then kill -9 it in the middle and start it again.
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "refloat";
import { startChatServer } from "./chat-server.mjs";

const DRAIN_MS = 20_000;

const tools = {
  work: async ({ step }) => {
    await sleep(1000);
    return `step ${step} is done`;
  },
  reboot: async () => "it would have been rebooted",
  restart: async () => process.kill(process.pid, "SIGKILL"),
};

const store = await openStore(process.env.REFLOAT_STORE);
const server = await startChatServer({
  store,
  tools,
  platform: process.env.PLATFORM ?? "http://127.0.0.1:9999/",
  port: Number(process.env.PORT ?? 8080),
});
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.once(signal, async () => {
    // Ctrl-C is a person's: what it cuts off is no crash. SIGTERM may be a restart that a turn itself has ordered.
    const { interrupted } = await server.close(DRAIN_MS, signal === "SIGINT");
    await store.close();
    console.log(JSON.stringify({ interrupted }));
  });
}

// Said once a signal would be heard: whoever reads it may send one at once.
const { instances, conversations } = await server.gateway.opened;
console.log(JSON.stringify({ port: server.port, instances, conversations }));
