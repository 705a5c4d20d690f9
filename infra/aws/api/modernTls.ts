/** TLS 1.2 and newer; a policy of this kind wants the mode beside it. */
export const modernTls = {
  securityPolicy: "SecurityPolicy_TLS13_1_2_PQ_2025_09",
  endpointAccessMode: "STRICT",
} as const;
