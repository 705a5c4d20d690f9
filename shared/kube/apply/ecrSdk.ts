/** What is used of the SDK for ECR, so that loading it late brings this command into a bundle and not all of them. */
export { ECRClient, GetAuthorizationTokenCommand } from "@aws-sdk/client-ecr";
