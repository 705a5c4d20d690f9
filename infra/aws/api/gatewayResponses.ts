import { ResponseType } from "aws-cdk-lib/aws-apigateway";
import type { ErrorCode } from "../../../shared/errors/catalogue.ts";
import { gatewaySentences } from "../../gatewaySentences.ts";

interface GatewayResponse {
  type: ResponseType;
  code: ErrorCode;
  description: string;
}

/** What API Gateway answers itself because no function could; the statuses are those that every operation documents. */
export const gatewayResponses: readonly GatewayResponse[] = [
  { type: ResponseType.DEFAULT_4XX, code: 400, description: "the gateway could not read the request" },
  { type: ResponseType.BAD_REQUEST_PARAMETERS, code: 400, description: "the gateway could not read the request" },
  { type: ResponseType.BAD_REQUEST_BODY, code: 400, description: "the gateway could not read the body" },
  { type: ResponseType.UNAUTHORIZED, code: 401, description: "missing authorization header" },
  { type: ResponseType.ACCESS_DENIED, code: 403, description: "the gateway's policy refuses this caller" },
  { type: ResponseType.EXPIRED_TOKEN, code: 403, description: "an AWS signature is not a token of this API" },
  { type: ResponseType.INVALID_SIGNATURE, code: 403, description: "an AWS signature is not a token of this API" },
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, code: 404, description: "Invalid path" },
  { type: ResponseType.RESOURCE_NOT_FOUND, code: 404, description: "Invalid path" },
  { type: ResponseType.REQUEST_TOO_LARGE, code: 413, description: gatewaySentences.bodyTooLarge },
  { type: ResponseType.UNSUPPORTED_MEDIA_TYPE, code: 400, description: "send application/json" },
  { type: ResponseType.THROTTLED, code: 429, description: "too many requests at once; try again in a moment" },
  { type: ResponseType.QUOTA_EXCEEDED, code: 429, description: "too many requests; try again later" },
  { type: ResponseType.DEFAULT_5XX, code: 500, description: gatewaySentences.noAnswer },
  { type: ResponseType.INTEGRATION_TIMEOUT, code: 500, description: gatewaySentences.tooLate },
  { type: ResponseType.INTEGRATION_FAILURE, code: 500, description: gatewaySentences.noAnswer },
  { type: ResponseType.API_CONFIGURATION_ERROR, code: 500, description: "the gateway is set up wrongly" },
];
