import { describe, expect, it } from "vitest";
import { parseTemplate } from "./parse-template.ts";
import { parseYamlText } from "./parse-yaml.ts";

const CHART = "charts/app/templates/deployment.yaml";

describe("templates of a chart", () => {
  it("are sound where every action and every block is closed, however it is trimmed, and give what they define", () => {
    const parsed = parseTemplate(
      '{{- define "app.name" -}}\n{{ .Chart.Name | trunc 63 }}\n{{- end }}\n{{- if .Values.a }}\na: {{ include "app.labels" . | nindent 4 }}\n{{- else }}\nb: "}}"\n{{- end }}\n',
    );
    expect(parsed).toMatchObject({ kind: "sound", source: { exports: ["app.name"] } });
    expect(parsed.kind === "sound" && parsed.source?.references).toMatchObject([
      { names: ["app.labels"], line: 5 },
    ]);
  });

  it.each([
    ["an if without its end", "{{- if .Values.a }}\na: 1\n", 1, "if without its end"],
    ["an end too many", "a: 1\n{{ end }}\n", 2, "an end of nothing"],
    ["an else of nothing", "{{ else }}\n", 1, "an else of nothing"],
    ["an action that is cut off", "a: {{ .Values.a\n", 1, "an action that is not closed"],
    ["the inner one of two", "{{ range .a }}\n{{ with .b }}\n{{ end }}\n", 1, "range without its end"],
  ])("are broken by %s", (_, text, line, message) => {
    expect(parseTemplate(text)).toEqual({ kind: "broken", line, message });
  });

  it("take no comment and no text in quotes for an action's end", () => {
    expect(parseTemplate('{{/* if {{ end }} */}}\n{{ if eq .a "}}" }}x{{ end }}\n').kind).toBe("sound");
  });

  it("are told by their place: elsewhere the same braces stand in texts of YAML, which is parsed", () => {
    expect(parseYamlText(CHART, "{{- if .a }}\na: 1\n").kind).toBe("broken");
    expect(parseYamlText(".github/workflows/a.yml", `a: \${{ github.ref }}\n`)).toEqual({
      kind: "sound",
      source: null,
    });
    expect(parseYamlText("playbook.yml", 'a: "{{ b }}"\n')).toEqual({ kind: "sound", source: null });
  });
});
