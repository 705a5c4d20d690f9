import { App, Tags, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { SlipwayStack } from "./slipwayStack.ts";

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
// CloudFormation's own schema of a rule knows no tags.
Tags.of(app).add("application", "slipway", { excludeResourceTypes: ["AWS::Events::Rule"] });

new SlipwayStack(app, "Slipway", { description: "Slipway: continuous delivery for Kubernetes, serverless" });

app.synth();
