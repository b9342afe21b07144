import { describe, expect, it } from "vitest";
import { workQueue } from "./page-call.ts";

/** Work that ends when it is told to. */
function held(name: string, log: string[]) {
  let end: (value: string) => void = () => undefined;
  const over = new Promise<string>((resolve) => {
    end = resolve;
  });
  return {
    end: () => end(name),
    work: (): Promise<string> => {
      log.push(name);
      return over;
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the order in which questions are answered", () => {
  it("T5: so many at once and no more, in the order they came; one that fails holds nobody up", async () => {
    const log: string[] = [];
    const queue = workQueue({ atOnce: 2, most: 10 });
    const [a, b, c] = ["a", "b", "c"].map((name) => held(name, log));
    const first = queue.run(null, () => Promise.reject(new Error("failed")));
    const answers = [a, b, c].map((one) => queue.run(null, one?.work ?? (async () => "")));
    await expect(first).rejects.toThrow("failed");
    await turn();
    expect(log).toEqual(["a", "b"]);
    b?.end();
    await turn();
    expect(log).toEqual(["a", "b", "c"]);
    a?.end();
    c?.end();
    expect(await Promise.all(answers)).toEqual(["a", "b", "c"]);
  });

  it("who asks for what still waits gets its answer; who asks for what has begun is looked for anew", async () => {
    const log: string[] = [];
    const queue = workQueue({ atOnce: 1, most: 10 });
    const [a, b] = [held("a", log), held("b", log)];
    const running = queue.run("same", a.work);
    const waiting = queue.run("same", b.work);
    const along = queue.run("same", () => Promise.resolve("never asked"));
    a.end();
    b.end();
    expect(await Promise.all([running, waiting, along])).toEqual(["a", "b", "b"]);
    expect(await queue.run("same", async () => "anew")).toBe("anew");
  });

  it("T5: more than may wait is turned away, and asked again it is answered", async () => {
    const queue = workQueue({ atOnce: 1, most: 2 });
    const [a, b] = [held("a", []), held("b", [])];
    const answers = [queue.run("a", a.work), queue.run("b", b.work)];
    await expect(queue.run("c", async () => "c")).rejects.toMatchObject({ code: "E_PAGE_BUSY" });
    a.end();
    b.end();
    await Promise.all(answers);
    expect(await queue.run("c", async () => "c")).toBe("c");
  });
});
