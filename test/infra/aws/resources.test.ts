import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { synthesizedWith } from "./synthesized.ts";

/** Every option that adds resources. */
const everyOption = {
  alarms: { email: "ops@example.com" },
  webAclArn: "arn:aws:wafv2:us-east-1:123456789012:regional/webacl/ours/0123abcd-0000-0000-0000-000000000000",
  network: { fixedEgress: true },
  domain: {
    name: "slipway.example.com",
    certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/0123abcd-0000-0000-0000-000000000000",
    hostedZoneId: "Z0123456789ABC",
  },
  replica: { region: "eu-west-1", bucket: "slipway-copies" },
  // Two for each group of endpoints that it names.
  provisionedConcurrency: { environments: 1 },
  settings: {
    SLIPWAY_OIDC_ISSUER: "https://id.example.com",
    SLIPWAY_OIDC_CLIENT_ID: "slipway",
    SLIPWAY_OIDC_CLIENT_SECRET_NAME: "slipway/oidc",
    SLIPWAY_OIDC_REDIRECT_URI: "https://slipway.example.com/console/signed-on",
    SLIPWAY_CONSOLE_ADDRESS: "https://slipway.example.com/console",
  },
};

/** CloudFormation takes 500 (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html). */
test.each([
  ["nothing chosen", {}],
  ["every option", everyOption],
])("stacks with %s leave room for twice as many resources", (_, context) => {
  const stacks = synthesizedWith(context).app.node.children.filter((child) => child instanceof Stack);
  const counts = stacks.map((stack) => Object.keys(Template.fromStack(stack).toJSON().Resources as object).length);
  console.log(`${counts.join(" and ")} resources`);
  expect(counts).toHaveLength(2);
  expect(Math.max(...counts)).toBeLessThanOrEqual(250);
});
