// A page that reads along: one session, on a plain node:http server. Kill it in the middle of an answer, start it again: the page
// connects by itself, takes back what never came to the disk, and goes on without a gap.
//
//   node examples/live/server.mjs [port] [words per answer]
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { EVENT_STREAM_HEADERS, openStore, seqAfter, toEventStream } from "refloat";

const port = Number(process.argv[2] ?? 8123);
const words = Number(process.argv[3] ?? 200);
const store = await openStore();
const session = await store.begin({ id: "live-page", agent: "talker", workspace: "live-page", wait: true });

/** In the place of a model: one word after the other. */
async function answer(input) {
  const turn = await session.turn(input);
  const message = turn.message("assistant");
  for (let n = 1; n <= words; n++) {
    message.write(`word ${n} `);
    await sleep(20);
  }
  await message.end();
  await turn.end("completed");
}

let answering = Promise.resolve();
const server = createServer((request, response) => {
  if (request.method === "POST") {
    let text = "";
    request.on("data", (bytes) => (text += bytes));
    request.on("end", async () => {
      const receipt = await session.enqueue(text || "hello"); // on disk before the browser hears of it
      response.writeHead(202).end(JSON.stringify(receipt));
      answering = answering.then(() => answer(receipt)); // one after the other; what waits is on disk
    });
  } else if (request.url === "/events") {
    response.writeHead(200, EVENT_STREAM_HEADERS);
    const fromSeq = seqAfter(request.headers["last-event-id"]);
    Readable.fromWeb(toEventStream(session, { fromSeq }))
      .on("error", () => undefined)
      .pipe(response);
  } else {
    const [name, type] =
      request.url === "/reader.mjs" ? ["reader.mjs", "text/javascript"] : ["page.html", "text/html"];
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` });
    response.end(readFileSync(new URL(name, import.meta.url)));
  }
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
