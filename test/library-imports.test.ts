/** U4 closes the tab when a journal pulls in a CLI: importing the library loads only what the card needs. */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** Modules loaded by `import "refloat"`, as paths inside the package. */
function loadedModules(): string[] {
  const script = `
    import { register } from "node:module";
    const seen = [];
    const { port1, port2 } = new MessageChannel();
    port1.on("message", (url) => seen.push(url));
    port1.unref();
    register("data:text/javascript," + encodeURIComponent(\`
      let port;
      export function initialize(data) { port = data.port; }
      export async function resolve(specifier, context, next) {
        const found = await next(specifier, context);
        port.postMessage(found.url);
        return found;
      }\`), { data: { port: port2 }, transferList: [port2] });
    await import("refloat");
    setTimeout(() => { console.log(JSON.stringify(seen)); }, 100);
  `;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return [...new Set(JSON.parse(out) as string[])]
    .filter((url) => url.startsWith("file:"))
    .map((url) => new URL(url).pathname);
}

describe("importing the library", () => {
  const modules = loadedModules();
  const own = modules.filter((path) => path.startsWith(join(ROOT, "dist")));
  const foreign = modules.filter((path) => path.includes("/node_modules/"));

  it("loads no command line, parser, server, secret scanner or database driver", () => {
    expect(own.length).toBeGreaterThan(10);
    expect(
      own.filter((path) =>
        /\/dist\/(?:cli|server|doctor|agents|supervise|handoff|recover|salvage|triage|workflow|workspace|acts)\//.test(
          path,
        ),
      ),
    ).toEqual([]);
    expect(own.filter((path) => /\/dist\/store\/(?:sqlite|postgres)\//.test(path))).toEqual([]);
    expect(foreign.filter((path) => !path.includes("/node_modules/zod/"))).toEqual([]);
  });

  it("loads nothing that only listing sessions, forgetting or a gateway needs: that comes with the first of them", () => {
    // `begin` tells the state it found, so the lifecycle is no longer among them.
    const later = ["session/describe.js", "store/forget.js", "gateway/gateway.js"];
    expect(own.filter((path) => later.some((one) => path.endsWith(`/dist/${one}`)))).toEqual([]);
  });

  it("loads a bounded number of our own modules", () => {
    console.log(`import "refloat" loads ${own.length} modules of its own and ${foreign.length} of zod`);
    // 74 on 2026-11-16.
    expect(own.length).toBeLessThan(80);
  });
});
