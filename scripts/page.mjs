// The page as two files: index.html with its script and its style in it, so that it is drawn after one more round trip,
// and diff.js, which only who looks at a diff loads. And blackbox.html, the same views without a server, into which a bundle
// puts what it holds. No network, and nothing in them asks for any (docs/page.md).
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { rolldown } from "rolldown";

/** The files of the page: name under dist/, text. */
export async function bundlePage() {
  const [script, diff, box] = await Promise.all([
    bundled("web/src/main.tsx"),
    bundled("web/src/diff-rows.ts"),
    bundled("web/src/blackbox.tsx"),
  ]);
  const style = readFileSync("web/style.css", "utf8").replaceAll(/\/\*[\s\S]*?\*\/\s*/g, "");
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(inScript(box))}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return [
    ["web/index.html", filled("web/index.html", style, script)],
    ["web/diff.js", diff],
    [
      "web/blackbox.html",
      filled("web/blackbox.html", style, box).replace('content=""', () => `content="${policy}"`),
    ],
  ];
}

const filled = (template, style, script) =>
  readFileSync(template, "utf8")
    .replace("<style></style>", () => `<style>${style}</style>`)
    .replace("<script></script>", () => `<script type="module">${inScript(script)}</script>`);

/** In a script no text may look like the end of it. */
const inScript = (script) => script.replaceAll("</script", "<\\/script");

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

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
