import type * as Ticket from "@heddle/acp/Ticket"
import * as Effect from "effect/Effect"
import type { FileRef } from "../view/Post.ts"
import type { Card } from "./Conversation.ts"

export interface Works {
  readonly versions: () => Readonly<Record<string, string>>
  readonly cards: (before: Readonly<Record<string, string>>) => ReadonlyArray<Card>
  readonly push: (params: unknown) => void
  readonly refresh: Effect.Effect<void>
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
}

export const open = (_options: { readonly sessionId: string; readonly ticket: Ticket.Ticket["Type"] }) =>
  Effect.succeed<Works>({
    versions: () => ({}),
    cards: () => [],
    push: () => {},
    refresh: Effect.void,
    load: () => Effect.succeed(undefined)
  })
