import { App, Tags, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { SlipwayStack } from "./slipwayStack.ts";

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
// The published schemas of these know no tags.
Tags.of(app).add("application", "slipway", {
  excludeResourceTypes: ["AWS::Events::Rule", "AWS::CloudWatch::Dashboard"],
});

new SlipwayStack(app, "Slipway", { description: "Slipway: continuous delivery for Kubernetes, serverless" });

app.synth();
