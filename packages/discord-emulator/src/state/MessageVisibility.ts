import { MessageKind } from "../model/Constants.ts"
import type { StoredMessage } from "../model/Records.ts"

/** Whether a user may see a message; an ephemeral message has one viewer. */
export const isVisibleTo = (message: StoredMessage, userId: string): boolean =>
  message.visibleTo === undefined || message.visibleTo === userId

/** Whether Discord wrote the message; it cannot be edited, pinned or forwarded. */
export const isSystemMessage = (message: StoredMessage): boolean => systemKinds.includes(message.type)

const systemKinds: ReadonlyArray<number> = [
  MessageKind.recipientAdd,
  MessageKind.recipientRemove,
  MessageKind.nameChange,
  MessageKind.pinned,
  MessageKind.threadCreated,
  MessageKind.threadStarter
]
