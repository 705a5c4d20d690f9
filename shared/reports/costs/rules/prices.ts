/** What is paid, in one currency and in the units of price lists. */
export interface Prices {
  /** Three letters, as ISO 4217 has them. */
  currency: string;
  vcpuHour: number;
  /** Of memory of pods; a GB are 1024 MiB, as in AWS. */
  gbHour: number;
  millionLambdaRequests: number;
  lambdaGbSecond: number;
  thousandTransitions: number;
  millionReadUnits: number;
  millionWriteUnits: number;
}

/**
 * Until others are set: public list prices of AWS in us-east-1, without free tiers and discounts, as they were known
 * in November 2026 from copies of these pages; they were not looked up live.
 * - pods: Fargate, Linux on x86, https://aws.amazon.com/fargate/pricing/
 * - Lambda on Arm, https://aws.amazon.com/lambda/pricing/
 * - standard workflows, https://aws.amazon.com/step-functions/pricing/
 * - tables on demand, standard class, https://aws.amazon.com/dynamodb/pricing/on-demand/
 */
export const listPrices: Prices = {
  currency: "USD",
  vcpuHour: 0.04048,
  gbHour: 0.004445,
  millionLambdaRequests: 0.2,
  lambdaGbSecond: 0.0000133334,
  thousandTransitions: 0.025,
  millionReadUnits: 0.125,
  millionWriteUnits: 0.625,
};
