// docs/openapi.json: what `refloat serve` answers, from the table of its routes.
import { readFileSync } from "node:fs";

export async function openApiPage() {
  const { ROUTES } = await import("../../dist/server/http/page-app.js");
  const { openApi } = await import("../../dist/server/http/openapi.js");
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return `${JSON.stringify(openApi(ROUTES, version), null, 2)}\n`;
}
