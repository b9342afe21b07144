import { expect, test } from "vitest";
import { parseTarget, sshArguments, targetText } from "./target.ts";

test.each([
  ["ssh://build2/srv/app", { host: "build2", port: null, path: "/srv/app" }],
  ["ssh://ann@build2:2222/srv/app", { host: "ann@build2", port: 2222, path: "/srv/app" }],
  ["ssh://build2/~/app", { host: "build2", port: null, path: "app" }],
  ["ssh://build2", { host: "build2", port: null, path: null }],
  ["ssh://build2/", { host: "build2", port: null, path: null }],
  ["ssh://ann@[fe80::1]:22/x y", { host: "ann@fe80::1", port: 22, path: "/x y" }],
])("%s is taken apart as ssh takes it, and written down so that it is the same again", (typed, expected) => {
  const target = parseTarget(typed, "/here");
  expect(target).toEqual({ kind: "ssh", ...expected });
  expect(parseTarget(targetText(target), "/elsewhere")).toEqual(target);
});

test.each([
  "ssh://-oProxyCommand=id/x",
  "ssh://-l@host/x",
  "ssh:///x",
  "ssh://a:b@host/x",
  "https://host/x",
  "ssh://ho st/x",
])("%s is refused, never handed to ssh or taken for a file", (typed) => {
  expect(() => parseTarget(typed, "/here")).toThrow(expect.objectContaining({ code: "E_USAGE" }));
});

test("a file is told from where somebody stands", () => {
  expect(parseTarget("out/x.refloat", "/here")).toEqual({ kind: "file", path: "/here/out/x.refloat" });
});

test("a path that a shell would act on reaches the other machine as one word (T3)", () => {
  const target = parseTarget("ssh://host/a'; rm -rf $HOME;'", "/");
  if (target.kind !== "ssh") throw new Error("no address");
  const args = sshArguments(target, "refloat", ["store", "import", "-"]);
  expect(args.slice(-3)).toEqual(["--", "host", `refloat -C '/a'\\''; rm -rf $HOME;'\\''' store import -`]);
});
