import * as Schema from "effect/Schema"
import { model, required } from "./Wire.ts"

/** A mobile number to compare with the user's bound one (contract 4.4), as a person writes it. */
export class PhoneNumber extends model<PhoneNumber>("PhoneNumber")({
  phoneNumber: required(
    "phone_number",
    Schema.Redacted(
      Schema.String.annotations({ jsonSchema: { minLength: 1, examples: ["138 1234 5678", "+852 9123 4567"] } })
    ),
    "Mainland China with or without +86, every other country with its code. Spaces, hyphens and parentheses may stand anywhere."
  )
}) {}

/** Whether the number is the user's (contract 2.3); the service never returns the number. */
export class PhoneVerification extends model<PhoneVerification>("PhoneVerification")({
  matched: required("matched", Schema.Boolean, "Whether the number is bound to the user's account.")
}) {}
