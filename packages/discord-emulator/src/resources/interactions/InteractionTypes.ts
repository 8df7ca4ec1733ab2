import type { APIApplicationCommandOptionChoice, APIModalInteractionResponseCallbackData } from "discord-api-types/v10"
import type { StoredInteraction, StoredMessage } from "../../model/Records.ts"
import type { JsonObject } from "../../validate/Form.ts"

/** A checked interaction of a person, to send to the application. */
export interface NewInteraction {
  readonly userId: string
  readonly channelId: string
  readonly type: number
  readonly data: JsonObject
  readonly commandName?: string
  readonly source?: StoredMessage
  /** The interaction that opened the modal. */
  readonly openedBy?: StoredInteraction
  /** The message or user that a context menu command is used on. */
  readonly target?: { readonly messageId: string } | { readonly userId: string }
}

/** The first response of an application to an interaction, or its failure. */
export interface FirstResponse {
  readonly id: string
  readonly type: "message" | "deferred" | "update" | "modal" | "choices" | "failed"
  readonly message?: StoredMessage
  readonly modal?: APIModalInteractionResponseCallbackData
  readonly choices?: ReadonlyArray<APIApplicationCommandOptionChoice>
  readonly error?: string
}
