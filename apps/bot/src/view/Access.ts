import type { Facts, Person, Task } from "../model/Access.ts"
import type * as SessionControls from "@heddle/acp/SessionControls"
import * as AgentOffers from "../model/AgentOffers.ts"
import { decide } from "../access/Policy.ts"
import type { Messages } from "../messages/Messages.ts"

/** The line of a task header on who pays for a task and who may write to it. */
export const accessText = (task: Task, access: Omit<Facts, "ownerIsHere">, messages: Messages): string => {
  const facts = { ...access, ownerIsHere: true }
  const mayReply = (who: Partial<Person>): boolean => {
    const person = { userId: "", guildId: task.guildId, roleIds: [], managesServer: false, ...who }
    return decide(person, { _tag: "Reply", task }, facts) === "allowed"
  }
  const subjects = facts.rules.map(({ subject }) => subject)
  const people = [task.ownerId, ...facts.shares.map(({ userId }) => userId), ...idsOf("User", subjects)]
  const mentions = [
    ...unique(people).flatMap((userId) => (mayReply({ userId }) ? [`<@${userId}>`] : [])),
    ...unique(idsOf("Role", subjects)).flatMap((id) => (mayReply({ roleIds: [id] }) ? [`<@&${id}>`] : []))
  ]
  return messages.access.headerLine(task.ownerId, mayReply({}) ? "everyone" : mentions)
}

/** The line of a task header on the mode of the agent. */
export const modeText = (mode: SessionControls.Control, messages: Messages): string => {
  const current = mode.current ?? ""
  return messages.agent.headerLine(
    AgentOffers.nameOf(mode, current, messages.agent),
    AgentOffers.allowsMore(mode, current)
  )
}

const idsOf = (tag: "Role" | "User", subjects: ReadonlyArray<Facts["rules"][number]["subject"]>) =>
  subjects.flatMap((subject) => (subject._tag === tag ? [subject.id] : []))

const unique = (ids: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(ids)]
