import { appendFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { startAdapters } from "../../../../infra/local/aws/start.ts";
import { killMachines } from "./killMachines.ts";

/** A program that is killed: its first step works, all others never end. It does what each line of its input says, and prints what it did. */
const [dataDir = ""] = process.argv.slice(2);
const note = (name: string) => appendFileSync(path.join(dataDir, "calls"), `${name}\n`);
const never = () => new Promise<never>(() => {});

const { adapters } = startAdapters({
  dataDir,
  stateMachines: killMachines,
  functions: {
    first: async () => {
      note("first");
      return { seconds: 3600 };
    },
    second: () => {
      note("second");
      return never();
    },
    token: async () => note("token"),
    event: () => {
      note("event");
      return never();
    },
  },
});
process.stdout.write("ready\n");
createInterface(process.stdin).on("line", async (line) => {
  const [what, name = "", input = ""] = JSON.parse(line) as string[];
  if (what === "event") await adapters.functions.invokeLater(name, input);
  else if (what === "put") await adapters.objects.put({ key: name, content: Buffer.from(input), contentType: "text" });
  else await adapters.stateMachines.start(what ?? "", name, input);
  process.stdout.write(`${line}\n`);
});
