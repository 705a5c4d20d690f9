/** Display names of the providers 0 to 7 (contract D 6.1). */
export const clusterProviders = [
  "Standard Kubernetes",
  "Alibaba Cloud ACK",
  "Tencent Cloud TKE",
  "Huawei Cloud CCE",
  "Amazon EKS",
  "Tencent Cloud TKE Serverless",
  "Google GKE",
  "Microsoft Azure AKS",
] as const;

export const eksProvider = 4;
