import type { AuditEntry } from "../store/AuditLog.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { plainName } from "../text/PlainName.ts"
import { oneLine } from "../text/Truncate.ts"
import * as Pager from "./Pager.ts"

/** The number of entries on a page. */
export const pageSize = 12

/** One page of a server's log, newest first. */
export const page = (entries: ReadonlyArray<AuditEntry>, at: Pager.Position, messages: Messages): MessageBody => ({
  content: "",
  embeds: [
    {
      title: messages.audit.title,
      description:
        entries.length === 0 ? messages.audit.empty : entries.map((entry) => line(entry, messages)).join("\n"),
      ...Pager.footer(at, messages)
    }
  ],
  // `SettingsAuditPage` handles these ids.
  rows: Pager.buttons(at, (number) => `u1:${number}`, messages)
})

const line = ({ actorId, at, action, threadId }: AuditEntry, { audit }: Messages): string => {
  const when = Math.floor(at / 1000)
  const where = threadId === undefined ? "" : ` · <#${threadId}>`
  return `<t:${when}:d> <t:${when}:t> <@${actorId}> ${actionText(action, audit)}${where}`
}

const actionText = (action: AuditEntry["action"], audit: Messages["audit"]): string => {
  switch (action._tag) {
    case "Started":
      return audit.started(plainName(action.task, 80))
    case "Opened":
      return audit.opened(plainName(action.task, 80))
    case "Stopped":
      return audit.stopped(plainName(action.task, 80))
    case "Answered":
      return audit.answered(oneLine(action.title, 80), action.allowed, action.with ?? [])
    case "Shared":
      return audit.shared(action)
    case "Unshared":
      return audit.unshared(action.userId)
    case "RuleSet":
      return audit.ruleSet({
        subject: action.subject === "Everyone" ? { _tag: "Everyone" } : { _tag: action.subject, id: action.subjectId },
        channelId: action.channelId === "" ? undefined : action.channelId,
        capability: action.capability,
        allow: action.allow ?? undefined
      })
    case "AgentSet":
      return audit.agentSet(oneLine(action.name, 80), oneLine(action.value, 80))
    case "FilesSet":
      return audit.filesSet(action.always)
    case "AgentDefaultsSet":
      return audit.agentDefaultsSet({
        channelId: action.channelId || undefined,
        forAgent: action.forAgent || undefined,
        agent: action.agent ?? undefined,
        mode: action.mode ?? undefined,
        model: action.model ?? undefined,
        options: action.options ?? {}
      })
    case "LanguageSet":
      return audit.languageSet(action.locale)
    case "Welcomed":
      return audit.welcomed(action.channelId)
  }
}
