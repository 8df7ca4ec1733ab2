import { model, required, WireInt } from "./Wire.ts"

/**
 * The user's credits of the current period (contract 2.4), in credits; used may exceed total (contract decision 58).
 */
export class CreditQuota extends model<CreditQuota>("CreditQuota")({
  total: required("total_capacity_size", WireInt, "Credits of all packs that are valid or used up."),
  used: required("total_capacity_used", WireInt, "Used credits of the same packs.")
}) {}
