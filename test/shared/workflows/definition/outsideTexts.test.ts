import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { isShell, outsideInto, withTextsApart } from "../../../../shared/workflows/definition/outsideTexts.ts";

const path = "payload.trigger.branch";
const place = `{{.${path}}}`;
const evil = `a'b"c $(echo ran) \`echo ran\`; echo ran & echo ran\necho ran #`;

function told(script: string, shell = "sh"): string {
  const { scripts, variables } = withTextsApart([script], outsideInto({}, { [path]: evil }));
  const env = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  return execFileSync(shell, ["-c", scripts[0] ?? ""], { env: { PATH: process.env.PATH, ...env } }).toString();
}

describe("a text of others in a script", () => {
  test.each([
    ["double quotes", `printf %s "x${place}y"`],
    ["single quotes", `printf %s 'x${place}y'`],
    ["single quotes behind others", `# don't\nprintf '' "it's"; printf %s 'x${place}y'`],
    ["double quotes behind an escape", `printf '' \\' ; printf %s "x${place}y"`],
    ["an assignment", `V=x${place}y; printf %s "$V"`],
    ["a here-document", `cat <<END | tr -d '\\n' | sed 's/echo ran #y/\\n&/'\nx${place}y\nEND`],
  ])("is what it is in %s", (_where, script) => {
    expect(told(script).replaceAll("\n", "")).toBe(`x${evil}y`.replaceAll("\n", ""));
  });

  test.each([
    ["without quotes", `echo ${place}`],
    ["a comment", `true # ${place}\necho end`],
    ["a substitution", `echo "$(echo '${place}')"`],
    ["a substitution in single quotes", `echo $(echo '${place}')`],
    ["a quoted here-document", `cat <<'END'\nit's ${place}\nEND`],
    ["quotes that do not end well", `echo "it's ${place}" 'and "${place}'`],
  ])("is never run in %s", (_where, script) => {
    for (const shell of ["sh", "bash"]) expect(told(script, shell).split("\n")).not.toContain("ran");
  });

  test("stays in place where people started the task, and where the script has others' names", () => {
    const script = `echo ${place} {{.workflow.params.a-b}} {{.project}} $(inputs.x)`;
    expect(withTextsApart([script], {})).toEqual({ scripts: [script], variables: [] });
    const outside = withTextsApart(
      [script, "$(inputs.y){{ .workflow.params.a-b }}"],
      outsideInto({}, {}),
      new Map([["y", "1"]]),
    );
    const [payload, param, input] = outside.variables.map(({ name }) => `\${${name}}`);
    expect(outside.variables).toEqual([
      { name: "SLIPWAY_TEXT_payload__trigger__branch", value: "", isCredential: false },
      { name: "SLIPWAY_TEXT_workflow__params__a_x2d_b", value: "{{.workflow.params.a-b}}", isCredential: false },
      { name: "SLIPWAY_TEXT_inputs__y", value: "1", isCredential: false },
    ]);
    expect(outside.scripts).toEqual([`echo ${payload} ${param} {{.project}} $(inputs.x)`, `${input}${param}`]);
  });
});

test.each([
  [["sh", "-c"], ["x"], true],
  [["/bin/bash"], ["-ec", "x"], true],
  [["deploy"], ["-c", "x"], false],
  [["sh"], ["run.sh"], false],
  [[], ["-c"], false],
])("%j with %j is a shell: %s", (command, args, expected) => {
  expect(isShell(command, args)).toBe(expected);
});
