import type { AwsError } from "./awsError.ts";
import type { AwsResponse } from "./service.ts";

/** An error as services of the REST JSON protocol (Lambda, Scheduler) answer it. */
export function restJsonError(error: AwsError): AwsResponse {
  return {
    status: error.status,
    headers: { "content-type": "application/json", "x-amzn-errortype": error.name },
    body: JSON.stringify({ Type: error.status < 500 ? "User" : "Service", Message: error.message }),
  };
}
