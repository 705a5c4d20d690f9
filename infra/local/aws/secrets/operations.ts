import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { arns } from "../arns.ts";
import { AwsError } from "../awsError.ts";
import type { JsonOperations } from "../jsonService.ts";
import type { LocalKey } from "../kms/keyFile.ts";
import { parseInput } from "../service.ts";

const value = {
  ClientRequestToken: z.string().min(1).max(64).optional(),
  SecretString: z.string().max(65_536).optional(),
  SecretBinary: z.base64().max(87_384).optional(),
};
const createInput = z.object({ Name: z.string().regex(/^[A-Za-z0-9/_+=.@-]{1,512}$/), ...value });
const putInput = z.object({ SecretId: z.string(), ...value });
const getInput = z.object({
  SecretId: z.string(),
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});
const storedValue = z.object({ SecretString: z.string().optional(), SecretBinary: z.string().optional() });

type Value = z.infer<typeof storedValue> & { ClientRequestToken?: string | undefined };

/** Secrets Manager's CreateSecret, PutSecretValue and GetSecretValue; values are encrypted with the machine's key. */
export function secretsOperations(database: DatabaseSync, key: LocalKey): JsonOperations {
  const insert = database.prepare("INSERT INTO secrets (name, version, value, created_ms) VALUES (?, ?, ?, ?)");
  const select = database.prepare("SELECT version, value, created_ms FROM secrets WHERE name = ? ORDER BY rowid DESC");
  const versions = (name: string) =>
    select.all(name).map((row, index) => ({
      version: String(row.version),
      value: parseInput(storedValue, JSON.parse(decrypt(key, name, String(row.value)))),
      createdMs: Number(row.created_ms),
      stages: [["AWSCURRENT"], ["AWSPREVIOUS"]][index] ?? [],
    }));
  const find = (id: string) => {
    const name = id.startsWith(arns.secret("")) ? id.slice(arns.secret("").length) : id;
    const found = versions(name);
    if (found.length === 0) throw notFound("Secrets Manager can't find the specified secret.");
    return { name, found };
  };
  const add = (name: string, { ClientRequestToken = randomUUID(), SecretString, SecretBinary }: Value) => {
    if ((SecretString === undefined) === (SecretBinary === undefined)) {
      throw new AwsError("InvalidRequestException", "exactly one of SecretString and SecretBinary");
    }
    const text = JSON.stringify({ SecretString, SecretBinary });
    const before = versions(name).find(({ version }) => version === ClientRequestToken);
    if (before && JSON.stringify(before.value) !== text)
      throw exists(`version ${ClientRequestToken} has another value`);
    const sealed = key.encrypt(Buffer.from(text), { secret: name }).toString("base64");
    if (!before) insert.run(name, ClientRequestToken, sealed, Date.now());
    return { ARN: arns.secret(name), Name: name, VersionId: ClientRequestToken, VersionStages: ["AWSCURRENT"] };
  };
  return {
    CreateSecret(body) {
      const { Name, ...rest } = parseInput(createInput, body);
      const found = versions(Name);
      const isRepeated = found.length === 1 && found[0]?.version === rest.ClientRequestToken;
      if (found.length > 0 && !isRepeated) throw exists(`the secret ${Name} already exists`);
      return add(Name, rest);
    },
    PutSecretValue(body) {
      const { SecretId, ...rest } = parseInput(putInput, body);
      return add(find(SecretId).name, rest);
    },
    GetSecretValue(body) {
      const { SecretId, VersionId, VersionStage } = parseInput(getInput, body);
      const { name, found } = find(SecretId);
      const stage = VersionStage ?? (VersionId === undefined ? "AWSCURRENT" : undefined);
      const isAsked = (one: (typeof found)[number]) =>
        (VersionId === undefined || one.version === VersionId) && (stage === undefined || one.stages.includes(stage));
      const one = found.find(isAsked);
      if (!one) throw notFound("Secrets Manager can't find the specified secret value.");
      const { version, stages, createdMs } = one;
      return {
        ARN: arns.secret(name),
        Name: name,
        VersionId: version,
        VersionStages: stages,
        CreatedDate: createdMs / 1000,
        ...one.value,
      };
    },
  };
}

function decrypt(key: LocalKey, name: string, sealed: string): string {
  return key.decrypt(Buffer.from(sealed, "base64"), { secret: name }).toString("utf8");
}

function notFound(message: string): AwsError {
  return new AwsError("ResourceNotFoundException", message);
}

function exists(message: string): AwsError {
  return new AwsError("ResourceExistsException", message);
}
