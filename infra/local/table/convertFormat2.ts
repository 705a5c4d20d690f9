import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Attributes } from "../../../shared/base/store/engine.ts";
import type { Key } from "../../../shared/base/store/keys/keys.ts";
import { SqliteEngine } from "./sqliteEngine.ts";
import { tableFile } from "./startTable.ts";

/** Format 2 kept the table in the file of another engine, whose items are JSON as DynamoDB speaks it. */
const formerFiles = ["table.db", "table.db-wal", "table.db-shm"];
const itemsAtOnce = 100;

/**
 * Makes format 3 of a data folder of format 2; any other stays as it is. The former files stay in `format-2/`. One that is
 * killed begins again at the next start, for nothing uses the new file before the format says so.
 */
export async function convertFormat2(dataDir: string): Promise<void> {
  const formatFile = join(dataDir, "format");
  if (!existsSync(formatFile) || readFileSync(formatFile, "utf8").trim() !== "2") return;
  const kept = join(dataDir, "format-2");
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  const former = [join(dataDir, "table.db"), join(kept, "table.db")].find((file) => existsSync(file));
  if (former !== undefined) await convertTable(former, tableFile(dataDir));
  for (const name of formerFiles)
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(kept, name));
  writeFileSync(formatFile, "3\n");
}

async function convertTable(former: string, file: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  const source = new DatabaseSync(former);
  const engine = new SqliteEngine(file);
  try {
    const rows = source.prepare("SELECT item_json FROM slipway").iterate() as Iterable<unknown>;
    let items: (Key & Attributes)[] = [];
    const store = async () => {
      if (items.length > 0) await engine.transact(items.map((item) => ({ kind: "put", item })));
      items = [];
    };
    for (const row of rows) {
      items.push(attributesOf(JSON.parse((row as { item_json: string }).item_json)) as Key & Attributes);
      if (items.length === itemsAtOnce) await store();
    }
    await store();
  } finally {
    source.close();
    engine.close();
  }
}

type Value = Readonly<Record<string, unknown>>;

function attributesOf(item: Readonly<Record<string, Value>>): Attributes {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, decoded(value)]));
}

/** Source: Amazon's "DynamoDB low-level API", data type descriptors. */
function decoded(value: Value): unknown {
  const [[type, content] = []] = Object.entries(value);
  switch (type) {
    case "S":
    case "BOOL":
      return content;
    case "N":
      return Number(content);
    case "NULL":
      return null;
    case "L":
      return (content as Value[]).map(decoded);
    case "M":
      return attributesOf(content as Record<string, Value>);
    case "SS":
      return new Set(content as string[]);
    case "NS":
      return new Set((content as string[]).map(Number));
    case "B":
      return new Uint8Array(Buffer.from(content as string, "base64"));
    default:
      throw new Error(`an item of the former table has a value of the type ${type}`);
  }
}
