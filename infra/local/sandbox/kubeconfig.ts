import type { Identity } from "./identity.ts";

/** A kubeconfig with one context, as YAML that kubectl, helm and the client libraries read. */
export function kubeconfigText(url: string, identity: Identity): string {
  const authority = Buffer.from(identity.certificate).toString("base64");
  return `apiVersion: v1
kind: Config
current-context: sandbox
clusters:
- name: sandbox
  cluster:
    server: ${url}
    certificate-authority-data: ${authority}
users:
- name: sandbox
  user:
    token: ${JSON.stringify(identity.token)}
contexts:
- name: sandbox
  context:
    cluster: sandbox
    user: sandbox
`;
}
