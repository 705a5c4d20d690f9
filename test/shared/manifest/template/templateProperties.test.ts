import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderTemplate, TemplateError } from "../../../../shared/manifest/template/renderTemplate.ts";
import { cpuTime } from "../../base/common/cpuTime.ts";

function failure(template: string, data = {}): TemplateError | undefined {
  try {
    renderTemplate(template, data);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  return undefined;
}

describe("rendering", () => {
  it("leaves text without delimiters as it is", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }).filter((text) => !text.includes("{{")),
        (text) => {
          expect(renderTemplate(text, {})).toEqual({ text, spans: [], undeclared: [] });
        },
      ),
    );
  });

  it("inserts values literally and never renders them again", () => {
    const value = fc.oneof(fc.string(), fc.constantFrom("{{.b}}", "{{", "{{- .b -}}", "}}", "{{/*", "$x"));
    fc.assert(
      fc.property(value, fc.string(), (a, b) => {
        expect(renderTemplate("<{{.a}}|{{.b}}>", { a, b }).text).toBe(`<${a}|${b}>`);
      }),
    );
  });

  it("tells where inserted text stands and which variable it came from", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.string({ minLength: 1 })), (values) => {
        const template = Object.keys(values).map((key) => `- {{.${key}}}\n`);
        const { text, spans } = renderTemplate(template.join(""), values);
        expect(spans.map(({ variable }) => variable)).toEqual(Object.keys(values));
        for (const { start, end, variable } of spans) expect(text.slice(start, end)).toBe(values[variable]);
      }),
    );
  });

  it.each([
    ["through a local variable", "{{$x := .a}}{{$x}}", ["a"]],
    ["through with", "{{with .a}}{{.}}{{end}}", ["a"]],
    ["through range", "{{range $k, $v := .m}}{{$k}}{{$v}}{{end}}", ["m", "m"]],
    ["through a function, for each of its arguments", '{{printf "%s%s" .a .b}}', ["a", "b"]],
    ["through a pipeline", "{{.a | print .b}}", ["b", "a"]],
    ["through index of everything", '{{index . "a"}}', ["a"]],
    ["through everything", "{{.}}", ["a", "b", "m"]],
    ["through a range over everything", "{{range .}}{{.}}{{end}}", ["a", "b", "m"]],
    ["through and", "{{and .b .a}}", ["a"]],
    ["through parentheses", "{{(print .a)}}", ["a"]],
    ["and not from the template's own constants", '{{"x"}}{{if .a}}y{{end}}', []],
  ])("follows a value %s", (_, template, expected) => {
    const { spans } = renderTemplate(template, { a: "1", b: "2", m: { k: "v" } });
    expect(spans.map(({ variable }) => variable)).toEqual(expected);
  });

  it("names every missing key in one error", () => {
    const error = failure("{{.a}}{{.b.c}}{{range .l}}{{.x}}{{end}}\n{{.d}}{{.a}}", { b: {}, l: [{}] });
    expect(error?.reason).toBe("missing");
    expect(error?.missingKeys).toEqual(["a", "b.c", "l[].x", "d"]);
    expect(error?.message).toContain("missing keys [a, b.c, l[].x, d]");
  });

  it("tells the line of a problem", () => {
    expect(failure("a\nb\n{{.x | foo}}")?.line).toBe(3);
    expect(failure("a\n{{if .t}}\n\n{{index .x 5}}{{end}}", { t: 1, x: [] })?.line).toBe(4);
  });

  it.each(["define", "template", "block"])("refuses {{%s}} with a clear text", (word) => {
    expect(failure(`{{${word} "x"}}{{end}}`)?.message).toContain(`{{${word}}} is not supported`);
  });

  it.each(["html", "js", "urlquery", "call"])("does not have the function %s", (name) => {
    expect(failure(`{{${name} "x"}}`)?.message).toContain(`function ${name} is not defined`);
  });
});

describe("every template ends within its limits", () => {
  const text = "x".repeat(1_000_000);
  it.each([
    ["a range of ten million", "{{range 10000000}}{{end}}", {}],
    ["a range in a range", "{{range 5000}}{{range 5000}}{{end}}{{end}}", {}],
    ["a value that doubles", `{{$x := "ab"}}{{range 60}}{{$x = print $x $x}}{{end}}`, {}],
    ["a width of a million, often", '{{range 100000}}{{$x := printf "%1000000d" 1}}{{end}}', {}],
    ["a long format, often", `{{range 100000}}{{$x := printf $.a}}{{end}}`, { a: "%d".repeat(100_000) }],
    ["long texts compared, often", "{{range 500000}}{{if eq $.a $.b}}{{end}}{{end}}", { a: `${text}a`, b: `${text}b` }],
    ["long texts measured, often", "{{range 500000}}{{$x := len $.a}}{{end}}", { a: text }],
    ["long texts indexed, often", "{{range 500000}}{{$x := index $.a 5}}{{end}}", { a: text }],
    [
      "large maps sorted, often",
      "{{range 500000}}{{range $.m}}{{break}}{{end}}{{end}}",
      { m: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at])) },
    ],
    ["output of 4 MiB and more", "{{range 100}}{{$.a}}{{end}}", { a: text }],
    [
      "a map printed, often",
      "{{range 300000}}{{$x := len (print $.m)}}{{end}}",
      { m: Array.from({ length: 100_000 }, () => 1) },
    ],
    ["1 MB of nested blocks", "{{if .a}}".repeat(110_000), {}],
    ["1 MB of nested parentheses", `{{${"(".repeat(1_000_000)}`, {}],
    ["closed parentheses", `{{${"(".repeat(100_000)}1${")".repeat(100_000)}}}`, {}],
    [
      "values of many variables joined, often",
      `{{$x := print ${Array.from({ length: 900 }, (_, at) => `.k${at}`).join(" ")}}}{{range 500000}}{{len $x}}{{end}}`,
      Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`k${at}`, "v"])),
    ],
  ])("%s", { timeout: 60_000 }, (_, template, data) => {
    const time = cpuTime(() => expect(failure(template, data)?.reason).toBe("limit"));
    expect(time).toBeLessThan(5000);
  });

  it.each([
    ["actions", "{{.a}}\n"],
    ["actions on one line", "{{.a}} "],
    ["declared variables", "{{$a := .a}}{{$a}}\n"],
    ["comments", "{{- /* c */ -}} x\n"],
    ["conditions", '{{if eq .a "v"}}x{{else if .a}}y{{end}}\n'],
    ["text", "some text { } \n"],
    ["spaces trimmed", "        {{- .a}}\n"],
    ["string constants", '{{"a\\n\\x41 b"}}\n'],
  ])("takes time in proportion to the size: %s", (_, unit) => {
    const [small, large] = [2_000, 32_000].map((count) => {
      const template = unit.repeat(count);
      return Math.min(...[1, 2, 3].map(() => cpuTime(() => renderTemplate(template, { a: "v" }))));
    });
    // Sixteen times the size; quadratic work would take 256 times as long.
    expect(large! / Math.max(small!, 1)).toBeLessThan(100);
  });
});
