import { createHash } from "node:crypto";
import type { OperationRecord, Origin } from "../rules/operationRecord.ts";

/** What ties a record to the one before it in its project's chain. */
export interface Seal {
  chain: string;
  /** Counted from 1 in the chain, without a gap. */
  chainSequence: number;
  /** Hash of the record before it; empty for the first. */
  previousHash: string;
  hash: string;
}

/** The end of a chain: its last record. */
export interface ChainEnd {
  sequence: number;
  hash: string;
}

export const emptyChain: ChainEnd = { sequence: 0, hash: "" };

const maxChainCharacters = 256;

/** The chain of a project; `*` is the chain of what belongs to none, so that a key that begins with it gets one more. */
export function chainOf(projectKey: string): string {
  if (projectKey === "") return "*";
  const name = projectKey.slice(0, maxChainCharacters).toWellFormed();
  return name.startsWith("*") ? `*${name}` : name;
}

/** The project whose chain it is; empty for none. */
export function projectOfChain(chain: string): string {
  return chain.startsWith("*") ? chain.slice(1) : chain;
}

/** Seals a record as the next one behind `end`. `sequence` is the record's number in the whole log. */
export function sealBehind(end: ChainEnd, sequence: number, record: OperationRecord): Seal {
  const place = { chain: chainOf(record.projectKey), chainSequence: end.sequence + 1, previousHash: end.hash };
  return { ...place, hash: hashOf(place, sequence, record) };
}

/** SHA-256 over everything that a record says and its place in the chain, in lowercase hex. */
export function hashOf(place: Omit<Seal, "hash">, sequence: number, record: OperationRecord): string {
  const said = [
    place.chain,
    place.chainSequence,
    place.previousHash,
    sequence,
    record.createdAt,
    record.username,
    record.projectKey,
    record.method,
    record.function,
    record.scene,
    record.targets,
    record.detail,
    record.bodyType,
    record.requestBody,
    record.status,
    // Records of before have none, and what was hashed of them stays as it was.
    ...(record.origin === undefined ? [] : [originSaid(record.origin)]),
  ];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex");
}

function originSaid({ tokenId, tokenName, requestId, address, agent }: Origin): string[] {
  return [tokenId, tokenName, requestId, address, agent];
}
