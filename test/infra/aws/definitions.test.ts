import aslValidator from "asl-validator";
import { describe, expect, test } from "vitest";
import { definition as deliveryVersion } from "../../../functions/engine/delivery-version/definition.ts";
import { definition as environmentChange } from "../../../functions/engine/environment-change/definition.ts";
import { definition as job } from "../../../functions/engine/job/definition.ts";
import { partition } from "../../../functions/engine/lambdaTask.ts";
import { definition as releasePlan } from "../../../functions/engine/release-plan/definition.ts";
import { definition as workflowTask } from "../../../functions/engine/workflow-task/definition.ts";
import { readable, resourcesOf } from "./synthesized.ts";

const definitions = {
  ...{ "environment-change": environmentChange, "workflow-task": workflowTask },
  ...{ job, "release-plan": releasePlan, "delivery-version": deliveryVersion },
};

describe.each(Object.entries(definitions))("the state machine %s", (name, source) => {
  const machine = Object.values(resourcesOf("AWS::StepFunctions::StateMachine")).find(
    ({ Properties }) => Properties.StateMachineName === `Slipway-${name}`,
  )?.Properties;

  // The validator writes defaults into what it is given.
  test("is valid Amazon States Language", () => {
    const inPartition = (name: string) => JSON.parse(JSON.stringify(source).replaceAll(partition, name));
    for (const name of ["aws", "aws-cn", "aws-us-gov"])
      expect(aslValidator(inPartition(name))).toMatchObject({ isValid: true, errors: [] });
    expect(JSON.stringify(source)).not.toContain("arn:aws");
  });

  test("is deployed as it stands in the source", () => {
    expect(JSON.parse(machine?.DefinitionString as string)).toEqual(JSON.parse(JSON.stringify(source)));
    expect(machine?.StateMachineType ?? "STANDARD").toBe("STANDARD");
  });

  test("every placeholder is filled with the partition or the ARN of a function of the stack, and none for nothing", () => {
    const placeholders = [...JSON.stringify(source).matchAll(/\$\{(\w+)\}/g)].map(([, placeholder]) => placeholder);
    const substitutions = machine?.DefinitionSubstitutions as Record<string, unknown>;
    expect(Object.keys(substitutions).sort()).toEqual([...new Set(placeholders)].sort());
    const functions = Object.keys(resourcesOf("AWS::Lambda::Function")).map((id) =>
      readable({ "Fn::GetAtt": [id, "Arn"] }),
    );
    const { Partition, ...called } = substitutions;
    expect(Partition).toEqual({ Ref: "AWS::Partition" });
    for (const value of Object.values(called)) expect(functions).toContain(readable(value));
  });

  test("logs every event without the data of the execution", () => {
    expect(machine?.LoggingConfiguration).toMatchObject({ Level: "ALL", IncludeExecutionData: false });
  });
});
