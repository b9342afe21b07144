/** What passes through `run`: input and output byte for byte, markers, and what is kept of it. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { scene, until } from "./run-scene.ts";

const sh = (script: string): string[] => ["--", "/bin/sh", "-c", script];

describe("the agent's streams", () => {
  it("pass byte for byte, stdout and stderr apart, its input too, and it has its mark and the store's home", async () => {
    const { place } = scene();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    const { code, stdout, stderr } = await place.refloat(
      [
        "run",
        ...sh(
          `cat | od -An -tx1 | tr -d ' \\n'; echo err >&2; echo; echo "$REFLOAT_SESSION"; echo "$REFLOAT_HOME"`,
        ),
      ],
      { stdin: bytes },
    );
    const [input, mark, home] = stdout.split("\n");
    expect(code).toBe(0);
    expect(input).toBe(bytes.toString("hex"));
    expect(stderr).toBe("err\n");
    expect(home).toBe(place.home);
    const { json } = await place.json(["sessions"]);
    expect(mark).toMatch(new RegExp(`^${json.sessions[0].id}\\.1\\.[0-9a-z]+$`));
  });

  it("pass a flood whole to a slow reader, within bounded memory", async () => {
    const stage = scene();
    const child = stage.start({ flood: 30_000_000 });
    child.stdin?.end();
    const hash = createHash("sha256");
    let bytes = 0;
    let most = 0;
    const { readFileSync } = await import("node:fs");
    const residentKiB = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0);
    for await (const piece of child.stdout ?? []) {
      hash.update(piece);
      bytes += piece.length;
      if (bytes < 10_000_000) await new Promise((resolve) => setTimeout(resolve, 2));
      if (bytes < 29_000_000) most = Math.max(most, residentKiB());
    }
    if (child.exitCode === null) await once(child, "exit");
    expect(bytes).toBe(30_000_000 + "\nafter the flood\n".length);
    expect(stage.report()).toMatchObject({ exit_code: 0 });
    expect(String(stage.report().last_output).endsWith("after the flood")).toBe(true);
    expect(most).toBeLessThan(300_000);
  });

  it("end for the agent when nobody reads ours any more, as without us, and its end is recorded", async () => {
    const { place, reportPath } = scene();
    const child = place.start(["run", "--report", reportPath, ...sh("while echo line; do :; done")]);
    child.stdin?.end();
    await once(child.stdout as NodeJS.ReadableStream, "data");
    child.stdout?.destroy();
    const [code] = await once(child, "exit");
    expect(code).toBe(141);
    const { json } = await place.json(["sessions"]);
    expect(json.sessions[0]).toMatchObject({ state: "interrupted" });
  });

  it("keep the last line of an agent that exits without a line feed, escape codes taken out", async () => {
    const { place, reportPath } = scene();
    const script = `printf '\\033[31mred\\033[0m line\\nno newline at the end'`;
    const { stdout } = await place.refloat(["run", "--report", reportPath, ...sh(script)]);
    expect(stdout).toBe("\u001b[31mred\u001b[0m line\nno newline at the end");
    const { readFileSync } = await import("node:fs");
    const report = JSON.parse(readFileSync(reportPath, "utf8"));
    expect(report.last_output).toBe("red line\nno newline at the end");
  });
});

describe("text markers on its stdout", () => {
  it("are operations: ended, and open when it died inside; not on stderr, and END closes only its own", async () => {
    const { place } = scene();
    const script = `echo '# BEGIN: one'; echo x > one.txt; echo '# END: one'
      echo '# END: never begun'; echo '# BEGIN: on stderr' >&2
      echo '# BEGIN: two'; sleep 0.2; kill -9 $$`;
    expect((await place.refloat(["run", ...sh(script)])).code).toBe(137);
    const { json } = await place.json(["show"]);
    const operations = json.operations.map(({ label, state }: Record<string, string>) => [label, state]);
    expect(operations).toEqual([
      ["one", "ended"],
      ["two", "open"],
    ]);
    await until(async () => {
      const { json: list } = await place.json(["captures"]);
      return list.captures.some(({ reason }: { reason: string }) => reason === "operation-end");
    }, "the capture at an operation's end");
  });
});
