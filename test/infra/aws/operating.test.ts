import { App } from "aws-cdk-lib";
import { describe, expect, test } from "vitest";
import { readStackName } from "../../../infra/aws/options/options.ts";
import { SlipwayStack } from "../../../infra/aws/slipwayStack.ts";
import { readRepositoryFile } from "../../structure/sourceFiles.ts";
import { readable, resourcesOf, type Synthesized, synthesizedWith, wholeTemplate } from "./synthesized.ts";

const guide = readRepositoryFile("docs/aws.md");
const certificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d-0000-1111-2222-333344445555";
const domain = { name: "slipway.example.com", certificateArn };
const webAclArn = "arn:aws:wafv2:eu-central-1:123456789012:regional/webacl/ours/0a1b2c3d-0000-1111-2222-333344445555";

const propertiesOf = (type: string, stack: Synthesized) =>
  Object.values(resourcesOf(type, stack)).map(({ Properties }) => Properties);

describe("a deployment that is operated by a team", () => {
  const chosen = synthesizedWith({
    ...{ domain, webAclArn, alarms: { email: "ops@example.com" }, throttle: { rate: 50, burst: 80 } },
    ...{ logRetentionDays: 400, tags: { "cost-center": "42" }, defaultAddress: false },
  });

  test("tells an address of more than the four alarms of every stack", () => {
    expect(propertiesOf("AWS::SNS::Subscription", chosen)).toMatchObject([
      { Protocol: "email", Endpoint: "ops@example.com" },
    ]);
    expect(propertiesOf("AWS::SNS::Subscription", synthesizedWith({}))).toEqual([]);
    const names = propertiesOf("AWS::CloudWatch::Alarm", chosen).map(({ MetricName }) => MetricName);
    expect(names.sort()).toEqual(
      [
        ...["5XXError", "Errors", "Errors", "Throttles"],
        ...["WriteThrottleEvents", "ReadThrottleEvents", "ApproximateNumberOfMessagesVisible", "TargetErrorCount"],
        ...["RecordsDelayed", "WatcherLag", "Throttles", "ExecutionThrottled", "Latency"],
      ].sort(),
    );
    for (const { AlarmActions, TreatMissingData } of propertiesOf("AWS::CloudWatch::Alarm", chosen)) {
      expect(readable(AlarmActions)).toBe("<AlarmsTopic>");
      expect(TreatMissingData).toBe("notBreaching");
    }
    const [composite, ...others] = propertiesOf("AWS::CloudWatch::CompositeAlarm", chosen);
    expect(others).toEqual([]);
    expect(readable(composite?.AlarmRule).match(/ALARM\(/g)).toHaveLength(names.length);
    expect(propertiesOf("AWS::CloudWatch::CompositeAlarm", synthesizedWith({}))).toEqual([]);
  });

  test("watches schedules of its own group alone", () => {
    const targets = propertiesOf("AWS::CloudWatch::Alarm", chosen).filter(
      ({ MetricName }) => MetricName === "TargetErrorCount",
    );
    expect(targets).toMatchObject([{ Dimensions: [{ Name: "ScheduleGroup", Value: "Slipway" }] }]);
  });

  test("takes as many calls as it says", () => {
    const [stage] = propertiesOf("AWS::ApiGateway::Stage", chosen);
    expect(stage?.MethodSettings).toMatchObject([{ ThrottlingRateLimit: 50, ThrottlingBurstLimit: 80 }]);
  });

  test("keeps every log as long as it says, and a month otherwise", () => {
    const days = (stack: Synthesized) =>
      new Set(propertiesOf("AWS::Logs::LogGroup", stack).map((one) => one.RetentionInDays));
    expect(days(chosen)).toEqual(new Set([400]));
    expect(days(synthesizedWith({}))).toEqual(new Set([30]));
  });

  test("tags what can be tagged", () => {
    for (const { Tags } of propertiesOf("AWS::Lambda::Function", chosen))
      expect(Tags).toEqual([
        { Key: "application", Value: "slipway" },
        { Key: "cost-center", Value: "42" },
      ]);
  });

  test("is reached by its domain alone, behind a web ACL", () => {
    expect(propertiesOf("AWS::ApiGateway::RestApi", chosen)).toMatchObject([{ DisableExecuteApiEndpoint: true }]);
    expect(propertiesOf("AWS::ApiGateway::RestApi", synthesizedWith({}))).toMatchObject([
      { DisableExecuteApiEndpoint: false },
    ]);
    const [association] = propertiesOf("AWS::WAFv2::WebACLAssociation", chosen);
    expect(association?.WebACLArn).toBe(webAclArn);
    expect(readable(association?.ResourceArn)).toMatch(
      /^arn:<AWS::Partition>:apigateway:.*\/restapis\/<ApiGateway>\/stages\//,
    );
    expect(propertiesOf("AWS::WAFv2::WebACLAssociation", synthesizedWith({}))).toEqual([]);
  });

  test("is reached from its own networks alone, by endpoints that it names", () => {
    const closed = synthesizedWith({ privateEndpoints: ["vpce-0a1b2c3d", "vpce-0a1b2c3e"] });
    const [api] = propertiesOf("AWS::ApiGateway::RestApi", closed);
    const VpcEndpointIds = ["vpce-0a1b2c3d", "vpce-0a1b2c3e"];
    expect(api?.EndpointConfiguration).toEqual({ Types: ["PRIVATE"], VpcEndpointIds });
    const anybody = { Effect: "Allow", Principal: { AWS: "*" }, Action: "execute-api:Invoke" };
    const Condition = { StringEquals: { "aws:SourceVpce": VpcEndpointIds } };
    expect(api?.Policy).toMatchObject({ Statement: [{ ...anybody, Resource: "execute-api:/*", Condition }] });
    expect(propertiesOf("AWS::ApiGatewayV2::Api", closed)).toEqual([]);
    const both = synthesizedWith({ privateEndpoints: VpcEndpointIds, changeSockets: true });
    expect(propertiesOf("AWS::ApiGatewayV2::Api", both)).toHaveLength(1);
  });

  test("keeps executions of the groups ready that it names, and lets the API call those", () => {
    const ready = synthesizedWith({ provisionedConcurrency: { environments: 2, workflows: 5 } });
    const aliases = propertiesOf("AWS::Lambda::Alias", ready).map((one) => [
      readable(one.FunctionName),
      one.Name,
      (one.ProvisionedConcurrencyConfig as { ProvisionedConcurrentExecutions: number }).ProvisionedConcurrentExecutions,
    ]);
    expect(aliases).toEqual([
      ["<environments>", "ready", 2],
      ["<workflows>", "ready", 5],
    ]);
    const [api] = propertiesOf("AWS::ApiGateway::RestApi", ready);
    const called = [...readable(api?.Body).matchAll(/function:Slipway-([\w:-]+)\/(?:response|invoc)/g)].map(
      ([, one]) => one,
    );
    expect(new Set(called.filter((one) => one?.includes(":")))).toEqual(
      new Set(["environments:ready", "workflows:ready"]),
    );
    expect(called).not.toContain("environments");
    const permissions = propertiesOf("AWS::Lambda::Permission", ready).map((one) => readable(one.FunctionName));
    expect(permissions.filter((one) => /Alias|ready/i.test(one))).toHaveLength(2);
    expect(propertiesOf("AWS::Lambda::Alias", synthesizedWith({}))).toEqual([]);
  });

  test("has a permissions boundary on every role where CDK is told one", () => {
    const bounded = synthesizedWith({ "@aws-cdk/core:permissionsBoundary": { name: "team-boundary" } });
    const roles = propertiesOf("AWS::IAM::Role", bounded);
    expect(roles.length).toBeGreaterThan(40);
    for (const { PermissionsBoundary } of roles)
      expect(readable(PermissionsBoundary)).toMatch(/:policy\/team-boundary$/);
  });

  test.each([
    [{ alarms: { email: "ops" } }, "alarms.email must be an address"],
    [{ alarms: {} }, "alarms.email must be an address"],
    [{ throttle: { rate: 0, burst: 1 } }, "throttle.rate must be at least 1"],
    [{ throttle: { rate: 10, burst: 9000 } }, "throttle.burst must be at most 5000"],
    [{ logRetentionDays: 31 }, "logRetentionDays must be a number of days"],
    [{ tags: { "aws:x": "1" } }, "tags"],
    [{ webAclArn: "arn:aws:wafv2:us-east-1:123456789012:global/webacl/a/b" }, "webAclArn must be the ARN"],
    [{ defaultAddress: false }, "defaultAddress false needs a domain"],
    [{ defaultAddress: "no" }, "defaultAddress"],
    [{ privateEndpoints: ["vpc-0a1b2c3d"] }, "privateEndpoints.0 must be a list of ids that begin with vpce-"],
    [{ privateEndpoints: [] }, "privateEndpoints must be a list"],
    [{ privateEndpoints: ["vpce-0a1b2c3d"], domain }, "privateEndpoints close it"],
    [{ provisionedConcurrency: { environment: 1 } }, "provisionedConcurrency"],
    [{ provisionedConcurrency: { environments: 0 } }, "provisionedConcurrency.environments must be an object of whole"],
    [{ data: ["outside"] }, 'data must be "inside", or an object'],
    [{ data: { tables: "x" } }, 'data Unrecognized key: "tables"'],
    [{ data: { table: "x" } }, "data.table must be the name of a table"],
    [{ data: { key: "alias/own" } }, "data.key must be the ARN"],
  ])("fails for %j, naming it", (context, problem) => {
    expect(() => synthesizedWith(context)).toThrow(problem);
  });

  test.each([
    ...["name", "alarms", "throttle", "logRetentionDays", "tags", "webAclArn", "defaultAddress", "data"],
    ...["privateEndpoints", "provisionedConcurrency"],
  ])("is told of %s by the guide", (option) => {
    expect(guide).toContain(`\`${option}\``);
  });
});

describe("what an installation keeps", () => {
  const kept = ["AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket", "AWS::KMS::Key", "AWS::SecretsManager::Secret"];
  const stacks = (context: object) => {
    process.env.CDK_VALIDATION = "false";
    const made = { "aws:cdk:bundling-stacks": [], "aws:cdk:disable-asset-staging": true };
    const app = new App({ context: { ...made, ...context } });
    new SlipwayStack(app, "Slipway");
    return Object.fromEntries(app.synth().stacks.map((one) => [one.stackName, one]));
  };
  const kinds = (stack: { template: { Resources: Record<string, { Type: string }> } } | undefined) =>
    Object.values(stack?.template.Resources ?? {}).map(({ Type }) => Type);

  test("has a stack of its own, which is not deleted by mistake", () => {
    const { Slipway, "Slipway-data": data } = stacks({});
    expect(
      kinds(data)
        .filter((kind) => kept.includes(kind))
        .sort(),
    ).toEqual([...kept].sort());
    expect(kinds(Slipway).filter((kind) => kept.includes(kind))).toEqual([]);
    expect(data?.terminationProtection).toBe(true);
    expect(Slipway?.dependencies.map(({ id }) => id)).toContain("Slipway-data");
  });

  test("stays in the one stack of an installation that has it there", () => {
    const { Slipway, ...others } = stacks({ data: "inside" });
    expect(
      kinds(Slipway)
        .filter((kind) => kept.includes(kind))
        .sort(),
    ).toEqual([...kept].sort());
    expect(others).toEqual({});
  });

  test("is used as it is where it exists already", () => {
    const key = "arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-0000-1111-2222-333344445555";
    const { Slipway, "Slipway-data": data } = stacks({ data: { table: "restored", bucket: "copied-texts", key } });
    expect(kinds(data).filter((kind) => kept.includes(kind))).toEqual(["AWS::SecretsManager::Secret"]);
    const text = JSON.stringify(Slipway?.template);
    expect(text).toContain('"SLIPWAY_TABLE":"restored"');
    expect(text).toContain('"SLIPWAY_BUCKET":"copied-texts"');
    expect(text).toContain(`"SLIPWAY_KMS_KEY":"${key}"`);
    expect(text).toContain(":table/restored/index/");
  });
});

describe("several installations of an account", () => {
  const nameOf = (name: unknown) => readStackName(new App({ context: { name } }).node);

  test("are called by a context, Slipway without one", () => {
    expect(readStackName(new App().node)).toBe("Slipway");
    expect(nameOf("team-a")).toBe("team-a");
    for (const wrong of ["", "1st", "with space", "a".repeat(41), 7])
      expect(() => nameOf(wrong), String(wrong)).toThrow("context cannot be used: name must");
  });

  test("share no name", () => {
    process.env.CDK_VALIDATION = "false";
    const app = new App({ context: { "aws:cdk:bundling-stacks": [], "aws:cdk:disable-asset-staging": true } });
    const longest = "a-team-with-a-name-of-forty-characters-x";
    const { Resources } = wholeTemplate(app, new SlipwayStack(app, longest)).toJSON() as {
      Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>;
    };
    const named = Object.values(Resources).flatMap(({ Type, Properties }) =>
      ["FunctionName", "StateMachineName", "LogGroupName", "AliasName", "DashboardName", "QueueName", "Name"].flatMap(
        (field) => (typeof Properties[field] === "string" ? [[Type, Properties[field]] as const] : []),
      ),
    );
    expect(named.length).toBeGreaterThan(80);
    // Schedules have their names within the group of their installation.
    const own = named.filter(([type]) => type !== "AWS::Scheduler::Schedule");
    expect(own.filter(([, name]) => !name.includes(longest))).toEqual([]);
    const functions = own.filter(([type]) => type === "AWS::Lambda::Function");
    expect(functions.filter(([, name]) => name.length > 64)).toEqual([]);
  });
});

test("a stack of a region in China names no other partition", () => {
  process.env.CDK_VALIDATION = "false";
  const app = new App({ context: { "aws:cdk:bundling-stacks": [], "aws:cdk:disable-asset-staging": true } });
  const env = { region: "cn-north-1", account: "123456789012" };
  const text = JSON.stringify(wholeTemplate(app, new SlipwayStack(app, "Slipway", { env })).toJSON());
  expect(text.match(/arn:aws:[^"]{0,60}/g) ?? []).toEqual([]);
});
