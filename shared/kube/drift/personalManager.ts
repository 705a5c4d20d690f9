/** Programs that run in a cluster by themselves, by what their names have in common, and restarts, which set nothing. */
const controllers =
  /controller|operator|scheduler|autoscaler|kubelet|apiserver|recommender|updater|injector|webhook|istio|pilot|manager|agent|keda|flagger|linkerd|cilium|calico|velero|kyverno|^before-first-apply$|^kubectl-rollout$|^slipway/i;

/** Whether fields of this manager were set by a person or a tool that a person runs, such as `kubectl set env`. */
export function isPersonal(manager: string): boolean {
  return manager !== "" && !controllers.test(manager);
}
