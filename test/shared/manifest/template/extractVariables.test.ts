import { describe, expect, it } from "vitest";
import { renderService } from "../../../../shared/manifest/renderService.ts";
import { extractVariables } from "../../../../shared/manifest/template/extractVariables.ts";
import { TemplateError } from "../../../../shared/manifest/template/renderTemplate.ts";

function brief(source: string): unknown[] {
  return extractVariables(source).map(({ key, type, value }) => [key, type, value]);
}

describe("variables are found in a service YAML (contract P 12.1)", () => {
  it("gives each top-level name once, in the order of appearance, with an empty default", () => {
    expect(extractVariables("{{.b}}{{.a}}{{.b}}")).toEqual([
      { key: "b", type: "string", value: "", options: [], desc: "" },
      { key: "a", type: "string", value: "", options: [], desc: "" },
    ]);
  });

  it.each([
    ["a nested name makes a yaml variable", "{{.a.b}}{{.a.c.d}}", [["a", "yaml", 'b: ""\nc:\n  d: ""\n']]],
    ["a range takes a list", "{{range .l}}{{.name}}{{end}}", [["l", "yaml", "[]\n"]]],
    ["a comparison with text has an empty default", '{{if eq .a "x"}}{{end}}', [["a", "string", ""]]],
    [
      "a comparison with a number has 0",
      "{{if gt .a 3}}{{end}}{{.b | le 2}}",
      [
        ["a", "string", 0],
        ["b", "string", 0],
      ],
    ],
    ["a comparison with true has false", "{{if eq .a true}}{{end}}", [["a", "bool", false]]],
    [
      "with reads fields of its value",
      "{{with .w}}{{.x}}{{$.y}}{{end}}",
      [
        ["w", "yaml", 'x: ""\n'],
        ["y", "string", ""],
      ],
    ],
    ["a local variable stands for what it was set to", "{{$x := .a}}{{$x.b}}", [["a", "yaml", 'b: ""\n']]],
    [
      "index by a constant is a field or an item",
      '{{index .m "k"}}{{index .l 1}}',
      [
        ["m", "yaml", 'k: ""\n'],
        ["l", "yaml", '- ""\n- ""\n'],
      ],
    ],
    ["a name that YAML reads otherwise is quoted", "{{.a.no}}", [["a", "yaml", '"no": ""\n']]],
    ["locals of loops are not counted", "{{range $i, $v := .l}}{{$i}}{{$v.x}}{{end}}", [["l", "yaml", "[]\n"]]],
    [
      "names of other branches count",
      "{{if .a}}{{.b}}{{else if .c}}{{.d}}{{else}}{{.e}}{{end}}",
      ["a", "b", "c", "d", "e"].map((key) => [key, "string", ""]),
    ],
    ["comments and text do not count", "{{/* .a */}} .b $c", []],
  ])("%s", (_, source, expected) => {
    expect(brief(source)).toEqual(expected);
  });

  it("gives defaults with which the YAML renders strictly", () => {
    const body = '{{.a}}{{.b.c}}{{range .l}}{{.x}}{{end}}{{if gt .n 1}}{{end}}{{index .m "k"}}{{with .w}}{{.z}}{{end}}';
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: '${body}'\n`;
    expect(() => renderService({ yaml, variables: extractVariables(yaml), strict: true })).not.toThrow();
  });

  it("refuses a template that cannot be read", () => {
    expect(() => extractVariables("{{.a")).toThrow(TemplateError);
  });
});
