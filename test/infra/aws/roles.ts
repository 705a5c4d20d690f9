import { readable, resourcesOf } from "./synthesized.ts";

export interface Statement {
  Sid?: string;
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

interface Policy {
  PolicyDocument: { Statement: Statement[] };
  Roles?: { Ref: string }[];
}

/** Statements of a role of the stack: its own and those attached to it. */
export function statementsOf(roleId: string): Statement[] {
  const inline = (resourcesOf("AWS::IAM::Role")[roleId]?.Properties.Policies ?? []) as Policy[];
  const attached = Object.values(resourcesOf("AWS::IAM::Policy"))
    .map(({ Properties }) => Properties as unknown as Policy)
    .filter(({ Roles = [] }) => Roles.some(({ Ref }) => Ref === roleId));
  return [...inline, ...attached].flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

export function actionsOf({ Action }: Statement): string[] {
  return [Action].flat();
}

export function resourcesIn({ Resource }: Statement): string[] {
  return (Array.isArray(Resource) ? Resource : [Resource]).map(readable);
}

export interface DeployedFunction {
  name: string;
  roleId: string;
  /** Names of the variables in its environment. */
  settings: string[];
}

/** The Lambda functions of the stack, by the names that the source gives them. */
export function functionsOfStack(): DeployedFunction[] {
  return Object.values(resourcesOf("AWS::Lambda::Function")).map(({ Properties }) => ({
    name: String(Properties.FunctionName).replace("Slipway-", ""),
    roleId: (Properties.Role as { "Fn::GetAtt": [string, string] })["Fn::GetAtt"][0],
    settings: Object.keys((Properties.Environment as { Variables?: object } | undefined)?.Variables ?? {}).sort(),
  }));
}
