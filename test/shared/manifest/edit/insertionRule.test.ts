import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RenderError, renderService } from "../../../../shared/manifest/renderService.ts";
import type { ServiceVariable } from "../../../../shared/manifest/variables/serviceVariable.ts";

function variables(values: Record<string, unknown>, type: ServiceVariable["type"] = "string"): ServiceVariable[] {
  return Object.entries(values).map(([key, value]) => ({ key, value, type, options: [], desc: "" }));
}

/** The objects a template gives with values, or the variables it names, or the other reason of its refusal. */
function outcome(yaml: string, values: Record<string, unknown>): object[] | string {
  try {
    return renderService({ yaml, variables: variables(values), strict: true }).objects;
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return error.reason === "variable" ? `names ${error.variables?.join(",")}` : error.reason;
  }
}

const map = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{.n}}
  namespace: shop
data:
  a: {{.v}}
  b: "see {{.q}} here"
  # note {{.c}} kind: Note
  c: |
    text {{.t}}
    kind: Text
{{.l}}
`;
const calm = { n: "x", v: "x", q: "x", c: "x", t: "x", l: "# x" };

describe("a value may not bring documents (decisions 5.9)", () => {
  it.each([
    ["a marker behind a line break", map, { v: "x\n---\nkind: Pod" }],
    ["a marker behind a carriage return", map, { v: "x\r---\rkind: Pod" }],
    ["a marker behind CRLF", map, { v: "x\r\n--- \r\nkind: Pod" }],
    ["a marker at the start of a line of the template", map, { l: "---" }],
    ["an end marker", map, { l: "..." }],
    ["an end marker behind a line break", map, { v: "x\n..." }],
    ["the rest of a marker", `${map}--{{.m}}\n`, { m: "-" }],
    ["the middle of a marker", `${map}-{{.m}}-\n`, { m: "-" }],
    ["the line break before the template's dashes", `${map}# {{.m}}---\n`, { m: "\n" }],
    ["the line break in other encodings", `${map}# {{.m}}\n`, { m: "\u2028---\u2028" }],
  ])("%s", (_, yaml, values) => {
    expect(outcome(yaml, { ...calm, m: "x", ...values })).toBe(`names ${Object.keys(values).join(",")}`);
  });

  it("not even by two values together", () => {
    expect(outcome(`${map}{{.m}}{{.v2}}\n`, { ...calm, m: "--", v2: "-" })).toBe("names m,v2");
  });

  it("but may hold dashes elsewhere", () => {
    expect(outcome(map, { ...calm, v: "a --- b", q: "---", t: "x\n    ---\n    y" })).toHaveLength(1);
  });
});

describe("a value may not bring the keys apiVersion, kind or namespace (decisions 5.9)", () => {
  it.each([
    ["on a line of its own", { v: "x\nkind: Secret" }],
    ["deeper", { v: "\n    kind: Secret" }],
    ["in a flow map", { v: "{kind: X}" }],
    ["in a flow map in a list", { v: "[{a: {namespace: x}}]" }],
    ["as the pair of a list", { v: "[kind: X]" }],
    ["in quotes", { v: '{"kind": X}' }],
    ["in escapes", { v: '{"\\x6b\\u0069nd": X}' }],
    ["with a tag", { v: "{!!str kind: X}" }],
    ["as an explicit key", { v: "\n    ? kind\n    : X" }],
    ["by an alias", { v: "[&k kind, {*k : X}]" }],
    ["with an anchor", { v: "{&a apiVersion: X}" }],
    ["in a merge", { v: "{<<: {kind: X}}" }],
    ["after closing quotes", { q: 'x"\nkind: Secret\nx: "y' }],
    ["after leaving a comment", { c: "\nkind: X" }],
    ["by making a comment a key", { c: "\n " }],
    ["after a block", { t: "x\nkind: Secret" }],
    ["by ending a block, so that its text is a key", { t: "x\n  d:" }],
    ["where only blanks stand before it", { l: "kind: Secret" }],
    ["in metadata", { n: "x\n  namespace: other" }],
    ["in a second value", { v: "x\n  d:\n    kind: Y" }],
  ])("%s", (_, values) => {
    expect(outcome(map, { ...calm, ...values })).toMatch(new RegExp(`^names .*${Object.keys(values).join(",")}`));
  });

  it.each([
    ["its name in part", "ki{{.v}}: X", { v: "nd" }],
    ["its name in parts", "{{.v}}n{{.w}}: X", { v: "ki", w: "d" }],
    ["its name", "{{.v}}: X", { v: "namespace" }],
    ["its name by an alias", "a: &k {{.v}}\n*k : X", { v: "kind" }],
    ["its colon", "kind{{.v}}X", { v: ": " }],
    ["a merge", "t: &t {kind: X}\nu:\n  {{.v}}: *t", { v: "<<" }],
    ["an alias of the template's keys", "t: &t {kind: X}\nu: {{.v}}", { v: "*t" }],
    ["a merge of the template's keys", "t: &t {kind: X}\nu: {{.v}}", { v: "{<<: *t}" }],
    ["an anchor on the template's keys", "t: {{.v}}\n  kind: X\nu: *t", { v: "&t" }],
    ["the break before a key in quotes", `t: "a {{.v}} kind: X"`, { v: '"\n' }],
    ["the break before a key in plain text", "t: a {{.v}}kind: X", { v: "\n" }],
    ["the close of a text in a flow map", `t: { a: "b {{.v}} kind: X" }`, { v: '", c: d, ' }],
    ["the end of a list", "t: [a, {{.v}}\n  kind: X]", { v: "b, {c: d}," }],
  ])("nor together with the template's text: %s", (_, text, values) => {
    const yaml = `apiVersion: v1\nmetadata: {name: x}\n${text}\n`;
    const result = outcome(yaml, values);
    expect(typeof result === "string" && (result.startsWith("names ") || result === "manifest")).toBe(true);
  });

  it("nor move a guarded key of the template to the document itself", () => {
    const yaml = "{apiVersion: v1, metadata: {name: x}, spec: {a: {{.v}}, kind: X, z: {{.w}} }}";
    expect(outcome(yaml, { v: "1}, b: 1", w: "{q: 1" })).toBe("names v,w");
  });

  it("but the template's own text may, and a value may be their value", () => {
    const yaml = "apiVersion: {{.a}}\nkind: {{.k}}\nmetadata: {name: x, namespace: {{.n}}}\nroleRef: {kind: {{.k}}}\n";
    expect(outcome(yaml, { a: "v1", k: "Role", n: "shop" })).toEqual([
      { apiVersion: "v1", kind: "Role", metadata: { name: "x", namespace: "shop" }, roleRef: { kind: "Role" } },
    ]);
  });

  it.each([
    ["other keys", { v: "x\n  d: e" }, { a: "x", d: "e" }],
    ["maps and lists", { v: "{d: [1, 2]}" }, { a: { d: [1, 2] } }],
    ["entries of a map", { l: "  d: e\n  f: g" }, { d: "e", f: "g" }],
    [
      "text with these words",
      { v: "kind of a namespace", q: "kind: X" },
      { a: "kind of a namespace", b: "see kind: X here" },
    ],
    ["quotes", { v: '"kind: X"' }, { a: "kind: X" }],
    ["a comment", { v: "x # kind: X" }, { a: "x" }],
    ["a block", { v: "|\n    kind: X" }, { a: "kind: X\n" }],
    [
      "an image, a number, a switch, an address",
      { v: "reg.io:5000/a/b:v1@sha256:00", q: "3", t: "http://a/b?c=d" },
      { a: "reg.io:5000/a/b:v1@sha256:00" },
    ],
    ["nothing", { v: "", q: "", t: "", l: "" }, { a: null }],
  ])("and values may bring %s", (_, values, data) => {
    expect(outcome(map, { ...calm, ...values })).toEqual([
      expect.objectContaining({ data: expect.objectContaining(data) }),
    ]);
  });

  it("and variables of type yaml may bring anything, also through a loop", () => {
    const yaml = "apiVersion: v1\nmetadata: {name: x}\n{{range $k, $v := .y}}{{$k}}: {{$v}}\n{{end}}";
    const rendered = renderService({ yaml, variables: variables({ y: "kind: ConfigMap" }, "yaml"), strict: true });
    expect(rendered.objects[0]?.kind).toBe("ConfigMap");
    expect(
      outcome(yaml.replace("range $k, $v := .y", "with $v := .y").replace("{{$k}}", "{{$v}}"), { y: "kind" }),
    ).toBe("names y");
  });

  it("and a value stays guarded on its way through variables and functions", () => {
    const yaml = 'apiVersion: v1\nmetadata: {name: x}\n{{$x := printf "%s: X" .v}}{{$x}}\n';
    expect(outcome(yaml, { v: "kind" })).toBe("names v");
  });

  it("and placeholders such as $ClusterName$ are guarded too", () => {
    const yaml = "apiVersion: v1\nkind: A\nmetadata: {name: x}\ndata: {a: {$ClusterName$}}\n";
    const context = { projectKey: "p", serviceName: "s", namespace: "n", envName: "e", clusterName: "kind: x" };
    expect(() => renderService({ yaml, variables: [], context, strict: true })).toThrow("$ClusterName$");
  });
});

describe("whatever values are given", () => {
  const PROTECTED = ["apiVersion", "kind", "namespace"];

  function count(value: unknown, name: string): number {
    if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + count(item, name), 0);
    if (typeof value !== "object" || value === null) return 0;
    return Object.entries(value).reduce((sum, [key, item]) => sum + (key === name ? 1 : 0) + count(item, name), 0);
  }

  const lines = fc.shuffledSubarray(
    [
      "k1: {{.a}}",
      'k2: "s {{.b}} t"',
      "# note {{.c}} kind: N",
      "k3: {q: {{.a}}, r: 1}",
      "k4: [{{.b}}]",
      "k5: |\n  text {{.c}}\n  kind: T",
      "k6:\n  {{.a}}",
      "k7:\n  kind: R\n  {{.b}}",
      "{{.c}}",
      "k8: &t {kind: X}",
      "k9: *t",
      "ki{{.a}}: z",
      "k10: 'q {{.b}} kind: W'",
      "k11: plain {{.c}}\n  kind: V",
      "k12:\n- kind: U\n  {{.a}}",
      "k13:\n- {{.b}}\n- namespace: {{.c}}",
      "--{{.b}}",
      "k14: {{.a}} {{.b}}",
      "{{.a}}{{.b}}: {{.c}}",
      "k15: {{.a}}\n  namespace: S",
      'k16: { p: "{{.b}} kind: P" }',
      "k17: {{.c}}{{.c}}kind: Q",
    ],
    { minLength: 1, maxLength: 4 },
  );
  const template = lines.map((parts) => `${parts.join("\n")}\n`);
  const value = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "kind",
          "apiVersion",
          "kind: Secret",
          "namespace: y",
          "{kind: X}",
          "{<<: *t}",
          "*t",
          "&t ",
          "<<",
          "nd",
        ),
        fc.constantFrom(
          "\n",
          "\n  ",
          "\n    ",
          "\r",
          "\r\n",
          "\u0085",
          "\t",
          " ",
          '"',
          "'",
          "{",
          "}",
          "[",
          "]",
          ", ",
          ": ",
          ":",
          "# ",
        ),
        fc.constantFrom(
          "x",
          "y: 1",
          "- ",
          "-",
          "--",
          "...",
          "\n---\n",
          "|",
          "|\n",
          ">-\n",
          "? ",
          "!!str ",
          "\\x6b",
          "z:",
          "ki",
        ),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join(""));
  const head = "apiVersion: v1\nkind: A\nmetadata: {name: object}\n";

  /** What the template gives with words of the usual kinds, as far as it gives a manifest. */
  function* harmless(yaml: string): Generator<object[]> {
    const words = ["x", "", "x: x", "- x", "x:", " ", "|", "# x"];
    for (const a of words) {
      for (const b of words) {
        for (const c of words) {
          const objects = outcome(yaml, { a, b, c });
          if (typeof objects !== "string") yield objects;
        }
      }
    }
  }

  it("no more documents and no more guarded keys come of them than of harmless words", () => {
    let compared = 0;
    fc.assert(
      fc.property(template, value, value, value, (text, a, b, c) => {
        const yaml = head + text;
        const actual = outcome(yaml, { a, b, c });
        if (typeof actual === "string") return;
        // Words that give no manifest tell nothing; one of those that do has to allow what was allowed.
        let isKnown = false;
        let allows = false;
        for (const objects of harmless(yaml)) {
          isKnown = true;
          allows =
            objects.length >= actual.length && PROTECTED.every((name) => count(actual, name) <= count(objects, name));
          if (allows) break;
        }
        if (!isKnown) return;
        compared++;
        expect(allows, JSON.stringify({ actual })).toBe(true);
      }),
      { numRuns: 1500 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
