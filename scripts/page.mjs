// The page as two files: index.html with its script and its style in it, so that it is drawn after one more round trip,
// and diff.js, which only who looks at a diff loads. No network, and nothing in them asks for any (docs/page.md).
import { readFileSync } from "node:fs";
import { rolldown } from "rolldown";

/** The files of the page: name under dist/, text. */
export async function bundlePage() {
  const [script, diff] = await Promise.all([bundled("web/src/main.tsx"), bundled("web/src/diff-rows.ts")]);
  const style = readFileSync("web/style.css", "utf8").replaceAll(/\/\*[\s\S]*?\*\/\s*/g, "");
  const page = readFileSync("web/index.html", "utf8")
    .replace("<style></style>", () => `<style>${style}</style>`)
    // In a script no text may look like the end of it.
    .replace(
      "<script></script>",
      () => `<script type="module">${script.replaceAll("</script", "<\\/script")}</script>`,
    );
  return [
    ["web/index.html", page],
    ["web/diff.js", diff],
  ];
}

async function bundled(input) {
  const bundle = await rolldown({
    input,
    platform: "browser",
    tsconfig: "web/tsconfig.json",
    external: ["/diff.js"],
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code.trim();
}
