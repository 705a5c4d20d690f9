import * as z from "zod";
import { address, optionalLine, secretLine } from "../../../../shared/http/fields.ts";
import { isObject, plainName } from "../../../../shared/http/schemas.ts";
import { codeHostTypes } from "../../../../shared/integrations/rules/codeHosts/providers.ts";
import { authTypes } from "../../../../shared/integrations/store/codeHosts.ts";

const armour = /^-----BEGIN (?:([A-Z]+) )?PRIVATE KEY-----\r?\n([\s\S]+)\r?\n-----END (?:\1 )?PRIVATE KEY-----\s*$/;
/** The beginning of OpenSSH's own form: magic, then the cipher's name with its length before it. */
const openSshMagic = "openssh-key-v1\0";

/** Why a text is no private key that a job can sign in with; undefined when it is one. */
function privateKeyProblem(text: string): string | undefined {
  const found = armour.exec(text.trimStart());
  if (found === null)
    return "must be a private key in PEM: -----BEGIN … PRIVATE KEY----- to -----END … PRIVATE KEY-----";
  const [, form = "", content = ""] = found;
  const isLocked = form === "ENCRYPTED" || /^Proc-Type: *4,ENCRYPTED/m.test(content);
  if (isLocked || (form === "OPENSSH" && cipherOf(content) !== "none"))
    return "must be a private key without a passphrase, which no job could type";
  return undefined;
}

function cipherOf(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.subarray(0, openSshMagic.length).toString("latin1") !== openSshMagic) return "";
  const at = openSshMagic.length;
  const length = bytes.length < at + 4 ? 0 : bytes.readUInt32BE(at);
  return bytes.subarray(at + 4, at + 4 + length).toString("latin1");
}

const maxKeyCharacters = 16_384;

const sshKey = z
  .string()
  .max(maxKeyCharacters, `must have at most ${maxKeyCharacters} characters`)
  .superRefine((text, context) => {
    const problem = text === "" ? undefined : privateKeyProblem(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

const fields = {
  type: z.enum(codeHostTypes, `must be one of ${codeHostTypes.join(", ")}`),
  address: address("address", ["https", "http", "ssh"]),
  alias: plainName(),
  auth_type: z.enum(authTypes, `must be one of ${authTypes.join(", ")}`),
  access_token: secretLine().default(""),
  username: optionalLine(255).default(""),
  password: secretLine().default(""),
  ssh_key: sshKey.default(""),
  disable_ssl: z.boolean().default(false),
  /** What the code host signs its calls with, or sends with them; absent or empty keeps what is stored. */
  webhook_secret: secretLine().default(""),
};

/** The secret that each way to sign in needs. */
export const secretOf = { token: "access_token", password: "password", ssh: "ssh_key" } as const;
const secretFields = Object.values(secretOf);

/** What the fields demand of each other; what is stored counts as given. */
function checkFields(body: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx, isNew: boolean): void {
  const seen = new Set(context.issues.map(({ path }) => path?.[0]));
  const add = (field: string, message: string) => {
    if (!seen.has(field)) context.addIssue({ code: "custom", path: [field], message });
  };
  const authType = authTypes.find((type) => type === body.auth_type);
  if (authType === undefined) return;
  const needed = secretOf[authType];
  if (isNew && !isFilled(body[needed])) add(needed, `is required for auth_type ${authType}`);
  for (const other of secretFields)
    if (other !== needed && isFilled(body[other])) add(other, `does not belong to auth_type ${authType}`);
  if (authType === "password" && !isFilled(body.username)) add("username", "is required for auth_type password");
  const isSsh = typeof body.address === "string" && /^ssh:/i.test(body.address);
  if (isSsh && authType !== "ssh") add("address", `must begin with https:// or http:// for auth_type ${authType}`);
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

export const newCodeHost = z
  .object(fields)
  .superRefine((body, context) => checkFields(body, context, true), { when: isObject });

/** The secret stays when it is absent or empty, unless the way to sign in changes. */
export const changedCodeHost = z
  .object(fields)
  .superRefine((body, context) => checkFields(body, context, false), { when: isObject });

export const codeHost = z
  .object({
    id: z.int(),
    type: z.enum(codeHostTypes),
    address: z.string(),
    alias: z.string(),
    auth_type: z.enum(authTypes),
    username: z.string(),
    disable_ssl: z.boolean(),
  })
  .meta({ id: "CodeHost" });

export const madeCodeHost = z.object({ message: z.literal("success"), id: z.int() });
