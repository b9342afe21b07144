/** Java: imports, types of the own package, members of types that are written down, arguments of constructors. Half-done, and finished beside it. */
import { describe, expect, it } from "vitest";
import { type Case, DONE, judge, rulesOf, type Tree } from "../../../../test/support/triage-facts.ts";

const done = (head: Tree, now: Case["now"]): Case => ({ head, now, facts: DONE });
const verdicts = async (given: Case): Promise<string[]> => (await judge(given)).map(({ verdict }) => verdict);
const rules = async (given: Case): Promise<string[]> => (await judge(given)).flatMap(rulesOf);

const at = (path: string): string => `src/main/java/org/example/${path}.java`;
const file = (of: string, body: string, imports: readonly string[] = []): string =>
  `package org.example.${of};\n\n${imports.map((one) => `import ${one};\n`).join("")}\n${body}`;
const BOX = file(
  "shapes",
  "public class Box extends Base {\n  private int side;\n\n  public Box(int side) {\n    this.side = side;\n  }\n\n  public int area() {\n    return side * side;\n  }\n\n  public Box twice() {\n    return new Box(side * 2);\n  }\n\n  public static class Lid {\n    public int size;\n  }\n}\n",
);
const BASE = file(
  "shapes",
  "public class Base {\n  protected int id;\n\n  public int key() {\n    return id;\n  }\n}\n",
);
const main = (body: string, imports: readonly string[] = ["org.example.shapes.Box"]): string =>
  file(
    "app",
    `public class Main {\n  private int count;\n\n  int run(int given) {\n    ${body}\n  }\n}\n`,
    imports,
  );
const HEAD = { [at("shapes/Box")]: BOX, [at("shapes/Base")]: BASE, [at("app/Main")]: main("return 1;", []) };
/** A class of another package came to say this. */
const says = (body: string, imports?: readonly string[], more: Tree = {}): Case =>
  done({ ...HEAD, ...more }, { [at("app/Main")]: main(body, imports) });

describe("Java: what is not there is wanted, so the group is risky, never safe (S3)", () => {
  it.each([
    ["a type that a package of the workspace does not have", says("return 1;", ["org.example.shapes.Disc"])],
    [
      "a type that nothing imports and the own package does not have",
      says("Disc disc = null;\n    return 1;", []),
    ],
    ["a type inside of another that is not there", says("return 1;", ["org.example.shapes.Box.Handle"])],
    [
      "what a static import takes and the type does not have",
      says("return 1;", ["static org.example.shapes.Box.open"]),
    ],
    ["a method of a variable", says("Box box = new Box(given);\n    return box.size();")],
    ["a field of a variable", says("Box box = new Box(given);\n    return box.width;")],
    ["a static method", says("return Box.of(given).area();")],
    ["a method of what a call gives", says("Box box = new Box(given);\n    return box.twice().size();")],
    ["a method without an owner", says("return missing(given);", [])],
    ["a method of this", says("return this.missing(given);", [])],
    ["a name that nothing declares", says("return given + missing;", [])],
    [
      "a method that went, and an unchanged class calls it",
      done(
        { ...HEAD, [at("app/Main")]: main("Box box = new Box(given);\n    return box.area();") },
        { [at("shapes/Box")]: BOX.replace("int area", "int size") },
      ),
    ],
    [
      "a type that went, and an unchanged class imports it",
      done(
        { ...HEAD, [at("app/Main")]: main("Box box = new Box(given);\n    return box.area();") },
        { [at("shapes/Box")]: BOX.replaceAll("Box", "Chest") },
      ),
    ],
  ] as const)("%s", async (_, given) => {
    expect(await verdicts(given)).toEqual(["risky"]);
    expect((await rules(given)).some((rule) => /^missing-(?:file|export)$/.test(rule))).toBe(true);
  });

  const COUNTED = file(
    "shapes",
    "public class Tally {\n  public int add(int one) {\n    return one;\n  }\n}\n",
  );

  it("a method of a class that extends nothing gets too many", async () => {
    const call = (given: string): Case =>
      says(`Tally tally = new Tally();\n    return tally.add(${given});`, ["org.example.shapes.Tally"], {
        [at("shapes/Tally")]: COUNTED,
      });
    expect(await verdicts(call("1, 2"))).toEqual(["risky"]);
    expect(await verdicts(call("1"))).toEqual(["safe"]);
    expect(await verdicts(says("return run(given, 1);", []))).toEqual(["risky"]);
  });

  it.each([
    ["too few in the group", says("return new Box().area();")],
    [
      "too few in an unchanged class, since the constructor takes more",
      done(
        { ...HEAD, [at("app/Main")]: main("return new Box(given).area();") },
        {
          [at("shapes/Box")]: BOX.replace("public Box(int side)", "public Box(int side, int by)").replace(
            "new Box(side * 2)",
            "new Box(side * 2, 1)",
          ),
        },
      ),
    ],
  ] as const)("a constructor gets %s", async (_, given) => {
    expect(await verdicts(given)).toEqual(["risky"]);
    expect(await rules(given)).toContain("wrong-arguments");
  });
});

describe("Java: finished work is safe", () => {
  it.each([
    [
      "what a type has, by itself and by what it extends",
      says("Box box = new Box(given);\n    return box.area() + box.key() + box.twice().area();"),
    ],
    ["a type inside of another", says("Box.Lid lid = new Box.Lid();\n    return lid.size;")],
    [
      "types of java.lang and of other libraries",
      says(
        'String name = "a";\n    List<String> all = new ArrayList<>();\n    return name.length() + all.size();',
        ["java.util.List", "java.util.ArrayList"],
      ),
    ],
    [
      "any type where all of another library is taken",
      says("List<String> all = null;\n    return all.size();", ["java.util.*"]),
    ],
    [
      "a type of a package here that is taken whole",
      says("Box box = new Box(given);\n    return box.area();", ["org.example.shapes.*"]),
    ],
    [
      "what a class from elsewhere may have",
      says("return new Helper().anything(given);", [], {
        [at("app/Helper")]: file("app", "public class Helper extends Framework {\n}\n", [
          "com.other.Framework",
        ]),
      }),
    ],
    [
      "what an annotation may write",
      says("Helper helper = null;\n    return helper.getSize();", [], {
        [at("app/Helper")]: file("app", "@Data\npublic class Helper {\n  private int size;\n}\n", [
          "lombok.Data",
        ]),
      }),
    ],
    [
      "parameters, fields, lambdas and locals of the class",
      says(
        "int sum = count + given;\n    Runnable run = () -> {};\n    java.util.function.Function<Integer, Integer> f = x -> x + sum;\n    return f.apply(sum);",
        [],
      ),
    ],
    [
      "what a class inside takes of the one around it",
      says(
        "class Inner {\n      int get() {\n        return count + run(1);\n      }\n    }\n    return new Inner().get();",
        [],
      ),
    ],
    [
      "an enum and what every enum has",
      says('return Way.valueOf("UP").ordinal() + Way.UP.steps();', [], {
        [at("app/Way")]: file("app", "public enum Way {\n  UP;\n\n  int steps() {\n    return 1;\n  }\n}\n"),
      }),
    ],
    [
      "a method that went with its last call",
      done(
        { ...HEAD, [at("app/Main")]: main("return new Box(given).area();") },
        {
          [at("shapes/Box")]: BOX.replace("int area", "int size"),
          [at("app/Main")]: main("return new Box(given).size();"),
        },
      ),
    ],
  ] as const)("%s", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(({ verdict, reasons }) => (verdict === "safe" ? [] : reasons))).toEqual([]);
  });
});
