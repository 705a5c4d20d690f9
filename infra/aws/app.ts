import { App, Tags, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { SlipwayStack } from "./slipwayStack.ts";

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
Tags.of(app).add("application", "slipway");

new SlipwayStack(app, "Slipway", { description: "Slipway: continuous delivery for Kubernetes, serverless" });

app.synth();
