import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { PlayedMachines } from "./playedMachines.ts";

/**
 * The endpoint of AWS and that of the table, with Step Functions played by the test. It can refuse everything after so
 * many writes, as if whoever writes had been killed there.
 */
export class PlayedAws {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #targets: { aws: string; table: string };
  #writesLeft = Number.POSITIVE_INFINITY;
  #played: Played = () => undefined;
  machines: PlayedMachines;

  constructor(targets: { aws: string; table: string }, machines: PlayedMachines) {
    this.#targets = targets;
    this.machines = machines;
  }

  /** @returns the endpoint of both */
  async listen(): Promise<{ endpoint: string; close(): Promise<void> }> {
    const server = createServer((incoming, outgoing) => void this.#answer(incoming, outgoing));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: async () => {
        server.close();
        server.closeAllConnections();
        this.#agent.destroy();
      },
    };
  }

  /** What else the test plays: requests that change something, which are answered 200 with what this returns. */
  answerWith(played: Played): void {
    this.#played = played;
  }

  /** After so many more writes nothing is answered any more. */
  killAfter(writes: number): void {
    this.#writesLeft = writes;
  }

  /** @returns whether somebody was killed meanwhile */
  revive(): boolean {
    const wasKilled = this.#writesLeft < 0;
    this.#writesLeft = Number.POSITIVE_INFINITY;
    return wasKilled;
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = String(incoming.headers["x-amz-target"] ?? "");
    const body = await text(incoming);
    const { method = "POST", headers, url = "/" } = incoming;
    const isWrite = writing.test(target) || /\/invocations$|^\/schedules\//.test(url);
    if (isWrite && this.#writesLeft <= 0) this.#writesLeft = -1;
    if (this.#writesLeft < 0) return refuse(outgoing, "Killed");
    if (isWrite) this.#writesLeft -= 1;
    const played = this.#played(method, url, body);
    if (played !== undefined) return accept(outgoing, played);
    if (target.startsWith("AWSStepFunctions.")) {
      const answer = this.#states(target.slice(17), JSON.parse(body));
      return typeof answer === "string" ? refuse(outgoing, answer) : accept(outgoing, answer);
    }
    const base = target.startsWith("DynamoDB_") ? this.#targets.table : this.#targets.aws;
    const onward = request(new URL(url, base), { agent: this.#agent, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once("error", () => outgoing.destroy());
    onward.end(body);
  }

  /** @returns the answer, or the name of the error */
  #states(action: string, body: Record<string, string>): object | string {
    const { stateMachineArn = "", executionArn = "", name = "", input = "{}", taskToken = "", output = "{}" } = body;
    switch (action) {
      case "StartExecution": {
        const machine = stateMachineArn.split(":").at(-1) ?? "";
        return this.machines.start(machine, name, input)
          ? { executionArn: name, startDate: 0 }
          : "ExecutionAlreadyExists";
      }
      case "DescribeExecution": {
        const execution = this.machines.executions.get(executionArn.split(":").slice(-2).join(":"));
        if (execution === undefined) return "ExecutionDoesNotExist";
        return { executionArn, name: execution.name, status: execution.status, startDate: 0 };
      }
      case "SendTaskSuccess":
        return this.machines.settle(taskToken, JSON.parse(output)) ? {} : "TaskTimedOut";
      default:
        return `${action} is not played`;
    }
  }
}

type Played = (method: string, url: string, body: string) => object | undefined;

/** What changes something that outlives its caller. */
const writing = /\.(TransactWriteItems|PutItem|UpdateItem|DeleteItem|BatchWriteItem|StartExecution|SendTaskSuccess)$/;

function accept(outgoing: ServerResponse, answer: object): void {
  outgoing.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(answer));
}

/** No answer that the SDK tries again. */
function refuse(outgoing: ServerResponse, type: string): void {
  outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify({ __type: type }));
}
