import { CfnOutput, Stack } from "aws-cdk-lib";
import { CfnBasePathMapping, CfnDomainName, type RestApiBase } from "aws-cdk-lib/aws-apigateway";
import { CfnRecordSet } from "aws-cdk-lib/aws-route53";
import { Construct } from "constructs";
import type { Domain } from "../options/options.ts";
import { modernTls } from "./modernTls.ts";

/**
 * A name of one's own for the API. It maps to the stage without a base path: API Gateway would pass a base path on to the
 * functions, which know no such path.
 */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { rest, domain }: { rest: RestApiBase; domain: Domain }) {
    super(scope, id);
    const name = new CfnDomainName(this, "Name", {
      domainName: domain.name,
      regionalCertificateArn: domain.certificateArn,
      endpointConfiguration: { types: ["REGIONAL"] },
      ...modernTls,
    });
    new CfnBasePathMapping(this, "Mapping", {
      domainName: name.ref,
      restApiId: rest.restApiId,
      stage: rest.deploymentStage.stageName,
    });
    const { hostedZoneId } = domain;
    if (hostedZoneId === undefined) {
      new CfnOutput(Stack.of(this), "DomainTarget", {
        value: name.attrRegionalDomainName,
        description: `Make ${domain.name} a CNAME of this name`,
      });
      return;
    }
    for (const type of ["A", "AAAA"])
      new CfnRecordSet(this, type, {
        ...{ hostedZoneId, type, name: domain.name },
        aliasTarget: { dnsName: name.attrRegionalDomainName, hostedZoneId: name.attrRegionalHostedZoneId },
      });
  }
}
