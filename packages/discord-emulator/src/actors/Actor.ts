import type { APIMessage } from "discord-api-types/v10"
import type { OptionValue, PickedFile } from "./CommandInput.ts"
import type { InteractionResult } from "./InteractionResult.ts"
import type { ModalValues } from "./ModalInput.ts"

/**
 * A person, who acts under the same rules as the page. Every method rejects with `ActorError` when Discord would
 * refuse.
 */
export interface Actor {
  readonly id: string
  readonly username: string
  readonly send: (
    channelId: string,
    content: string,
    files?: ReadonlyArray<PickedFile>,
    options?: { readonly replyTo?: string }
  ) => Promise<APIMessage>
  readonly edit: (channelId: string, messageId: string, content: string) => Promise<APIMessage>
  readonly delete: (channelId: string, messageId: string) => Promise<void>
  readonly react: (channelId: string, messageId: string, emoji: string) => Promise<void>
  readonly unreact: (channelId: string, messageId: string, emoji: string) => Promise<void>
  readonly typing: (channelId: string) => Promise<void>
  /** Runs a slash command; `path` has its words, such as `task new`. */
  readonly command: (
    channelId: string,
    path: string,
    options?: Readonly<Record<string, OptionValue>>
  ) => Promise<InteractionResult>
  /** Runs a message command. */
  readonly messageCommand: (channelId: string, messageId: string, name: string) => Promise<InteractionResult>
  /** Runs a user command. */
  readonly userCommand: (channelId: string, userId: string, name: string) => Promise<InteractionResult>
  /** Creates a forum post; the post and its first message have the same id. */
  readonly post: (
    forumId: string,
    title: string,
    content: string,
    options?: { readonly files?: ReadonlyArray<PickedFile>; readonly tags?: ReadonlyArray<string> }
  ) => Promise<APIMessage>
  readonly press: (channelId: string, messageId: string, customId: string) => Promise<InteractionResult>
  readonly select: (
    channelId: string,
    messageId: string,
    customId: string,
    values: ReadonlyArray<string>
  ) => Promise<InteractionResult>
  /** Submits the modal that an interaction opened. */
  readonly submit: (
    interaction: Pick<InteractionResult, "id">,
    values: ModalValues,
    files?: Readonly<Record<string, ReadonlyArray<PickedFile>>>
  ) => Promise<InteractionResult>
  readonly autocomplete: (
    channelId: string,
    path: string,
    options: Readonly<Record<string, string>>,
    focused: string
  ) => Promise<ReadonlyArray<{ name: string; value: string | number }>>
  /** Opens the direct channel with the bot and returns its id. */
  readonly openDirect: () => Promise<string>
  /** Sends the bot a direct message. */
  readonly direct: (content: string, files?: ReadonlyArray<PickedFile>) => Promise<APIMessage>
  /** Allows or forbids direct messages from the bot; they are allowed at first. */
  readonly allowDirect: (allow: boolean) => void
  /** Sets the locale of this person's client, such as `de`, which interactions carry; `en-US` unless set. */
  readonly speak: (locale: string) => void
  /** Leaves the guild. */
  readonly leave: () => Promise<void>
  /** Joins the guild again. */
  readonly join: () => Promise<void>
  /**
   * Sends a request to Discord's API with this person's permissions, such as
   * `request("PUT", "/channels/…/permissions/…", { type: 0, deny: "1024" })`. Returns the JSON of the response.
   */
  readonly request: (method: string, path: string, body?: unknown) => Promise<unknown>
  /** The ephemeral messages for this person, oldest first. */
  readonly ephemerals: (channelId?: string) => ReadonlyArray<APIMessage>
}
