import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { readStackName } from "./options/options.ts";
import { SlipwayStack } from "./slipwayStack.ts";

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
new SlipwayStack(app, readStackName(app.node), {
  description: "Slipway: continuous delivery for Kubernetes, serverless",
});

app.synth();
