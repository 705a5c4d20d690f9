import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { describeFinding, verifyOperations } from "../../shared/access/audit/verifyOperations.ts";
import { readSettings } from "./settings.ts";
import { openTable, tableFile } from "./table/startTable.ts";

const usage = `usage: npm run audit:verify [-- --endpoint URL] [-- --table NAME]
  without options   the table of this machine, of a Slipway that runs or of its data folder
  --table NAME      a table in AWS, with the credentials and the region of the environment
  --endpoint URL    another DynamoDB, with --table NAME (slipway)`;

/** `npm run audit:verify`: 0 when every record is as it was written, 1 naming the first bad one, 2 when it cannot look. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { endpoint: { type: "string" }, table: { type: "string" } } });
  const close = chooseTable(values);
  try {
    const { findings, problems, records, chains, beforeChains, waiting } = await verifyOperations();
    for (const problem of [...findings.map(describeFinding), ...problems]) console.error(problem);
    if (findings.length + problems.length > 0) return 1;
    console.log(`${records} records in ${chains} chains are as they were written`);
    if (beforeChains > 0) console.log(`${beforeChains} of them are older than the chains and cannot be verified`);
    if (waiting > 0) console.log(`${waiting} of them wait for their seal`);
    return 0;
  } finally {
    close();
  }
}

/** Points the store at the table; returns what closes it. A Slipway may run on the same data folder. */
function chooseTable(given: { endpoint?: string; table?: string }): () => void {
  const endpoint = given.endpoint ?? process.env.SLIPWAY_DYNAMODB_ENDPOINT;
  if (given.table !== undefined) process.env.SLIPWAY_TABLE = given.table;
  if (endpoint !== undefined) process.env.SLIPWAY_DYNAMODB_ENDPOINT = endpoint;
  if (endpoint !== undefined || given.table !== undefined) return () => undefined;
  const dataDir = resolve(readSettings(process.env).dataDir);
  if (!existsSync(tableFile(dataDir))) throw new Error(`there is no table in ${dataDir}: set SLIPWAY_DATA_DIR`);
  return openTable(dataDir).close;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  },
);
