import * as z from "zod";
import {
  addressProblem,
  externalIdForm,
  isCertificate,
  namespaceForm,
  type RegistryFacts,
  regionForm,
  registryProblems,
  registryProviders,
  roleForm,
} from "../../../shared/packaging/registries/registryRules.ts";

const address = z
  .string("address cannot be empty")
  .max(512, "must have at most 512 characters")
  .superRefine((text, context) => {
    const message = addressProblem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

const optionalText = (form: RegExp, wrong: string) =>
  z
    .string()
    .trim()
    .max(255, "must have at most 255 characters")
    .refine((text) => text === "" || form.test(text), wrong);

const key = z.string().max(4096, "must have at most 4096 characters");
const certificate = z
  .string()
  .max(65_536, "must have at most 65536 characters")
  .refine((text) => text === "" || isCertificate(text), "must be a certificate in PEM");

const fields = {
  address,
  provider: z.enum(registryProviders, `unsupported registry provider; use one of ${registryProviders.join(", ")}`),
  namespace: optionalText(
    namespaceForm,
    "must be lower-case letters, digits and separators, as in an image name",
  ).default(""),
  region: optionalText(regionForm, "must be lower-case letters, digits and hyphens").default(""),
  is_default: z.boolean().default(false),
};

const roleArn = z
  .string()
  .max(2048, "must have at most 2048 characters")
  .refine((arn) => arn === "" || roleForm.test(arn), "must be arn:aws:iam::<account>:role/slipway-<name>")
  .meta({ description: "Of ecr: a role of another account that is taken on; it trusts this installation" });
const externalId = z
  .string()
  .refine((id) => id === "" || externalIdForm.test(id), "must be 2 to 1224 letters, digits and + = , . @ : / - _")
  .meta({ description: "What that role wants to hear" });
const scanOnPush = z.boolean().meta({ description: "Of ecr: repositories that are made scan what is pushed" });
const immutableTags = z.boolean().meta({ description: "Of ecr: repositories that are made do not let tags move" });

export const newRegistry = z
  .object({
    ...fields,
    access_key: key.default(""),
    secret_key: key.default(""),
    role_arn: roleArn.default(""),
    external_id: externalId.default(""),
    scan_on_push: scanOnPush.default(true),
    immutable_tags: immutableTags.default(false),
    enable_tls: z.boolean().default(false),
    tls_cert: certificate.default(""),
  })
  .superRefine(
    (body, context) => {
      const hasKeys = filled(body.access_key) || filled(body.secret_key);
      addProblems(context, {
        ...factsOf(body),
        hasKeys,
        enableTls: body.enable_tls,
        hasCertificate: filled(body.tls_cert),
        roleArn: text(body.role_arn),
        externalId: text(body.external_id),
      });
    },
    { when: isObject },
  );

/**
 * Keys, certificate and enable_tls stay as they are when they are absent or empty; what is for ecr alone when it is absent.
 */
export const changedRegistry = z
  .object({
    registry_id: z.string().optional(),
    ...fields,
    access_key: key.optional(),
    secret_key: key.optional(),
    role_arn: roleArn.optional(),
    external_id: externalId.optional(),
    scan_on_push: scanOnPush.optional(),
    immutable_tags: immutableTags.optional(),
    enable_tls: z.boolean().optional(),
    tls_cert: certificate.optional(),
  })
  .superRefine(
    (body, context) => {
      // What depends on the stored keys is checked when the record was read.
      const hasKeys = body.provider === "ecr";
      const others = { enableTls: false, hasCertificate: true, roleArn: "", externalId: "" };
      addProblems(context, { ...factsOf(body), ...others, hasKeys });
    },
    { when: isObject },
  );

export const registry = z
  .object({
    registry_id: z.string(),
    address: z.string(),
    provider: z.string(),
    region: z.string(),
    namespace: z.string(),
    is_default: z.boolean(),
  })
  .meta({ id: "Registry" });

export const imageNames = z.object({
  names: z
    .array(z.string().min(1, "must not be empty").max(255, "must have at most 255 characters"))
    .max(200, "must have at most 200 names; ask for the others in another call")
    .meta({ description: "Names of images below the registry's namespace" }),
});

export const imageTag = z
  .object({
    host: z.string(),
    owner: z.string().meta({ description: "The registry's namespace" }),
    name: z.string(),
    tag: z.string(),
    created: z.string().meta({ description: "Empty: a registry's list of tags does not say it" }),
    digest: z.string().meta({ description: "Empty: a registry's list of tags does not say it" }),
  })
  .meta({ id: "ImageTag" });

interface Written {
  address: string;
  provider: string;
  namespace: string;
  region: string;
}

/** Runs beside the checks of the single fields, so a field may still hold anything. */
function factsOf({ address, provider, namespace, region }: Written): Written {
  return {
    address: text(address),
    provider: text(provider),
    namespace: text(namespace).trim(),
    region: text(region).trim(),
  };
}

function addProblems(context: z.core.$RefinementCtx, facts: RegistryFacts): void {
  const seen = new Set(context.issues.map(({ path }) => path?.[0]));
  for (const { field, problem } of registryProblems(facts)) {
    if (!seen.has(field)) context.addIssue({ code: "custom", path: [field], message: problem });
  }
}

function isObject({ value }: z.core.ParsePayload): boolean {
  return typeof value === "object" && value !== null;
}

function filled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
