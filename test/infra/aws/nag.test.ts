import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { expect, test } from "vitest";
import { synthesized } from "./synthesized.ts";

/** Every accepted finding: where, which rule, why. */
function acceptances(): { where: string; rule: string; why: string }[] {
  return synthesized()
    .app.node.findAll()
    .flatMap((construct) =>
      construct.node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) =>
          Object.entries(data as Record<string, string>).map(([rule, why]) => ({
            where: construct.node.path,
            rule: rule.replace(/^annotation::/i, ""),
            why,
          })),
        ),
    );
}

test("cdk-nag finds nothing in the stack that was not accepted", () => {
  const { app } = synthesized();
  expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
});

test("every accepted finding has its reason in one sentence, and none is accepted for the whole stack", () => {
  const accepted = acceptances();
  expect(accepted.length).toBeGreaterThan(0);
  for (const { where, rule, why } of accepted) {
    expect(where, rule).not.toBe("Slipway");
    expect(why, `${where} ${rule}`).toMatch(/^[A-Za-z][^.]{40,}(\.|$)/);
  }
});

test("what is accepted is what was reviewed", () => {
  const lines = acceptances().map(({ where, rule }) => `${where}: ${rule}`);
  expect([...new Set(lines)].sort()).toMatchSnapshot();
});
