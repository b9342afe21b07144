// Writes the pages of docs/ that are made from the code: errors, records, commands, the life of a session,
// the judge, the page's API. With --check it writes nothing and fails, with the first lines that differ, when a page is not what the code says. Needs dist/.
//   node scripts/docs.mjs [--check] [FOLDER]
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiReport } from "./docs/api-report.mjs";
import { cliPage } from "./docs/cli-page.mjs";
import { errorsPage } from "./docs/errors-page.mjs";
import { historiesPage } from "./docs/histories-figures.mjs";
import { hookEventsPage } from "./docs/hook-events-page.mjs";
import { lifecyclePage } from "./docs/lifecycle-page.mjs";
import { openApiPage } from "./docs/openapi-page.mjs";
import { recordsPage } from "./docs/records-page.mjs";
import { measuredPage } from "./docs/triage-measured.mjs";
import { triagePage } from "./docs/triage-page.mjs";
import { triageRulesPage } from "./docs/triage-rules-page.mjs";

const PAGES = {
  "errors.md": errorsPage,
  "records.md": recordsPage,
  "cli.md": cliPage,
  "lifecycle.md": lifecyclePage,
  "hook-events.md": hookEventsPage,
  "openapi.json": openApiPage,
  "api-report.md": apiReport,
  "triage.md": triagePage,
  "triage-rules.md": triageRulesPage,
  "../bench/triage/NOTES.md": measuredPage,
  "../bench/histories/FIGURES.md": historiesPage,
};
const args = process.argv.slice(2);
const isCheck = args.includes("--check");
const docs = args.find((arg) => arg !== "--check") ?? join(import.meta.dirname, "../docs");
let wrong = 0;

for (const [name, page] of Object.entries(PAGES)) {
  const [path, shown] = [join(docs, name), join("docs", name)];
  const wanted = await page();
  const found = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (found === wanted) continue;
  if (isCheck) {
    wrong++;
    console.error(`${shown} is not what the code says; run: npm run docs`);
    for (const line of firstDifference(found, wanted)) console.error(line);
  } else {
    writeFileSync(path, wanted);
    console.log(`${shown} written`);
  }
}
process.exitCode = wrong > 0 ? 1 : 0;

function firstDifference(found, wanted) {
  const [old, fresh] = [found.split("\n"), wanted.split("\n")];
  const at = fresh.findIndex((line, i) => line !== old[i]);
  const from = at === -1 ? fresh.length : at;
  return [
    `  line ${from + 1}`,
    ...old.slice(from, from + 3).map((line) => `  - ${line}`),
    ...fresh.slice(from, from + 3).map((line) => `  + ${line}`),
  ];
}
