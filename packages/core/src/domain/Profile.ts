import * as Schema from "effect/Schema"
import { model, optional } from "./Wire.ts"

/** The user's nickname and avatar URL (contract 2.2); a service may leave either out (contract decision 54). */
export class Profile extends model<Profile>("Profile")({
  nickname: optional(Schema.String),
  avatar: optional(Schema.String, "A URL, or empty.")
}) {}
