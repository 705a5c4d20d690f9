import * as z from "zod";
import { absolutePath, optionalText, workspacePath } from "./texts.ts";

export const accessModes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"] as const;

/** A volume of a job (decisions 7.7). */
export interface StorageProperty {
  /** `dynamic`: a claim that is made for the job; `static`: one that is there already. */
  provisionType: "dynamic" | "static";
  accessMode: (typeof accessModes)[number];
  /** Of a dynamic one: whether the claim goes with the job. */
  isTemporary: boolean;
  mountPath: string;
  /** Inside the volume; empty: its root. */
  subpath: string;
  /** Of a static one: the name of the claim. */
  claim: string;
  /** Of a dynamic one; an empty class means the cluster's default. */
  storageClass: string;
  sizeGibibytes: number;
}

export const maxStorages = 20;

const kubernetesName = optionalText(253).regex(
  /^$|^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
  "must be a Kubernetes name: lowercase letters, digits, hyphens and dots",
);

type Optional<S extends z.ZodType> = S | z.ZodDefault<S>;

const storageInput = (subpath: Optional<typeof workspacePath>, storageClass: Optional<typeof kubernetesName>) =>
  z
    .object({
      provision_type: z.enum(["dynamic", "static"], "must be dynamic or static"),
      access_mode: z
        .enum(["", ...accessModes], `must be one of ${accessModes.join(", ")}`)
        .default("")
        .transform((mode) => (mode === "" ? "ReadWriteMany" : mode)),
      is_temporary: z.boolean("must be true or false").default(false),
      mount_path: absolutePath,
      subpath,
      pvc: kubernetesName.default(""),
      /** Left out or empty: the default class of the cluster. */
      storage_class: storageClass.default(""),
      storage_size_in_gib: z
        .int("must be a whole number")
        .min(0, "must be at least 0")
        .max(65_536, "must be at most 65536 GiB")
        .default(0),
    })
    .superRefine(({ provision_type, pvc, storage_size_in_gib }, context) => {
      const add = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
      if (provision_type === "static" && pvc === "") add("pvc", "is required for provision_type static");
      if (provision_type === "dynamic" && storage_size_in_gib === 0)
        add("storage_size_in_gib", "must be at least 1 for provision_type dynamic");
    })
    .transform(
      (given): StorageProperty => ({
        provisionType: given.provision_type,
        accessMode: given.access_mode,
        isTemporary: given.is_temporary,
        mountPath: given.mount_path,
        subpath: given.subpath,
        claim: given.pvc,
        storageClass: given.storage_class,
        sizeGibibytes: given.storage_size_in_gib,
      }),
    );

/** The volumes that are mounted: none unless `enabled`, the list is kept all the same. */
export interface Storages {
  enabled: boolean;
  properties: readonly StorageProperty[];
}

export const noStorages: Storages = { enabled: false, properties: [] };

const inputs = (...optional: Parameters<typeof storageInput>) =>
  z
    .object({
      enabled: z.boolean("must be true or false"),
      storages_properties: z
        .array(storageInput(...optional))
        .max(maxStorages, `must have at most ${maxStorages} entries`)
        .nullish(),
    })
    .transform(({ enabled, storages_properties }): Storages => ({ enabled, properties: storages_properties ?? [] }));

/** Of builds, tests and code scans. */
export const storagesInput = inputs(workspacePath, kubernetesName);
/** Of a job of a workflow, whose definition may come from elsewhere and leaves out what is empty. */
export const workflowStorages = inputs(workspacePath.default(""), kubernetesName.default(""));

export const shownStorages = z
  .object({
    enabled: z.boolean(),
    storages_properties: z.array(
      z.object({
        provision_type: z.enum(["dynamic", "static"]),
        access_mode: z.enum(accessModes),
        is_temporary: z.boolean(),
        mount_path: z.string(),
        subpath: z.string(),
        pvc: z.string(),
        storage_class: z.string(),
        storage_size_in_gib: z.int(),
      }),
    ),
  })
  .meta({ id: "JobStorages" });

export function showStorages({ enabled, properties }: Storages): z.input<typeof shownStorages> {
  const storages_properties = properties.map((property) => ({
    provision_type: property.provisionType,
    access_mode: property.accessMode,
    is_temporary: property.isTemporary,
    mount_path: property.mountPath,
    subpath: property.subpath,
    pvc: property.claim,
    storage_class: property.storageClass,
    storage_size_in_gib: property.sizeGibibytes,
  }));
  return { enabled, storages_properties };
}
