/** What is used of the SDK for EKS, so that loading it late brings these commands into a bundle and not all of them. */
export { DescribeClusterCommand, EKSClient } from "@aws-sdk/client-eks";
