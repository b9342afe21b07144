import { homedir } from "node:os";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { configHome, storeHome } from "./places.ts";

test.each([
  [{ REFLOAT_HOME: "/r", XDG_STATE_HOME: "/x", HOME: "/h" }, "linux", "/r"],
  [{ REFLOAT_HOME: "", XDG_STATE_HOME: "/x", HOME: "/h" }, "linux", "/x/refloat"],
  [{ XDG_STATE_HOME: "relative", HOME: "/h" }, "linux", "/h/.local/state/refloat"],
  [{ XDG_STATE_HOME: "", HOME: "/h" }, "linux", "/h/.local/state/refloat"],
  [{ HOME: "/h" }, "darwin", "/h/Library/Application Support/refloat"],
  [{ XDG_STATE_HOME: "/x", HOME: "/h" }, "darwin", "/x/refloat"],
  [{}, "linux", `${homedir()}/.local/state/refloat`],
] as const)("with %j on %s the store lives in %s", (env, platform, home) => {
  expect(storeHome(env, platform)).toBe(home);
});

test("a relative REFLOAT_HOME becomes absolute, because children are started in other folders", () => {
  expect(storeHome({ REFLOAT_HOME: "here" })).toBe(resolve("here"));
});

test.each([
  [{ XDG_CONFIG_HOME: "/c", HOME: "/h" }, "/c/refloat"],
  [{ XDG_CONFIG_HOME: "c", HOME: "/h" }, "/h/.config/refloat"],
  [{ HOME: "/h" }, "/h/.config/refloat"],
])("with %j the user's configuration lives in %s", (env, home) => {
  expect(configHome(env)).toBe(home);
});
