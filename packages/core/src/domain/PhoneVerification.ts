import * as Schema from "effect/Schema"

/** A mobile number to compare with the user's bound one (contract 4.4), as a person writes it. */
export class PhoneNumber extends Schema.Class<PhoneNumber>("@heddle/core/PhoneNumber")({
  phoneNumber: Schema.propertySignature(Schema.Redacted(Schema.String)).pipe(Schema.fromKey("phone_number"))
}) {}

/** Whether the number is the user's (contract 2.3); the service never returns the number. */
export class PhoneVerification extends Schema.Class<PhoneVerification>("@heddle/core/PhoneVerification")({
  matched: Schema.Boolean
}) {}
