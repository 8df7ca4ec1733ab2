import type { Action, Refusal } from "../model/Access.ts"
import type { Messages } from "./Messages.ts"

/** The reason of a policy refusal. A refusal changes and charges nothing. */
export const refused = (messages: Messages, refusal: Refusal, action: Action): string => {
  switch (refusal) {
    case "onlyInServers":
      return messages.onlyInServers
    case "adminsOnly":
      return messages.adminsOnly
    case "deniedByRule":
      return messages.deniedByRule
    case "onlyInPublic":
      return messages.onlyInPublic
    case "notMember":
      return messages.notMember
    case "indeterminate":
      return messages.indeterminate
    case "ownerNotMember":
      return messages.ownerNotMember("task" in action ? action.task.ownerId : "")
    case "needsApproval":
      return messages.agent.needsApproval("task" in action ? action.task.ownerId : "")
    case "notYours": {
      if (action._tag === "Assistant") return messages.assistant.onlyOwner(action.ownerId)
      const ownerId = "task" in action ? action.task.ownerId : ""
      return action._tag === "Approve" ? messages.notAllowedToAnswer(ownerId) : messages.notYours(ownerId)
    }
  }
}

/** The reason why a waiting message is not given to the agent. */
export const notSent = (messages: Messages, authorId: string, refusal: Refusal, action: Action): string =>
  messages.notSent(authorId) + messages.between + refused(messages, refusal, action)
