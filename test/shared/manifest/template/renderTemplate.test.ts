import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { renderTemplate, TemplateError } from "../../../../shared/manifest/template/renderTemplate.ts";

interface Outcome {
  output?: string;
  error?: "parse" | "exec";
}

interface Vectors {
  data: Record<string, Record<string, unknown>>;
  vectors: { template: string; data: string; strict: Outcome; lenient: Outcome }[];
}

const { data, vectors }: Vectors = JSON.parse(readFileSync(new URL("vectors/vectors.json", import.meta.url), "utf8"));

function render(template: string, values: Record<string, unknown>, missing: "error" | "noValue"): Outcome {
  try {
    return { output: renderTemplate(template, values, { missing }).text };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { error: error.reason === "syntax" ? "parse" : "exec" };
  }
}

/** Where Go knows no variable, another program may: the text is kept for it. */
const leftToOthers = [
  "{{$x}}",
  "{{$x.y}}",
  "{{if .t}}{{$x := 2}}{{end}}{{$x}}",
  "{{range $i := .list}}{{end}}{{$i}}",
  "{{range .list}}{{$x := .}}{{end}}{{$x}}",
];

describe("a template renders as Go's text/template renders it", () => {
  it("is held to at least 300 vectors", () => {
    expect(vectors.length).toBeGreaterThan(300);
  });

  it.each(vectors.filter(({ template }) => !leftToOthers.includes(template)))(
    "$template",
    ({ template, data: name, strict, lenient }) => {
      const values = data[name] ?? {};
      expect({
        strict: render(template, values, "error"),
        lenient: render(template, values, "noValue"),
      }).toEqual({ strict, lenient });
    },
  );
});
