import { render } from "preact";
import { followToken, takeToken, watchChanges } from "./api.ts";
import { App } from "./app.tsx";
import { followRoute } from "./route.ts";
import { followTheme } from "./theme.ts";

const token = takeToken();
followToken();
followTheme();
followRoute();
const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App hasToken={token !== null} />, root);
}
if (token !== null) watchChanges();
