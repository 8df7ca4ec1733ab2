import type { Entry } from "../store/AuditLog.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { oneLine, oneName } from "../text/Fit.ts"
import * as Pager from "./Pager.ts"

/** How many entries are on a page. */
export const size = 12

/** One page of what was decided and changed in a server, the newest first. */
export const page = (entries: ReadonlyArray<Entry>, at: Pager.At, messages: Messages): MessageBody => ({
  content: "",
  embeds: [
    {
      title: messages.audit.title,
      description:
        entries.length === 0 ? messages.audit.empty : entries.map((entry) => line(entry, messages)).join("\n"),
      ...Pager.footer(at, messages)
    }
  ],
  buttons: Pager.buttons(at, (number) => `u1:${number}`, messages)
})

const line = ({ actorId, at, deed, threadId }: Entry, { audit }: Messages): string => {
  const when = Math.floor(at / 1000)
  const where = threadId === undefined ? "" : ` · <#${threadId}>`
  return `<t:${when}:d> <t:${when}:t> <@${actorId}> ${words(deed, audit)}${where}`
}

const words = (deed: Entry["deed"], audit: Messages["audit"]): string => {
  switch (deed._tag) {
    case "Started":
      return audit.started(oneName(deed.task, 80))
    case "Opened":
      return audit.opened(oneName(deed.task, 80))
    case "Stopped":
      return audit.stopped(oneName(deed.task, 80))
    case "Answered":
      return audit.answered(oneLine(deed.title, 80), deed.allowed, deed.with ?? [])
    case "Shared":
      return audit.shared(deed)
    case "Unshared":
      return audit.unshared(deed.userId)
    case "RuleSet":
      return audit.ruleSet({
        subject: deed.subject === "Everyone" ? { _tag: "Everyone" } : { _tag: deed.subject, id: deed.subjectId },
        channelId: deed.channelId === "" ? undefined : deed.channelId,
        capability: deed.capability,
        allow: deed.allow ?? undefined
      })
    case "LanguageSet":
      return audit.languageSet(deed.locale)
    case "Welcomed":
      return audit.welcomed(deed.channelId)
  }
}
