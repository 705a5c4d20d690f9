const SCOPE = "us-east-1:000000000000";

/** The names of what lives on this machine: always the same region and account, whatever the client is configured with. */
export const arns = {
  function: (name: string): string => `arn:aws:lambda:${SCOPE}:function:${name}`,
  key: (id: string): string => `arn:aws:kms:${SCOPE}:key/${id}`,
  stateMachine: (name: string): string => `arn:aws:states:${SCOPE}:stateMachine:${name}`,
  execution: (machine: string, name: string): string => `arn:aws:states:${SCOPE}:execution:${machine}:${name}`,
  schedule: (group: string, name: string): string => `arn:aws:scheduler:${SCOPE}:schedule/${group}/${name}`,
  scheduleGroup: (group: string): string => `arn:aws:scheduler:${SCOPE}:schedule-group/${group}`,
  secret: (name: string): string => `arn:aws:secretsmanager:${SCOPE}:secret:${name}`,
};

/** The function's name in a name, a partial ARN or an ARN, each with or without a qualifier. */
export function functionNameOf(reference: string): string {
  const match = /^(?:arn:aws[^:]*:lambda:[^:]*:)?(?:\d{12}:function:|function:)?([^:]+)(?::[^:]+)?$/.exec(reference);
  return match?.[1] ?? reference;
}

/** The state machine's name in its ARN, undefined when it is not one. */
export function stateMachineNameOf(arn: string): string | undefined {
  return /^arn:aws[^:]*:states:[^:]*:\d{12}:stateMachine:([^:]+)$/.exec(arn)?.[1];
}
