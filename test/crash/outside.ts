import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startHookReceiver } from "../harness/hookReceiver.ts";
import { type LarkStandIn, startLarkServer } from "../harness/larkServer.ts";

/** What was done to the world outside; nothing of Slipway's own remembers it. */
export interface Effects {
  /** What scripts of jobs wrote, in order of the text. */
  scripts: string[];
  /** Different messages by the path they came to; a repetition bears the id of the first one. */
  messages: Record<string, number>;
  /** Messages that came once more. */
  repeated: number;
  /** What people decided at a chat service, one for each question they were asked. */
  decisions: string[];
}

/** The world outside of Slipway that a run leaves something in: it outlives every kill. */
export interface Outside {
  /** Where messages may be sent: any path below, `/chat` as a chat service. */
  url: string;
  /** A command that notes a word. */
  note(word: string): string;
  effects(): Effects;
  /** A chat service in which people approve. */
  lark: LarkStandIn;
  /** Questions of which it has said that something is new, and heard that this arrived. */
  told: Set<string>;
  /** As if nothing had happened. */
  forget(): void;
  close(): Promise<void>;
}

/** Every kind of message has its id in this header (contract W 15.3). */
const idHeader = "x-zadig-event-uuid";

export async function startOutside(): Promise<Outside> {
  // Not the folder of temporary files, of which every pod has one of its own.
  const folder = mkdtempSync("/var/tmp/slipway-outside-");
  const notes = join(folder, "notes");
  const receiver = await startHookReceiver(() => '{"errcode":0}');
  const lark = await startLarkServer();
  const told = new Set<string>();
  return {
    ...{ url: receiver.url, lark, told },
    note: (word) => `echo ${word} >> ${notes}`,
    effects: () => {
      const ids = new Map(receiver.received.map(({ path, headers }) => [`${path} ${headers[idHeader] ?? ""}`, path]));
      const paths = [...ids.values()].sort();
      const counted = [...new Set(paths)].map((path) => [path, paths.filter((one) => one === path).length] as const);
      return {
        scripts: existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n").sort() : [],
        messages: Object.fromEntries(counted),
        repeated: receiver.received.length - ids.size,
        decisions: [...lark.instances.values()].map(({ status }) => status).sort(),
      };
    },
    forget: () => {
      receiver.received.length = 0;
      lark.instances.clear();
      told.clear();
      rmSync(notes, { force: true });
    },
    close: async () => {
      await receiver.close();
      await lark.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
