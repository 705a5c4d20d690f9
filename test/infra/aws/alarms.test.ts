import { describe, expect, test } from "vitest";
import { readable, resourcesOf } from "./synthesized.ts";

interface Grant {
  Effect: string;
  Action: string;
  Principal: { Service?: string };
}

interface Ending {
  status: string[];
  stateMachineArn: { Ref: string }[];
}

const topics = Object.keys(resourcesOf("AWS::SNS::Topic"));
const topic = { Ref: topics[0] };

describe("whoever subscribes to the topic of the stack is told", () => {
  test("by four alarms of one metric each, which are silent while nothing happens", () => {
    expect(topics).toHaveLength(1);
    const alarms = Object.values(resourcesOf("AWS::CloudWatch::Alarm")).map(({ Properties }) => Properties);
    for (const { Metrics, AlarmActions, TreatMissingData } of alarms)
      expect({ Metrics, AlarmActions, TreatMissingData }).toEqual({
        Metrics: undefined,
        AlarmActions: [topic],
        TreatMissingData: "notBreaching",
      });
    const watched = alarms.map(({ MetricName, Dimensions = [] }) => {
      const places = Dimensions as { Value: unknown }[];
      return [MetricName, ...places.map(({ Value }) => readable(Value))].join(" ");
    });
    expect(watched.sort()).toEqual([
      "5XXError Slipway",
      "Errors <clusterwatcher>",
      "Errors <reconciler>",
      // Of all functions of the account and region, which share their concurrency.
      "Throttles",
    ]);
  });

  test("of every execution that failed or timed out, of every machine, and of those that others aborted", () => {
    const rules = Object.values(resourcesOf("AWS::Events::Rule")).map(({ Properties }) => Properties);
    expect(rules).toHaveLength(1);
    const { detail, ...pattern } = (rules[0]?.EventPattern ?? {}) as { detail?: { $or: Ending[] } };
    expect(pattern).toEqual({ source: ["aws.states"], "detail-type": ["Step Functions Execution Status Change"] });
    const machines = Object.keys(resourcesOf("AWS::StepFunctions::StateMachine"));
    const told = detail?.$or.map(({ status, stateMachineArn }) => ({
      status,
      machines: stateMachineArn.map(({ Ref }) => Ref),
    }));
    expect(told).toEqual([
      { status: ["FAILED", "TIMED_OUT"], machines },
      // A change that another one replaces is aborted by Slipway itself.
      { status: ["ABORTED"], machines: machines.filter((name) => !name.startsWith("EnvironmentChange")) },
    ]);
    const [target] = (rules[0]?.Targets ?? []) as { Arn: unknown; InputTransformer: { InputTemplate: string } }[];
    expect(target?.Arn).toEqual(topic);
    expect(target?.InputTransformer.InputTemplate).toContain("ended as <detail-status>");
  });

  test("by CloudWatch and EventBridge, over TLS only", () => {
    const statements = Object.values(resourcesOf("AWS::SNS::TopicPolicy")).flatMap(
      ({ Properties }) => (Properties.PolicyDocument as { Statement: Grant[] }).Statement,
    );
    const allowed = statements.filter(({ Effect }) => Effect === "Allow");
    expect(allowed.map(({ Action, Principal }) => [Action, Principal.Service])).toEqual([
      ["sns:Publish", "cloudwatch.amazonaws.com"],
      ["sns:Publish", "events.amazonaws.com"],
    ]);
    const refused = statements.filter(({ Effect }) => Effect === "Deny");
    expect(JSON.stringify(refused)).toContain("aws:SecureTransport");
  });
});
