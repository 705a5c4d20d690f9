import { parseArgs } from "node:util";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import {
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";

const usage = `usage: npm run redrive -- [--name NAME] [--function NAME] [--dry-run]
  --name NAME       of the installation (Slipway)
  --function NAME   only events of that function, for example notifier
  --dry-run         shows what waits, and leaves it where it is
Credentials and region are those of the environment.`;

/** An event that a function did not take, or that a schedule could not hand over. */
interface FailedEvent {
  functionName: string;
  payload: string;
  /** Why, in the words of Lambda or EventBridge Scheduler. */
  reason: string;
}

/** How long what was received is hidden from others, in seconds: longer than sending ten events takes. */
const hiddenSeconds = 30;
/** Who only looks leaves it for others soon. */
const shownSeconds = 5;

/**
 * `npm run redrive`: sends every event of the dead-letter queue to its function again, the same one once. Exit code 0 when all
 * were sent, 1 when some stayed in the queue.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      name: { type: "string", default: "Slipway" },
      function: { type: "string" },
      "dry-run": { type: "boolean", default: false },
    },
  });
  const [queue, functions] = [new SQSClient(), new LambdaClient()];
  const QueueName = `${values.name}-failed-events`;
  const { QueueUrl } = await queue.send(new GetQueueUrlCommand({ QueueName }));
  const isWanted = ({ functionName }: FailedEvent) =>
    values.function === undefined || functionName === `${values.name}-${values.function}`;
  const hidden = values["dry-run"] ? shownSeconds : hiddenSeconds;
  const sent = new Set<string>();
  const seen = new Set<string>();
  let kept = 0;
  for (;;) {
    const { Messages = [] } = await queue.send(
      new ReceiveMessageCommand({
        ...{ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, VisibilityTimeout: hidden },
        MessageAttributeNames: ["All"],
      }),
    );
    const fresh = Messages.filter(({ MessageId = "" }) => !seen.has(MessageId));
    if (fresh.length === 0) break;
    for (const message of fresh) {
      seen.add(message.MessageId ?? "");
      const event = failedEvent(message);
      if (event === undefined) {
        console.error(`message ${message.MessageId} is no event of Slipway; it stays in the queue`);
        kept += 1;
        continue;
      }
      console.log(`${event.functionName} ${event.payload} (${event.reason})`);
      if (!isWanted(event) || values["dry-run"]) {
        kept += 1;
        continue;
      }
      const { functionName: FunctionName, payload } = event;
      const same = `${FunctionName} ${payload}`;
      if (!sent.has(same)) {
        const Payload = new TextEncoder().encode(payload);
        await functions.send(new InvokeCommand({ FunctionName, InvocationType: "Event", Payload }));
        sent.add(same);
      }
      await queue.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
    }
  }
  const where = kept === 0 ? "" : `; ${kept} remain in ${QueueName} and can be received again in ${hidden} seconds`;
  console.log(`${seen.size} events, ${sent.size} sent${where}`);
  return kept === 0 || values["dry-run"] ? 0 : 1;
}

/**
 * What a message of the queue is about; undefined when it is neither Lambda's record of an asynchronous invocation
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html) nor a dead letter of EventBridge Scheduler
 * (https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html).
 */
function failedEvent({ Body = "", MessageAttributes = {} }: Message): FailedEvent | undefined {
  const attribute = (name: string) => MessageAttributes[name]?.StringValue;
  const target = attribute("TARGET_ARN");
  if (target !== undefined) {
    const reason = attribute("ERROR_MESSAGE") ?? attribute("ERROR_CODE") ?? "not handed over";
    return { functionName: nameIn(target), payload: Body, reason };
  }
  const record = parsed(Body) as {
    requestContext?: { functionArn?: string; condition?: string };
    requestPayload?: unknown;
    responsePayload?: { errorMessage?: string } | null;
  } | null;
  const arn = record?.requestContext?.functionArn;
  if (arn === undefined || record?.requestPayload === undefined) return undefined;
  const reason = record.responsePayload?.errorMessage ?? record.requestContext?.condition ?? "failed";
  return { functionName: nameIn(arn), payload: JSON.stringify(record.requestPayload), reason };
}

/** `arn:aws:lambda:<region>:<account>:function:<name>[:<version>]` */
function nameIn(arn: string): string {
  return arn.split(":")[6] ?? arn;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  },
);
