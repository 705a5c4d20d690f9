import { Annotations, Aspects, CfnOutput, Stack, type StackProps, Tags } from "aws-cdk-lib";
import { CfnLogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { Alarms } from "./alarms.ts";
import { Api } from "./api/api.ts";
import { addDashboard } from "./dashboard.ts";
import { FailedEvents } from "./engine/failedEvents.ts";
import { stateMachines } from "./engine/machines.ts";
import { ReconcilerSchedule } from "./engine/reconcilerSchedule.ts";
import { SchedulerRole } from "./engine/schedulerRole.ts";
import { StatusEvents } from "./engine/statusEvents.ts";
import { apiFunctions, calledFunctions, workerFunctions } from "./functions/functions.ts";
import { ofIdentityProvider, rightsOver } from "./functions/rights.ts";
import { failedEventsName } from "./names.ts";
import { functionNetwork } from "./network/functionNetwork.ts";
import { readData, readOptions } from "./options/options.ts";
import type { Settings } from "./options/settings.ts";
import { storedBeside, storedInside } from "./storage/stored.ts";
import { ChangeSockets } from "./websocket.ts";

/** One installation of Slipway: what runs, how it is reached and how it is watched; what it keeps is in a stack beside it. */
export class SlipwayStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, props);
    const options = readOptions(this.node);
    const { settings, network, ecrRepositories } = options;
    showSettings(this, settings);
    tag(scope, options.tags);
    keepLogs(this, options.logRetentionDays);
    const data = readData(this.node);
    const { table, bucket, key, bootstrapSecret } =
      data === "inside" ? storedInside(this) : storedBeside(this, data, props.env);
    const schedulerRole = new SchedulerRole(this, "SchedulerRole");

    const eventBus = new StatusEvents(this, "StatusEvents");

    const api = new Api(this, "Api", options);
    const sockets = options.changeSockets ? new ChangeSockets(this, "ChangeSockets") : undefined;
    const own = { table, bucket, key, bootstrapSecret, schedulerRole, eventBus, sockets };
    const surroundings = {
      rights: rightsOver({ stack: this, settings: settings.given, ecrRepositories, ...own }),
      settings: settingsOfFunctions(this, settings, api),
      network: functionNetwork(this, network),
    };
    const groups = apiFunctions(this, surroundings);
    const workers = workerFunctions(this, surroundings);

    api.admitTo(calledFunctions(groups, options.provisionedConcurrency));
    sockets?.answerBy(workers["change-socket"]);
    const machines = stateMachines(this, workers);
    new ReconcilerSchedule(this, "ReconcilerSchedule", {
      reconciler: workers.reconciler,
      recount: workers["statistics-recount"],
      role: schedulerRole,
    });

    const failedEvents = new FailedEvents(this, "FailedEvents", failedEventsName(this));

    const watched = { failedEvents, api, table, machines, groups, workers };
    const alarms = new Alarms(this, "Alarms", watched, options.alarms);
    addDashboard(this, watched);

    new CfnOutput(this, "Address", { value: api.address, description: "Base address of the API" });
    new CfnOutput(this, "AlarmTopic", { value: alarms.topic.topicArn, description: "Subscribe to be told of alarms" });
    new CfnOutput(this, "EventBusName", { value: eventBus.eventBusName, description: "Rules here see status changes" });
    new CfnOutput(this, "FailedEventsUrl", {
      value: failedEvents.queueUrl,
      description: "Queue of events to send again",
    });
  }
}

/** Everything of the installation, in both of its stacks. */
function tag(scope: Construct, tags: Readonly<Record<string, string>>): void {
  // The published schemas of these know no tags.
  const excludeResourceTypes = ["AWS::Events::Rule", "AWS::CloudWatch::Dashboard"];
  for (const [name, value] of Object.entries({ application: "slipway", ...tags }))
    Tags.of(scope).add(name, value, { excludeResourceTypes });
}

/** Of every log group, whatever makes it. */
function keepLogs(stack: Stack, days: number): void {
  Aspects.of(stack).add({
    visit: (node) => {
      if (node instanceof CfnLogGroup) node.retentionInDays = days;
    },
  });
}

/** What the deployment sets for every function; links lead to the console at the API's own address unless it says where. */
function settingsOfFunctions(stack: Stack, { given }: Settings, { address }: Api): Record<string, string> {
  const common = Object.entries(given).filter(([name]) => !ofIdentityProvider(name));
  return {
    SLIPWAY_CONSOLE_ADDRESS: `${address}/console`,
    SLIPWAY_METRICS_INSTALLATION: stack.stackName,
    ...Object.fromEntries(common),
  };
}

/** Lets `cdk synth` and `cdk deploy` print what the functions will read, and what of it is not chosen but a default. */
function showSettings(stack: Stack, { given, effective }: Settings): void {
  const shown = { ...effective, SLIPWAY_CONSOLE_ADDRESS: effective.SLIPWAY_CONSOLE_ADDRESS || "<API address>/console" };
  const lines = Object.entries(shown)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `  ${name} = ${value}${name in given ? "" : "  (default)"}`);
  Annotations.of(stack).addInfoV2("slipway:settings", `settings of the functions:\n${lines.join("\n")}`);
}
