import { describe, expect, it } from "vitest";
import { putTable, takeTable, tomlTable } from "./edit-toml.ts";

const NAME = ["mcp_servers", "refloat"];
const VALUES = { command: "refloat", args: ["mcp"] };

const textOf = (edit: ReturnType<typeof putTable>): string => {
  if (edit.kind === "broken") throw new Error(`${edit.line}: ${edit.why}`);
  return edit.text;
};

describe("one table in another program's TOML", () => {
  const shapes: Readonly<Record<string, string>> = {
    empty: "",
    "a key": 'model = "x"\n',
    "no final newline": '# top\nmodel = "x"',
    CRLF: 'model = "x"\r\n\r\n[a]\r\nb = 1\r\n',
    "others in the same table": '[mcp_servers.other]\ncommand = "x"\n\n# the end\n',
    "byte order mark": '\uFEFFmodel = "x"\n',
    "empty lines at the end": "[a]\nb = 1\n\n\n",
    "brackets in values": 'a = [\n  "[x]",\n]\nb = """\n[mcp_servers]\n"""\n',
  };
  for (const [name, text] of Object.entries(shapes))
    it(`is put at its end and taken out again, and nothing else moves: ${name}`, () => {
      const after = textOf(putTable(text, NAME, VALUES));
      expect(after.startsWith(text)).toBe(true);
      expect(tomlTable(after, NAME)).toEqual(VALUES);
      expect(textOf(putTable(after, NAME, VALUES))).toBe(after);
      if (text.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
      const back = textOf(takeTable(after, NAME));
      expect(back.trimEnd()).toBe(text.trimEnd());
      if (text.endsWith("\n")) expect(back).toBe(text);
    });

  it("is replaced where its values are others, and leaves what stands behind it", () => {
    const old = `a = 1\n\n[mcp_servers.refloat]\ncommand = "/old"\nargs = ["mcp"]\n\n# of b\n[b]\nc = 2\n`;
    const after = textOf(putTable(old, NAME, VALUES));
    expect(tomlTable(after, NAME)).toEqual(VALUES);
    expect(after).toContain("\n# of b\n[b]\nc = 2\n");
    expect(after).not.toContain("/old");
    expect(textOf(takeTable(old, NAME))).toBe("a = 1\n\n# of b\n[b]\nc = 2\n");
  });

  it("is not put where it would change what the file says, nor into what is no TOML: the line is said", () => {
    expect(putTable('a = 1\nmcp_servers = { x = { command = "y" } }\n', NAME, VALUES)).toMatchObject({
      kind: "broken",
      line: 2,
    });
    expect(putTable("a = 1\nb = = 2\n", NAME, VALUES)).toMatchObject({ kind: "broken", line: 2 });
    expect(takeTable("a = 1\nmcp_servers.refloat.command = 'x'\n", NAME)).toMatchObject({ kind: "broken" });
  });
});
