/** Codes and messages as contract I 15 and decisions 1.2 list them: a code with several meanings has several texts. */
export const errorCodes = parse(`
400 Bad Request
401 Unauthorized
403 Forbidden
404 Request Not Found
405 Method Not Allowed
409 Conflict
413 Payload Too Large
422 Unprocessable Entity
429 Too Many Requests
500 Internal Error: 
501 Not Implemented
503 Service Unavailable
507 Insufficient Storage

6000 failed to create user
6001 failed to update user
6002 failed to list users / failed to get user
6003 third-party login callback failed
6040 failed to create template / failed to compare service template versions
6041 failed to update template / failed to roll back service template version
6042 failed to list templates
6043 failed to get template
6044 failed to delete template
6045 failed to validate template
6046 failed to count templates
6047 failed to get rendering keys
6048 failed to create rendering configuration
6049 failed to list rendering configurations
6050 failed to delete rendering configuration
6051 failed to set default rendering configuration
6052 failed to get rendering configuration
6053 failed to update rendering configuration
6054 failed to list services in the code repository
6055 failed to import services
6056 failed to update service group
6057 failed to update service configuration
6058 chart dry run failed, service not saved
6059 failed to list service template versions
6060 failed to create project
6061 failed to list projects
6062 failed to update project
6063 failed to delete project
6064 failed to list projects being created, updated or deleted
6065 failed to list service groups
6066 failed to list environment revisions
6067 failed to get environment revision
6068 failed to find environment
6069 failed to get project permission
6070 failed to update project permission
6073 failed to get project
6074 failed to create environment
6075 failed to list environments
6076 failed to update environment
6077 failed to delete environment
6078 failed to get environment
6079 project delete check failed / failed to list environment service versions / failed to set or get entry service

6080 failed to restart service
6081 failed to scale service
6082 failed to update service image
6083 failed to get service
6084 failed to get service containers
6085 failed to list service pods
6086 failed to delete service pods
6087 failed to get service configuration
6088 failed to list service configurations
6089 failed to update service configuration
6090 failed to create service configuration
6091 failed to roll back service configuration
6092 failed to update service
6093 failed to list service events
6094 failed to list resources / service cannot be deleted: it exists in sub-environments
6095 failed to update resource
6096 failed to delete resource
6097 failed to download file from pod
6098 failed to get resource deployment status
6099 failed to log in to host
6150 failed to preview YAML / failed to get directory
6151 environment inspection failed / failed to get file content
6152 failed to list pods / failed to list repository directory
6153 failed to get pod detail
6154 failed to run command on host service

6140 failed to create workflow
6141 failed to update workflow
6142 failed to list workflows
6143 failed to get workflow
6144 failed to delete workflow
6145 workflow already exists
6146 failed to clean workspace
6147 failed to list workspace / get workspace file
6148 failed to rename workflow
6160 failed to create workflow task
6161 failed to get workflow task
6162 failed to list workflow tasks
6163 failed to cancel workflow task
6164 failed to retry workflow task / failed to control rollout
6165 failed to list workflow task states
6166 failed to create Git-triggered workflow task
6167 failed to count workflow tasks
6168 failed to create workflow task
6169 failed to approve workflow task
6170 failed to set breakpoint
6171 failed to stop debug step
6172 failed to get debug shell
6173 failed to enable debugging
6174 failed to clone task
6190 failed to get counter
6191 failed to create counter
6192 failed to update counter
6193 failed to delete counter
6260 failed to query container logs
6261 failed to query build container logs
6262 failed to query test container logs
6540 failed to create or update workflow
6541 failed to list workflows
6542 failed to find workflow
6543 failed to delete workflow
6544 failed to filter workflow variables
6545 workflow preset failed / workflow validation failed
6810 failed to update timer
6811 failed to get timer
6880 failed to get webhook
6881 failed to list webhooks
6882 failed to create webhook
6883 failed to update webhook
6884 failed to delete webhook
6890 failed to get workflow view
6891 failed to list workflow views
6892 failed to create workflow view
6893 failed to update workflow view
6894 failed to delete workflow view
6910 failed to create workflow template
6911 failed to update workflow template
6912 failed to list workflow templates
6913 failed to get workflow template
6914 failed to delete workflow template
6915 workflow template validation failed
6940 failed to get the approval initiator's account
6941 failed to get the approval initiator's account: no phone number configured
7100 failed to create pre-approval ticket
7101 failed to list pre-approval tickets

6100 failed to get test report
6101 failed to update test report
6120 failed to get dependency install script
6121 failed to create dependency install script
6122 failed to update dependency install script
6123 failed to list dependency install scripts
6124 failed to delete dependency install script
6200 failed to list repositories
6201 failed to list branches
6202 failed to list pull requests
6203 failed to get pull request
6204 failed to list commits
6205 failed to create hook
6206 failed to query by commits
6207 hook trigger failed
6208 failed to list tags
6209 failed to list releases
6210 failed to update status
6211 failed to list repository information
6500 failed to list GitLab projects
6501 failed to get GitLab project
6502 failed to list GitLab branches
6503 failed to list GitLab merge requests
6504 failed to list GitLab group projects
6520 failed to create build
6521 failed to update build
6522 failed to list builds
6523 failed to get build
6524 failed to delete build
6525 failed to update build parameters
6526 failed to update bound services
6527 failed to convert workflow task
6528 failed to convert build
6529 failed to create test
6530 failed to update test
6531 failed to list tests
6532 failed to get test
6533 failed to delete test
6534 failed to get HTML test report
6535 failed to create code scan
6536 failed to update code scan
6550 failed to list namespaces of the code source
6551 failed to list repositories of the code source
6552 failed to list branches of the code source
6553 failed to list pull requests of the code source
6554 failed to list tags of the code source
6555 failed to list commits of the code source

6280 failed to list images
6281 image registry not found
6400 failed to create namespace
6401 failed to create secret
6402 failed to update secret
6403 failed to list cluster resources
6404 failed to get cluster resource
6560 failed to create version
6561 failed to list versions
6562 failed to delete version
6563 failed to get version
6564 failed to list delivery projects
6565 failed to update version
6566 version check failed
6570 failed to create version build information
6571 failed to list version build information
6572 failed to delete version build information
6573 failed to get version build information
6580 failed to create version deploy information
6581 failed to list version deploy information
6582 failed to delete version deploy information
6583 failed to get version deploy information
6590 failed to create version distribution information
6591 failed to list version distribution information
6592 failed to delete version distribution information
6593 failed to get version distribution information
6600 failed to create version test information
6601 failed to list version test information
6602 failed to delete version test information
6603 failed to get version test information
6610 failed to create version security scan
6611 failed to list version security scans
6612 failed to delete version security scan
6613 failed to get version security scan
6614 failed to get version security scan statistics
6630 object storage not reachable
6631 no default object storage configured
6632 object storage parameters invalid
6633 object storage configuration not found
6634 object storage not found
6640 failed to list clusters
6641 failed to create cluster
6642 failed to update cluster
6643 cluster not found
6644 failed to delete cluster
6645 failed to delete cluster scheduling strategy
6661 failed to add artifact
6662 failed to get artifact
6663 failed to list artifacts
6664 failed to add artifact activity
6665 failed to list artifact activities
6666 artifact already exists
6671 failed to get basic image
6672 failed to create basic image
6673 failed to update basic image
6674 failed to list basic images
6675 failed to delete basic image
6676 basic image in use, cannot delete
6850 failed to list chart releases
6851 failed to get chart
6852 failed to update chart

6651 failed to add operation log
6652 failed to list operation logs
6653 failed to count operation logs
6654 failed to update operation log
6300 failed to get insight statistics
6301 failed to get insight statistics
6302 failed to get insight statistics
6303 failed to get insight statistics
6304 failed to get insight statistics
6305 failed to get insight statistics
6306 failed to get insight statistics
6307 failed to get insight statistics
6308 failed to get insight statistics
6930 failed to create approval application
6931 failed to update approval application
6932 failed to list approval applications
6933 failed to get approval application
6934 failed to delete approval application
6935 approval application validation failed
7000 failed to create dashboard configuration
7001 failed to list dashboard configurations
7002 failed to update dashboard configuration
7003 failed to delete dashboard configuration
7004 failed to get statistics dashboard
7070 failed to create release plan template
7071 failed to update release plan template
7072 failed to list release plan templates
7073 failed to get release plan template
7074 failed to delete release plan template
7075 release plan template validation failed
7160 failed to get test count
`);

/** Licence codes, which must never be sent. */
export const forbiddenCodes = [6694, 6695, 7050];

function parse(text: string): ReadonlyMap<number, string[]> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [Number(line.slice(0, line.indexOf(" "))), textsOf(line)]));
}

function textsOf(line: string): string[] {
  return line.slice(line.indexOf(" ") + 1).split(" / ");
}
