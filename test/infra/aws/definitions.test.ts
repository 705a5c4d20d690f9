import aslValidator from "asl-validator";
import { describe, expect, test } from "vitest";
import { definition as deliveryVersion } from "../../../functions/engine/delivery-version/definition.ts";
import { definition as environmentChange } from "../../../functions/engine/environment-change/definition.ts";
import { definition as job } from "../../../functions/engine/job/definition.ts";
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
    expect(aslValidator(structuredClone(source))).toMatchObject({ isValid: true, errors: [] });
  });

  test("is deployed as it stands in the source", () => {
    expect(JSON.parse(machine?.DefinitionString as string)).toEqual(JSON.parse(JSON.stringify(source)));
    expect(machine?.StateMachineType ?? "STANDARD").toBe("STANDARD");
  });

  test("every placeholder is filled with the ARN of a function of the stack, and none is filled for nothing", () => {
    const placeholders = [...JSON.stringify(source).matchAll(/\$\{(\w+)\}/g)].map(([, placeholder]) => placeholder);
    const substitutions = machine?.DefinitionSubstitutions as Record<string, unknown>;
    expect(Object.keys(substitutions).sort()).toEqual([...new Set(placeholders)].sort());
    const functions = Object.keys(resourcesOf("AWS::Lambda::Function")).map((id) =>
      readable({ "Fn::GetAtt": [id, "Arn"] }),
    );
    for (const value of Object.values(substitutions)) expect(functions).toContain(readable(value));
  });

  test("logs every event without the data of the execution", () => {
    expect(machine?.LoggingConfiguration).toMatchObject({ Level: "ALL", IncludeExecutionData: false });
  });
});
