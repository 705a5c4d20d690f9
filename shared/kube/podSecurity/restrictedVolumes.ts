import { type Control, counted, distinct, quoted } from "./control.ts";

const allowed = [
  ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected"],
  "secret",
];

const forbidden = [
  ...["hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs", "rbd"],
  ...["flexVolume", "cinder", "cephfs", "flocker", "fc", "azureFile", "vsphereVolume", "quobyte", "azureDisk"],
  ...["photonPersistentDisk", "portworxVolume", "scaleIO", "storageos"],
];

/**
 * Restricted: volumes are of types that reach nothing of the node and no server by themselves. A volume without any
 * source is an `emptyDir`, as the API server makes it; one of an unknown type is refused, because it is not known what
 * it opens.
 */
export const restrictedVolumes: Control = ({ volumes }) => {
  const found = (volumes ?? []).flatMap((volume) => {
    const type = typeOf(volume);
    return type === undefined ? [] : [{ name: volume.name ?? "", type }];
  });
  if (found.length === 0) return undefined;
  const types = distinct(found.map(({ type }) => type));
  const noun = counted("restricted volume type", "restricted volume types", types);
  return {
    reason: "restricted volume types",
    detail: `${counted("volume", "volumes", found)} ${quoted(found.map(({ name }) => name))} ${counted("uses", "use", found)} ${noun} ${quoted(types)}`,
  };
};

function typeOf({ name: _, ...sources }: Record<string, unknown>): string | undefined {
  const set = Object.keys(sources).filter((key) => sources[key] !== undefined && sources[key] !== null);
  if (set.length === 0 || set.some((key) => allowed.includes(key))) return undefined;
  return forbidden.find((type) => set.includes(type)) ?? "unknown";
}
