/** What copies use of the SDK for ECR, so that loading it late brings these commands into a bundle and not all of them. */
export { BatchCheckLayerAvailabilityCommand, CreateRepositoryCommand, ECRClient } from "@aws-sdk/client-ecr";
