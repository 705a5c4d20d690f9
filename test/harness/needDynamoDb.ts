/** @throws Error when the run would quietly use SQLite, on which `npm test` runs */
export default function needDynamoDb(): void {
  if (process.env.SLIPWAY_DYNAMODB_ENDPOINT === undefined)
    throw new Error("SLIPWAY_DYNAMODB_ENDPOINT is not set: start DynamoDB Local and set it to its address");
}
