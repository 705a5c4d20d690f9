/** Shape of the single table, read by the infrastructure and by the start on one machine. */
export const tableDefinition = {
  partitionKey: "pk",
  sortKey: "sk",
  ttlAttribute: "ttl",
  indexes: [
    /** Pages and lists: small items sorted as the list is shown. */
    { name: "list", partitionKey: "listPk", sortKey: "listSk", attributes: ["summary"] },
    /** Who refers to a cluster, a registry, a namespace. */
    { name: "references", partitionKey: "refPk", sortKey: "refSk", attributes: [] },
    /** What the reconciler must look at; sparse, sorted by time. */
    { name: "due", partitionKey: "duePk", sortKey: "dueSk", attributes: [] },
  ],
} as const;
