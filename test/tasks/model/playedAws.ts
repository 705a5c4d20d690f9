import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TableEngine } from "../../../shared/store/engine.ts";
import type { PlayedMachines } from "./playedMachines.ts";

/**
 * The endpoint of AWS and the engine of the table, with Step Functions played by the test. It can refuse everything after so
 * many writes, as if whoever writes had been killed there.
 */
export class PlayedAws {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #endpoint: string;
  /** The engine, as long as nobody is killed. */
  readonly engine: TableEngine;
  #writesLeft = Number.POSITIVE_INFINITY;
  #played: Played = () => undefined;
  machines: PlayedMachines;

  constructor({ aws, engine }: { aws: string; engine: TableEngine }, machines: PlayedMachines) {
    this.#endpoint = aws;
    this.machines = machines;
    this.engine = {
      get: (...given) => this.#unlessKilled(false, () => engine.get(...given)),
      getBatch: (...given) => this.#unlessKilled(false, () => engine.getBatch(...given)),
      queryPage: (...given) => this.#unlessKilled(false, () => engine.queryPage(...given)),
      transact: (...given) => this.#unlessKilled(true, () => engine.transact(...given)),
      update: (...given) => this.#unlessKilled(true, () => engine.update(...given)),
    };
  }

  async #unlessKilled<T>(isWrite: boolean, work: () => Promise<T>): Promise<T> {
    if (this.#dies(isWrite)) throw new Error("Killed");
    return work();
  }

  /** Whether this request, or one before it, meets the end. */
  #dies(isWrite: boolean): boolean {
    if (isWrite && this.#writesLeft <= 0) this.#writesLeft = -1;
    if (this.#writesLeft < 0) return true;
    if (isWrite) this.#writesLeft -= 1;
    return false;
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
    if (this.#dies(isWrite)) return refuse(outgoing, "Killed");
    const played = this.#played(method, url, body);
    if (played !== undefined) return accept(outgoing, played);
    if (target.startsWith("AWSStepFunctions.")) {
      const answer = this.#states(target.slice(17), JSON.parse(body));
      return typeof answer === "string" ? refuse(outgoing, answer) : accept(outgoing, answer);
    }
    const onward = request(new URL(url, this.#endpoint), { agent: this.#agent, method, headers }, (answer) => {
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
const writing = /\.(StartExecution|SendTaskSuccess)$/;

function accept(outgoing: ServerResponse, answer: object): void {
  outgoing.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(answer));
}

/** No answer that the SDK tries again. */
function refuse(outgoing: ServerResponse, type: string): void {
  outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify({ __type: type }));
}
