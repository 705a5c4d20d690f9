/** What a gateway itself says in AWS and on one machine, in the same words. */
export const gatewaySentences = {
  noAnswer: "no answer; try again with the same Idempotency-Key",
  tooLate: "the work took longer than the gateway waits; try again with the same Idempotency-Key",
  bodyTooLarge: "the body is larger than one request can carry; send less in one request",
} as const;
