import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isVariable } from "../../../../shared/base/common/placeholders.ts";
import { filledYaml } from "../../../../shared/manifest/edit/filledYaml.ts";
import { yamlTemplate } from "../../../../shared/manifest/edit/yamlTemplate.ts";
import { outsideInto, withTextsApart } from "../../../../shared/workflows/definition/outsideTexts.ts";
import { isLate } from "../../../../shared/workflows/jobs/variables/lateValues.ts";
import {
  isRendered,
  renderEarly,
  renderLate,
  withServiceModule,
} from "../../../../shared/workflows/records/rules/variables.ts";
import { withPayload } from "../../../../shared/workflows/triggers/rules/payload.ts";

const known = new Map([
  ["project", "shop"],
  ["workflow.params.version", "1.2.3"],
  ["State.Status", "never"],
  ["Values.tag", "never"],
]);

/** Texts that look like templates, of pieces that meet in every way. */
const pieces = fc.constantFrom(
  ...["{{", "}}", "{{-", "-}}", "{{.", "{", "}", ".", " ", "\t", "\n", "|", '"', "'", "$", "#"],
  ...["State.Status", "Values.tag", "Project", "projects.x", "jobs", "job", "workflow", "payload", "item.name"],
  ...["{{.State.Status}}", "{{ .Values.tag | quote }}", "{{range .items}}", "{{end}}", "{{ inventory }}", "{% if %}"],
  ...[
    "{{.credential.x}}",
    "{{.Job.a}}",
    "{{.workflow}}",
    "{{.jobless.a}}",
    "<SERVICE>",
    "$",
    "{{ x }}",
    "é",
    "\u{1F600}",
  ],
);
const foreign = fc
  .array(fc.oneof({ weight: 4, arbitrary: pieces }, { weight: 1, arbitrary: fc.string() }), { maxLength: 12 })
  .map((parts) => parts.join(""))
  // Said apart from the code that is tried.
  .filter((text) => !/\{\{\s*\.(?:(?:workflow|jobs?|payload|parameters?|project)\.|project\s*\})/.test(text));

describe("text without a root of ours (decisions 19.2)", () => {
  test("passes every place that fills variables, byte for byte", () => {
    fc.assert(
      fc.property(foreign, (text) => {
        const value = { script: text, list: [text] };
        expect(renderEarly(value, known)).toEqual(value);
        expect(renderLate(value, known)).toEqual(value);
        expect(withServiceModule(value, "web", "main")).toEqual(value);
        expect(withPayload(value, { trigger: {}, body: { tag: "x" } })).toEqual(value);
        expect(isRendered(text)).toBe(true);
        expect(isLate(text)).toBe(false);
        if (!text.includes("$(inputs.")) expect(withTextsApart([text], outsideInto({}, {})).scripts).toEqual([text]);
      }),
      { numRuns: 2000 },
    );
  });

  test("passes the YAML of patches of Kubernetes objects", () => {
    fc.assert(
      fc.property(foreign, (text) => {
        const template = yamlTemplate(`data: {text: ${JSON.stringify(text)}}`, (_path, written) =>
          isVariable(written) ? written : undefined,
        );
        expect(filledYaml(renderLate(template, known))).toEqual({ data: { text } });
      }),
      { numRuns: 500 },
    );
  });

  test("stands beside variables that are filled", () => {
    fc.assert(
      fc.property(foreign, foreign, (before, after) => {
        // A brace before the variable, or behind it, would belong to it.
        const [left, right] = [`${before}|`, `|${after}`];
        const text = `${left}{{ .workflow.params.version }}${right}`;
        expect(renderLate(renderEarly(text, known), known)).toBe(`${left}1.2.3${right}`);
      }),
    );
  });
});

test.each([
  ["{{.project}} {{ .project }}", "shop shop"],
  ["{{.workflow.params.nobody}}|{{.job.nobody.output.X}}|{{.parameter.group.key}}|{{.payload.a.b}}", "|||"],
  ["{{.project.nothing}}{{.workflow.nothing}}", ""],
  [
    "{{.workflow}} {{.job}} {{.payload}} {{.projects}} {{.Project}}",
    "{{.workflow}} {{.job}} {{.payload}} {{.projects}} {{.Project}}",
  ],
  ["{{- .project -}} {{.project | upper}}", "{{- .project -}} {{.project | upper}}"],
])("%s becomes %s", (text, rendered) => {
  expect(renderLate(text, known)).toBe(rendered);
});

test("the value of a parameter that is a template of others stays, and one that is a variable is filled later", () => {
  const values = new Map([
    ["workflow.params.foreign", "{{.State.Status}}"],
    ["workflow.params.later", "{{.job.make.output.TAG}}"],
  ]);
  const text = "{{.workflow.params.foreign}} {{.workflow.params.later}}";
  expect(renderEarly(text, values)).toBe("{{.State.Status}} {{.workflow.params.later}}");
});
