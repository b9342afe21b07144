import { expect, test } from "vitest";
import type { Trouble } from "./options.ts";
import { tellerOf } from "./teller.ts";

test("a log that throws stops nothing: it is trouble, with the session it was about (T1)", () => {
  const heard: Trouble[] = [];
  const broken = new Error("the log is full");
  const { notice } = tellerOf({
    onNotice: () => {
      throw broken;
    },
    onTrouble: (trouble) => heard.push(trouble),
  });
  notice({ kind: "lifted", level: "info", session: "c1", text: "lifted", reason: "by order" });
  expect(heard).toEqual([{ session: "c1", error: broken }]);
});
