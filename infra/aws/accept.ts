import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Accepts findings of cdk-nag on a construct and everything below it: rule → why, in one sentence. */
export function accept(construct: IConstruct, findings: Readonly<Record<string, string>>): void {
  Validations.of(construct).acknowledge(...Object.entries(findings).map(([id, reason]) => ({ id, reason })));
}
