import { dirname, join } from "node:path";
import { KubectlV35Layer } from "@aws-cdk/lambda-layer-kubectl-v35";
import { AssetHashType, DockerImage, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { accept } from "../accept.ts";
import { failedEventsArn, functionArn, functionName } from "../names.ts";
import type { FunctionNetwork } from "../network/functionNetwork.ts";
import { joinNetwork, joinsAnyNetwork } from "../network/joinNetwork.ts";
import { bundle, root } from "./bundle.ts";
import type { Right, Rights } from "./rights.ts";

export interface FunctionDefinition {
  /** Unique in the installation; part of the function's name in AWS. */
  name: string;
  /** File that exports `handler`, from the root of the repository. */
  entry: string;
  description: string;
  memoryMegabytes: number;
  timeoutSeconds: number;
  rights: readonly Right[];
  /** It has Helm from a layer, whose binary is for x86-64 alone. */
  hasHelm?: boolean;
  /** No caller waits for its answer: an event that it fails at three times goes to the dead-letter queue. */
  takesEvents?: boolean;
  /** Lambda ends chains of functions that call themselves after 16 links unless this says that it is meant. */
  startsItself?: boolean;
}

/** What is the same for every function of an installation. */
export interface Surroundings {
  rights: Rights;
  /** Variables that every function has. */
  settings: Readonly<Record<string, string>>;
  /** Where the functions stand; undefined is outside of every network. */
  network: FunctionNetwork | undefined;
}

/** One Lambda function with a role that holds its rights and nothing else, and a log. */
export class SlipwayFunction extends LambdaFunction {
  constructor(scope: Construct, definition: FunctionDefinition, { rights, settings, network }: Surroundings) {
    const name = functionName(Stack.of(scope), definition.name);
    const hasHelm = definition.hasHelm === true;
    const held = definition.rights.map((right) => rights[right]);
    const arn = functionArn(Stack.of(scope), definition.name);
    const logGroup = new LogGroup(scope, `${definition.name}-log`, {
      logGroupName: `/aws/lambda/${name}`,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(scope, `${definition.name}-role`, {
      description: `Slipway: what the function ${definition.name} may do`,
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: {
        rights: new PolicyDocument({
          statements: [
            writeLog(logGroup),
            ...held.flatMap(({ statements }) => statements.map(fresh)),
            ...(definition.takesEvents === true ? [keepFailedEvents(failedEventsArn(Stack.of(scope)))] : []),
            ...(network === undefined ? [] : joinNetwork(arn)),
          ],
        }),
      },
    });
    super(scope, definition.name, {
      functionName: name,
      description: definition.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: hasHelm ? Architecture.X86_64 : Architecture.ARM_64,
      layers: hasHelm ? [new KubectlV35Layer(scope, `${definition.name}-layer`)] : [],
      handler: "index.handler",
      code: codeOf(definition.entry),
      memorySize: definition.memoryMegabytes,
      timeout: Duration.seconds(definition.timeoutSeconds),
      environment: Object.assign(
        hasHelm ? { SLIPWAY_HELM: "/opt/helm/helm" } : {},
        settings,
        ...held.map(({ environment }) => environment),
      ),
      recursiveLoop: definition.startsItself === true ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
      logGroup,
      role,
    });
    if (definition.takesEvents === true) {
      const destination = failedEventsArn(Stack.of(this));
      this.configureAsyncInvoke({ onFailure: { bind: () => ({ destination }) } });
    }
    for (const { wildcards = {} } of held) accept(role, wildcards);
    if (network === undefined) return;
    (this.node.defaultChild as CfnFunction).vpcConfig = network;
    accept(role, joinsAnyNetwork);
  }
}

/** Bundled by esbuild in this process; the image is a required property that is never pulled. */
function codeOf(entry: string): Code {
  return Code.fromAsset(dirname(join(root, entry)), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry("never-used"),
      local: {
        tryBundle: (directory) => {
          bundle(entry, directory);
          return true;
        },
      },
    },
  });
}

function writeLog(logGroup: LogGroup): PolicyStatement {
  return new PolicyStatement({
    sid: "WriteLog",
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    resources: [logGroup.logGroupArn],
  });
}

/** Lambda itself sends them, with the function's role. */
function keepFailedEvents(queueArn: string): PolicyStatement {
  return new PolicyStatement({ sid: "KeepFailedEvents", actions: ["sqs:SendMessage"], resources: [queueArn] });
}

/** CDK changes the statements it is given, so that each role gets its own. */
function fresh(statement: PolicyStatement): PolicyStatement {
  return statement.copy();
}
