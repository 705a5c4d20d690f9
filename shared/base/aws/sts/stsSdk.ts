/** What is used of the SDK for STS, so that loading it late brings this command into a bundle and not all of them. */
export { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
