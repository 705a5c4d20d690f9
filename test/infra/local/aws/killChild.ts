import { appendFileSync } from "node:fs";
import path from "node:path";
import { startAwsStandIn } from "../../../../infra/local/aws/start.ts";
import { killMachines } from "./killMachines.ts";

/** A program that is killed: its first step works, all others never end. It prints the endpoint. */
const [dataDir = ""] = process.argv.slice(2);
const note = (name: string) => appendFileSync(path.join(dataDir, "calls"), `${name}\n`);
const never = () => new Promise<never>(() => {});

const aws = await startAwsStandIn({
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
process.stdout.write(`${aws.endpoint}\n`);
