import * as Schema from "effect/Schema"
import { WireInt } from "./Wire.ts"

/**
 * The user's credits of the current period (contract 2.4), in credits; used may exceed total (contract decision 58).
 */
export class CreditQuota extends Schema.Class<CreditQuota>("@heddle/core/CreditQuota")({
  total: Schema.propertySignature(WireInt).pipe(Schema.fromKey("total_capacity_size")),
  used: Schema.propertySignature(WireInt).pipe(Schema.fromKey("total_capacity_used"))
}) {}
