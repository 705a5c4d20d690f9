import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { tableDefinition } from "../../../shared/store/tableDefinition.ts";

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The single table: on demand, restorable to any second of the last 35 days, not deleted with the stack. */
export class SlipwayTable extends TableV2 {
  constructor(scope: Construct, id: string) {
    const { partitionKey, sortKey, ttlAttribute, indexes } = tableDefinition;
    super(scope, id, {
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      timeToLiveAttribute: ttlAttribute,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Credentials are sealed under the customer key before they are stored; the rest costs nothing this way.
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      globalSecondaryIndexes: indexes.map((index) => ({
        indexName: index.name,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        ...(index.attributes.length === 0
          ? { projectionType: ProjectionType.KEYS_ONLY }
          : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...index.attributes] }),
      })),
    });
  }
}
