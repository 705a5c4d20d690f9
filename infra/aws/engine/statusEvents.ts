import { Stack } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import type { Construct } from "constructs";
import { eventBusName } from "../names.ts";

/** Where tasks, stages and jobs tell that their status changed (decisions 7.8); rules on it are the operator's own. */
export class StatusEvents extends EventBus {
  constructor(scope: Construct, id: string) {
    super(scope, id, { eventBusName: eventBusName(Stack.of(scope)), description: "Slipway: changes of status" });
  }
}
