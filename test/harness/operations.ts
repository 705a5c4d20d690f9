import { environmentOf, type OperationRecord } from "../../shared/access/audit/rules/operationRecord.ts";
import { moveChainEnd, type ReadChainEnd, readChainEnd } from "../../shared/access/audit/store/chains.ts";
import { environmentCount, functionCode, logCounts, statusCode } from "../../shared/access/audit/store/counts.ts";
import { operationItems } from "../../shared/access/audit/store/operationItems.ts";
import { type ChainEnd, chainOf, sealBehind } from "../../shared/access/audit/store/seal.ts";
import type { Key } from "../../shared/base/store/keys/keys.ts";
import { keys } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";
import { batchWrite } from "./batchWrite.ts";

export const someOperation: OperationRecord = {
  username: "admin",
  projectKey: "many",
  method: "Update",
  function: "Project Management - Service",
  scene: "",
  targets: [],
  detail: "web",
  requestBody: "{}",
  bodyType: "json",
  status: 200,
  createdAt: 1_700_000_000,
};

/**
 * Adds many records behind those that are there, numbered, listed and sealed as single ones are, in a fraction of their
 * time. Nobody else may write the log meanwhile.
 */
export async function addOperations(
  amount: number,
  recordAt: (at: number) => OperationRecord = () => someOperation,
): Promise<void> {
  const records = Array.from({ length: amount }, (_, at) => recordAt(at));
  const next = await takeNumbers(records);
  const ends = new Map<string, { from: ReadChainEnd; end: ChainEnd }>();
  for (const chain of new Set(records.map(({ projectKey }) => chainOf(projectKey)))) {
    const from = await readChainEnd(chain);
    ends.set(chain, { from, end: from });
  }
  const items = records.map((record) => {
    const environment = environmentOf(record);
    const places = {
      sequence: next(logCounts, "value"),
      function: next(logCounts, functionCode(record.function)),
      status: next(logCounts, statusCode(record.status)),
      user: next(keys.operationUser(record.username), "value"),
      ...(environment !== undefined && {
        environment: next(environmentCount(record.projectKey, environment), "value"),
      }),
    };
    const chain = ends.get(chainOf(record.projectKey));
    if (chain === undefined) throw new Error("every record has a chain");
    const seal = sealBehind(chain.end, places.sequence, record);
    chain.end = { sequence: seal.chainSequence, hash: seal.hash };
    return operationItems(record, places, seal).map((item) => ({ ...item, version: 1 }));
  });
  await batchWrite(amount, (at) => items[at]?.[0] ?? {});
  await batchWrite(amount, (at) => items[at]?.[1] ?? {});
  for (const [chain, { from, end }] of ends) await table().write(moveChainEnd(chain, from, end));
}

/** Counts all records at once, and hands out the numbers one by one. */
async function takeNumbers(records: readonly OperationRecord[]): Promise<(key: Key, code: string) => number> {
  const added = new Map<string, { key: Key; amounts: Record<string, number>; name?: string }>();
  const count = (key: Key, code: string, name?: string): void => {
    const found = added.get(key.pk + key.sk) ?? { key, amounts: {}, ...(name !== undefined && { name }) };
    added.set(key.pk + key.sk, found);
    found.amounts[code] = (found.amounts[code] ?? 0) + 1;
  };
  for (const record of records) {
    const environment = environmentOf(record);
    for (const code of ["value", "indexed", functionCode(record.function), statusCode(record.status)])
      count(logCounts, code);
    count(keys.operationUser(record.username), "value", record.username);
    if (environment !== undefined) count(environmentCount(record.projectKey, environment), "value");
  }
  const reached = new Map<string, number>();
  for (const { key, amounts, name } of added.values()) {
    const after = await table().addTo<Record<string, number>>(key, amounts, name === undefined ? {} : { name });
    for (const [code, amount] of Object.entries(amounts))
      reached.set(`${key.pk}${key.sk}${code}`, (after[code] ?? 0) - amount);
  }
  return (key, code) => {
    const number = (reached.get(`${key.pk}${key.sk}${code}`) ?? 0) + 1;
    reached.set(`${key.pk}${key.sk}${code}`, number);
    return number;
  };
}
