import { describe, expect, test } from "vitest";
import { actionsOf, functionsOfStack, resourcesIn, type Statement, statementsOf } from "./roles.ts";
import { resourcesOf } from "./synthesized.ts";

const roles = resourcesOf("AWS::IAM::Role");
const functions = functionsOfStack();

/** A statement in one line, as it is reviewed. */
function line(statement: Statement): string {
  const condition = statement.Condition === undefined ? "" : ` if ${JSON.stringify(statement.Condition)}`;
  return `${statement.Effect} ${actionsOf(statement).join(", ")} on ${resourcesIn(statement).join(", ")}${condition}`;
}

describe("what functions may do", () => {
  test.each(functions)("$name may do exactly what was reviewed", ({ roleId, settings }) => {
    expect({ rights: statementsOf(roleId).map(line), settings }).toMatchSnapshot();
  });

  test("every function has a role of its own, without a managed policy", () => {
    expect(new Set(functions.map(({ roleId }) => roleId)).size).toBe(functions.length);
    for (const { name, roleId } of functions) expect(roles[roleId]?.Properties.ManagedPolicyArns, name).toBeUndefined();
  });

  test("no policy in the stack allows an action by a wildcard", () => {
    for (const role of Object.keys(roles))
      for (const statement of statementsOf(role))
        for (const action of actionsOf(statement)) expect(action, role).toMatch(/^[a-z0-9-]+:[A-Za-z0-9]+$/);
  });

  test("only actions for which AWS knows no resource are allowed on *", () => {
    const onEverything = Object.keys(roles)
      .flatMap(statementsOf)
      .filter((statement) => resourcesIn(statement).includes("*"))
      .flatMap(actionsOf);
    expect([...new Set(onEverything)].sort()).toEqual([
      "ecr:GetAuthorizationToken",
      "logs:CreateLogDelivery",
      "logs:DeleteLogDelivery",
      "logs:DescribeLogGroups",
      "logs:DescribeResourcePolicies",
      "logs:GetLogDelivery",
      "logs:ListLogDeliveries",
      "logs:PutResourcePolicy",
      "logs:UpdateLogDelivery",
      "xray:GetSamplingRules",
      "xray:GetSamplingTargets",
      "xray:PutTelemetryRecords",
      "xray:PutTraceSegments",
    ]);
  });

  test("logs and files of jobs are written by who runs jobs, and read by who shows logs", () => {
    const allowed = (wanted: string): string[] =>
      functions
        .filter(({ roleId }) =>
          statementsOf(roleId).some(
            (statement) =>
              actionsOf(statement).includes(wanted) && resourcesIn(statement).some((name) => name.endsWith("/jobs/*")),
          ),
        )
        .map(({ name }) => name);
    expect(allowed("s3:PutObject")).toEqual(["job"]);
    expect(allowed("s3:GetObject").sort()).toEqual(["job", "logs"]);
  });

  test("a role is passed to the scheduler only", () => {
    const passing = Object.keys(roles)
      .flatMap(statementsOf)
      .filter((statement) => actionsOf(statement).includes("iam:PassRole"));
    expect(passing.length).toBeGreaterThan(0);
    for (const { Condition } of passing)
      expect(Condition).toEqual({ StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } });
  });
});
