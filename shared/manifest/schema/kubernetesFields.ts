// Generated: npx vitest run --project unit test/shared/manifest/schema/kubernetesFields.test.ts --update

/** The kinds of Kubernetes 1.35 that come without a definition of their own, each with the number of its type. */
export const kubernetesKinds = `
apps/v1/ControllerRevision 0
apps/v1/DaemonSet 4
apps/v1/Deployment 115
apps/v1/ReplicaSet 119
apps/v1/StatefulSet 121
autoscaling/v1/Scale 131
autoscaling/v2/HorizontalPodAutoscaler 133
batch/v1/CronJob 147
batch/v1/Job 157
coordination.k8s.io/v1/Lease 158
v1/ConfigMap 160
v1/Endpoints 161
v1/Event 166
v1/LimitRange 169
v1/Namespace 172
v1/Node 174
v1/PersistentVolume 179
v1/PersistentVolumeClaim 194
v1/Pod 195
v1/PodTemplate 196
v1/ReplicationController 197
v1/ResourceQuota 199
v1/Secret 203
v1/Service 204
v1/ServiceAccount 209
discovery.k8s.io/v1/EndpointSlice 210
networking.k8s.io/v1/Ingress 217
networking.k8s.io/v1/IngressClass 226
networking.k8s.io/v1/NetworkPolicy 229
policy/v1/Eviction 236
policy/v1/PodDisruptionBudget 239
rbac.authorization.k8s.io/v1/ClusterRole 241
rbac.authorization.k8s.io/v1/ClusterRoleBinding 244
rbac.authorization.k8s.io/v1/Role 247
rbac.authorization.k8s.io/v1/RoleBinding 248
scheduling.k8s.io/v1/PriorityClass 249
storage.k8s.io/v1/StorageClass 250
apiextensions.k8s.io/v1/CustomResourceDefinition 253
`;

/**
 * The types by number, one a line: names of fields, each with what it holds. `:7` is type 7, `:{7` a map of it, `:[7`
 * a list of it; in parentheses the fields that tell the entries of a list apart, none for a set. A name alone holds
 * what is not looked into.
 */
export const kubernetesTypes = `
apiVersion data kind metadata:1 revision
annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers:[() generateName generation labels managedFields:[2 name namespace ownerReferences:[3(uid) resourceVersion selfLink uid
apiVersion fieldsType fieldsV1 manager operation subresource time
apiVersion blockOwnerDeletion controller kind name uid
apiVersion kind metadata:1 spec:5 status
minReadySeconds revisionHistoryLimit selector:6 template:8 updateStrategy:113
matchExpressions:[7 matchLabels
key operator values
metadata:1 spec:9
activeDeadlineSeconds affinity:10 automountServiceAccountToken containers:[20 dnsConfig:54 dnsPolicy enableServiceLinks ephemeralContainers:[56 hostAliases:[57(ip) hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets:[58(name) initContainers:[20 nodeName nodeSelector os:59 overhead preemptionPolicy priority priorityClassName readinessGates:[60 resourceClaims:[61 resources:42 restartPolicy runtimeClassName schedulerName schedulingGates:[62 securityContext:63 serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations:[65 topologySpreadConstraints:[66 volumes:[67 workloadRef:112
nodeAffinity:11 podAffinity:16 podAntiAffinity:19
preferredDuringSchedulingIgnoredDuringExecution:[12 requiredDuringSchedulingIgnoredDuringExecution:15
preference:13 weight
matchExpressions:[14 matchFields:[14
key operator values
nodeSelectorTerms:[13
preferredDuringSchedulingIgnoredDuringExecution:[17 requiredDuringSchedulingIgnoredDuringExecution:[18
podAffinityTerm:18 weight
labelSelector:6 matchLabelKeys mismatchLabelKeys namespaceSelector:6 namespaces topologyKey
preferredDuringSchedulingIgnoredDuringExecution:[17 requiredDuringSchedulingIgnoredDuringExecution:[18
args command env:[21(name) envFrom:[28 image imagePullPolicy lifecycle:31 livenessProbe:38 name ports:[40(containerPort,protocol) readinessProbe:38 resizePolicy:[41 resources:42 restartPolicy restartPolicyRules:[44 securityContext:46 startupProbe:38 stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices:[52 volumeMounts:[53 workingDir
name value valueFrom:22
configMapKeyRef:23 fieldRef:24 fileKeyRef:25 resourceFieldRef:26 secretKeyRef:27
key name optional
apiVersion fieldPath
key optional path volumeName
containerName divisor resource
key name optional
configMapRef:29 prefix secretRef:30
name optional
name optional
postStart:32 preStop:32 stopSignal
exec:33 httpGet:34 sleep:36 tcpSocket:37
command
host httpHeaders:[35 path port scheme
name value
seconds
host port
exec:33 failureThreshold grpc:39 httpGet:34 initialDelaySeconds periodSeconds successThreshold tcpSocket:37 terminationGracePeriodSeconds timeoutSeconds
port service
containerPort hostIP hostPort name protocol
resourceName restartPolicy
claims:[43 limits requests
name request
action exitCodes:45
operator values:[()
allowPrivilegeEscalation appArmorProfile:47 capabilities:48 privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions:49 seccompProfile:50 windowsOptions:51
localhostProfile type
add drop
level role type user
localhostProfile type
gmsaCredentialSpec gmsaCredentialSpecName hostProcess runAsUserName
devicePath name
mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr
nameservers options:[55 searches
name value
args command env:[21(name) envFrom:[28 image imagePullPolicy lifecycle:31 livenessProbe:38 name ports:[40(containerPort,protocol) readinessProbe:38 resizePolicy:[41 resources:42 restartPolicy restartPolicyRules:[44 securityContext:46 startupProbe:38 stdin stdinOnce targetContainerName terminationMessagePath terminationMessagePolicy tty volumeDevices:[52 volumeMounts:[53 workingDir
hostnames ip
name
name
conditionType
name resourceClaimName resourceClaimTemplateName
name
appArmorProfile:47 fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser seLinuxChangePolicy seLinuxOptions:49 seccompProfile:50 supplementalGroups supplementalGroupsPolicy sysctls:[64 windowsOptions:51
name value
effect key operator tolerationSeconds value
labelSelector:6 matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey whenUnsatisfiable
awsElasticBlockStore:68 azureDisk:69 azureFile:70 cephfs:71 cinder:72 configMap:73 csi:75 downwardAPI:76 emptyDir:78 ephemeral:79 fc:85 flexVolume:86 flocker:87 gcePersistentDisk:88 gitRepo:89 glusterfs:90 hostPath:91 image:92 iscsi:93 name nfs:94 persistentVolumeClaim:95 photonPersistentDisk:96 portworxVolume:97 projected:98 quobyte:106 rbd:107 scaleIO:108 secret:109 storageos:110 vsphereVolume:111
fsType partition readOnly volumeID
cachingMode diskName diskURI fsType kind readOnly
readOnly secretName shareName
monitors path readOnly secretFile secretRef:58 user
fsType readOnly secretRef:58 volumeID
defaultMode items:[74 name optional
key mode path
driver fsType nodePublishSecretRef:58 readOnly volumeAttributes
defaultMode items:[77
fieldRef:24 mode path resourceFieldRef:26
medium sizeLimit
volumeClaimTemplate:80
metadata:1 spec:81
accessModes dataSource:82 dataSourceRef:83 resources:84 selector:6 storageClassName volumeAttributesClassName volumeMode volumeName
apiGroup kind name
apiGroup kind name namespace
limits requests
fsType lun readOnly targetWWNs wwids
driver fsType options readOnly secretRef:58
datasetName datasetUUID
fsType partition pdName readOnly
directory repository revision
endpoints path readOnly
path type
pullPolicy reference
chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun portals readOnly secretRef:58 targetPortal
path readOnly server
claimName readOnly
fsType pdID
fsType readOnly volumeID
defaultMode sources:[99
clusterTrustBundle:100 configMap:101 downwardAPI:102 podCertificate:103 secret:104 serviceAccountToken:105
labelSelector:6 name optional path signerName
items:[74 name optional
items:[77
certificateChainPath credentialBundlePath keyPath keyType maxExpirationSeconds signerName userAnnotations
items:[74 name optional
audience expirationSeconds path
group readOnly registry tenant user volume
fsType image keyring monitors pool readOnly secretRef:58 user
fsType gateway protectionDomain readOnly secretRef:58 sslEnabled storageMode storagePool system volumeName
defaultMode items:[74 optional secretName
fsType readOnly secretRef:58 volumeName volumeNamespace
fsType storagePolicyID storagePolicyName volumePath
name podGroup podGroupReplicaKey
rollingUpdate:114 type
maxSurge maxUnavailable
apiVersion kind metadata:1 spec:116 status
minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector:6 strategy:117 template:8
rollingUpdate:118 type
maxSurge maxUnavailable
apiVersion kind metadata:1 spec:120 status
minReadySeconds replicas selector:6 template:8
apiVersion kind metadata:1 spec:122 status
minReadySeconds ordinals:123 persistentVolumeClaimRetentionPolicy:124 podManagementPolicy replicas revisionHistoryLimit selector:6 serviceName template:8 updateStrategy:125 volumeClaimTemplates:[127
start
whenDeleted whenScaled
rollingUpdate:126 type
maxUnavailable partition
apiVersion kind metadata:1 spec:81 status:128
accessModes allocatedResourceStatuses allocatedResources capacity conditions:[129(type) currentVolumeAttributesClassName modifyVolumeStatus:130 phase
lastProbeTime lastTransitionTime message reason status type
status targetVolumeAttributesClassName
apiVersion kind metadata:1 spec:132 status
replicas
apiVersion kind metadata:1 spec:134 status
behavior:135 maxReplicas metrics:[138 minReplicas scaleTargetRef:144
scaleDown:136 scaleUp:136
policies:[137 selectPolicy stabilizationWindowSeconds tolerance
periodSeconds type value
containerResource:139 external:141 object:143 pods:145 resource:146 type
container name target:140
averageUtilization averageValue type value
metric:142 target:140
name selector:6
describedObject:144 metric:142 target:140
apiVersion kind name
metric:142 target:140
name target:140
apiVersion kind metadata:1 spec:148 status
concurrencyPolicy failedJobsHistoryLimit jobTemplate:149 schedule startingDeadlineSeconds successfulJobsHistoryLimit suspend timeZone
metadata:1 spec:150
activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy:151 podReplacementPolicy selector:6 successPolicy:155 suspend template:8 ttlSecondsAfterFinished
rules:[152
action onExitCodes:153 onPodConditions:[154
containerName operator values:[()
status type
rules:[156
succeededCount succeededIndexes
apiVersion kind metadata:1 spec:150 status
apiVersion kind metadata:1 spec:159
acquireTime holderIdentity leaseDurationSeconds leaseTransitions preferredHolder renewTime strategy
apiVersion binaryData data immutable kind metadata:1
apiVersion kind metadata:1 subsets:[162
addresses:[163 notReadyAddresses:[163 ports:[165
hostname ip nodeName targetRef:164
apiVersion fieldPath kind name namespace resourceVersion uid
appProtocol name port protocol
action apiVersion count eventTime firstTimestamp involvedObject:164 kind lastTimestamp message metadata:1 reason related:164 reportingComponent reportingInstance series:167 source:168 type
count lastObservedTime
component host
apiVersion kind metadata:1 spec:170
limits:[171
default defaultRequest max maxLimitRequestRatio min type
apiVersion kind metadata:1 spec:173 status
finalizers
apiVersion kind metadata:1 spec:175 status
configSource:176 externalID podCIDR podCIDRs:[() providerID taints:[178 unschedulable
configMap:177
kubeletConfigKey name namespace resourceVersion uid
effect key timeAdded value
apiVersion kind metadata:1 spec:180 status
accessModes awsElasticBlockStore:68 azureDisk:69 azureFile:181 capacity cephfs:182 cinder:184 claimRef:164 csi:185 fc:85 flexVolume:186 flocker:87 gcePersistentDisk:88 glusterfs:187 hostPath:91 iscsi:188 local:189 mountOptions nfs:94 nodeAffinity:190 persistentVolumeReclaimPolicy photonPersistentDisk:96 portworxVolume:97 quobyte:106 rbd:191 scaleIO:192 storageClassName storageos:193 volumeAttributesClassName volumeMode vsphereVolume:111
readOnly secretName secretNamespace shareName
monitors path readOnly secretFile secretRef:183 user
name namespace
fsType readOnly secretRef:183 volumeID
controllerExpandSecretRef:183 controllerPublishSecretRef:183 driver fsType nodeExpandSecretRef:183 nodePublishSecretRef:183 nodeStageSecretRef:183 readOnly volumeAttributes volumeHandle
driver fsType options readOnly secretRef:183
endpoints endpointsNamespace path readOnly
chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun portals readOnly secretRef:183 targetPortal
fsType path
required:15
fsType image keyring monitors pool readOnly secretRef:183 user
fsType gateway protectionDomain readOnly secretRef:183 sslEnabled storageMode storagePool system volumeName
fsType readOnly secretRef:164 volumeName volumeNamespace
apiVersion kind metadata:1 spec:81 status
apiVersion kind metadata:1 spec:9 status
apiVersion kind metadata:1 template:8
apiVersion kind metadata:1 spec:198 status
minReadySeconds replicas selector template:8
apiVersion kind metadata:1 spec:200 status
hard scopeSelector:201 scopes
matchExpressions:[202
operator scopeName values
apiVersion data immutable kind metadata:1 stringData type
apiVersion kind metadata:1 spec:205 status
allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName externalTrafficPolicy healthCheckNodePort internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges ports:[206 publishNotReadyAddresses selector sessionAffinity sessionAffinityConfig:207 trafficDistribution type
appProtocol name nodePort port protocol targetPort
clientIP:208
timeoutSeconds
apiVersion automountServiceAccountToken imagePullSecrets:[58 kind metadata:1 secrets:[164(name)
addressType apiVersion endpoints:[211 kind metadata:1 ports:[216
addresses:[() conditions:212 deprecatedTopology hints:213 hostname nodeName targetRef:164 zone
ready serving terminating
forNodes:[214 forZones:[215
name
name
appProtocol name port protocol
apiVersion kind metadata:1 spec:218 status
defaultBackend:219 ingressClassName rules:[222 tls:[225
resource:82 service:220
name port:221
name number
host http:223
paths:[224
backend:219 path pathType
hosts secretName
apiVersion kind metadata:1 spec:227
controller parameters:228
apiGroup kind name namespace scope
apiVersion kind metadata:1 spec:230
egress:[231 ingress:[235 podSelector:6 policyTypes
ports:[232 to:[233
endPort port protocol
ipBlock:234 namespaceSelector:6 podSelector:6
cidr except
from:[233 ports:[232
apiVersion deleteOptions:237 kind metadata:1
apiVersion dryRun gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential kind orphanDependents preconditions:238 propagationPolicy
resourceVersion uid
apiVersion kind metadata:1 spec:240 status
maxUnavailable minAvailable selector:6 unhealthyPodEvictionPolicy
aggregationRule:242 apiVersion kind metadata:1 rules:[243
clusterRoleSelectors:[6
apiGroups nonResourceURLs resourceNames resources verbs
apiVersion kind metadata:1 roleRef:245 subjects:[246
apiGroup kind name
apiGroup kind name namespace
apiVersion kind metadata:1 rules:[243
apiVersion kind metadata:1 roleRef:245 subjects:[246
apiVersion description globalDefault kind metadata:1 preemptionPolicy value
allowVolumeExpansion allowedTopologies:[251 apiVersion kind metadata:1 mountOptions parameters provisioner reclaimPolicy volumeBindingMode
matchLabelExpressions:[252
key values
apiVersion kind metadata:1 spec:254 status
conversion:255 group names:259 preserveUnknownFields scope versions:[260
strategy webhook:256
clientConfig:257 conversionReviewVersions
caBundle service:258 url
name namespace path port
categories kind listKind plural shortNames singular
additionalPrinterColumns:[261 deprecated deprecationWarning name schema:262 selectableFields:[266 served storage subresources:267
description format jsonPath name priority type
openAPIV3Schema:263
$ref $schema additionalItems additionalProperties allOf:[263 anyOf:[263 default definitions:{263 dependencies description enum example exclusiveMaximum exclusiveMinimum externalDocs:264 format id items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf not:263 nullable oneOf:[263 pattern patternProperties:{263 properties:{263 required title type uniqueItems x-kubernetes-embedded-resource x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-preserve-unknown-fields x-kubernetes-validations:[265(rule)
description url
fieldPath message messageExpression optionalOldSelf reason rule
jsonPath
scale:268 status
labelSelectorPath specReplicasPath statusReplicasPath
`;
