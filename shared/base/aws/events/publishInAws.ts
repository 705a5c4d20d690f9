import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { awsRegion, config, keptWithConfig } from "../../settings/config.ts";
import type { EventBus } from "../adapters.ts";

const eventBridge = keptWithConfig(() => new EventBridgeClient(awsRegion()));

export const publish: EventBus["publish"] = async (events) => {
  const Entries = events.map(({ detailType, detail, time }) => ({
    EventBusName: config().SLIPWAY_EVENT_BUS,
    Source: "slipway",
    DetailType: detailType,
    Detail: JSON.stringify(detail),
    Time: new Date(time * 1000),
  }));
  const { FailedEntryCount: failed = 0 } = await eventBridge().send(new PutEventsCommand({ Entries }));
  return failed;
};
