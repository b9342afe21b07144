import { expect, it } from "vitest";
import { movedEnvironment } from "./run-check.ts";

it("lets every name of the workspace in the environment mean the clone, and no other path (V2)", () => {
  const env = {
    PATH: "/home/me/p/.venv/bin:/usr/bin:/home/me/p-2/bin",
    PYTHONPATH: "/home/me/p",
    URL: "file:///home/me/p/x",
    OTHER: "/data/home/me/p/x",
    NOTE: "see '/home/me/p', then $& go",
  };
  expect(movedEnvironment(env, "/home/me/p", "/s/$1.c")).toEqual({
    PATH: "/s/$1.c/.venv/bin:/usr/bin:/home/me/p-2/bin",
    PYTHONPATH: "/s/$1.c",
    URL: "file:///s/$1.c/x",
    OTHER: "/data/home/me/p/x",
    NOTE: "see '/s/$1.c', then $& go",
  });
  expect(movedEnvironment({ A: "/w.x/a:/wyx/a" }, "/w.x", "/c")).toEqual({ A: "/c/a:/wyx/a" });
});
