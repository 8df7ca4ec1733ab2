import { Intent } from "./Codes.ts"
import type { Dispatch } from "./Dispatch.ts"
import type { SessionRecord } from "./SessionStore.ts"

/** The events that a session receives by its intents and shard, without content that its intents protect. */
export const filterForSession = (
  { intents, shard }: Pick<SessionRecord, "intents" | "shard">,
  dispatches: ReadonlyArray<Dispatch>,
  guildId: string
): ReadonlyArray<Pick<Dispatch, "event" | "data">> =>
  dispatches.flatMap((dispatch) => {
    const { needsContentIntent = false, isDirectMessage, event } = dispatch
    if (dispatch.intents !== 0 && (dispatch.intents & intents) === 0) return []
    if (!handlesGuild({ shard }, isDirectMessage ? undefined : guildId)) return []
    const hidesContent = needsContentIntent && (intents & Intent.messageContent) === 0
    return { event, data: hidesContent ? withoutContent(dispatch.data) : dispatch.data }
  })

/** Whether the events of a guild belong to a shard; events without a guild belong to the first shard. */
export const handlesGuild = ({ shard }: Pick<SessionRecord, "shard">, guildId: string | undefined): boolean => {
  const [index, count] = shard
  if (count === 1) return true
  return index === (guildId === undefined ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)))
}

/** A message without the fields that need the message content intent. */
const withoutContent = (data: object): object => ({
  ...data,
  ...emptyContent,
  ...("message_snapshots" in data && Array.isArray(data.message_snapshots)
    ? {
        message_snapshots: data.message_snapshots.map((snapshot: { readonly message: object }) => ({
          message: { ...snapshot.message, ...emptyContent }
        }))
      }
    : {})
})

const emptyContent = { content: "", embeds: [], attachments: [], components: [] }
