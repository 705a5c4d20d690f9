/** Beside `app_secret`, what approvals through a chat app take: what checks callbacks, and the form that people see. */
const approvalSecretNames = ["encrypt_key", "verification_token", "template_id"] as const;
type SecretName = (typeof approvalSecretNames)[number];

const typesWithApprovals: readonly string[] = ["feishu", "lark_intl", "dingtalk", "workwx"];

export function approvalSecretsOf(type: string): readonly SecretName[] {
  return typesWithApprovals.includes(type) ? approvalSecretNames : [];
}

/** Apps of these services are there for approvals alone; those of the others send messages, too. */
export function needsTemplate(type: string): boolean {
  return type === "dingtalk" || type === "workwx";
}

/** What is wrong with the secrets of a body; another type's fields are named rather than dropped. */
export function approvalSecretProblems(body: Record<string, unknown>): { field: SecretName; problem: string }[] {
  const { type } = body;
  if (typeof type !== "string") return [];
  return approvalSecretNames.flatMap((field) => {
    const value = body[field];
    if (typeof value !== "string" || value === "") return [];
    if (!approvalSecretsOf(type).includes(field))
      return [{ field, problem: `a chat app of type ${type} has no ${field}; leave it out` }];
    // Both services make and take keys of this form alone: 32 bytes in Base64 without the padding.
    const isAesKey = field !== "encrypt_key" || !needsTemplate(type) || /^[A-Za-z0-9]{43}$/.test(value);
    return isAesKey ? [] : [{ field, problem: "must be the 43 letters and digits that the chat service shows" }];
  });
}
