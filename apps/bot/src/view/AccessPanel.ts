import type { Capability, Rule, Subject } from "../model/Access.ts"
import { evaluateRules } from "../access/Policy.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { colors } from "./Cards.ts"
import * as Pager from "./Pager.ts"
import type { Picker, Select } from "../model/Post.ts"

/** The selection of the panel. The ids of its controls contain all of it, so it has no stored state. */
export interface Chosen {
  readonly capability: Capability
  readonly subject: Subject
  /** Undefined: the whole server. */
  readonly channelId: string | undefined
  /** The page of the list of rules. */
  readonly page: number
}

/**
 * The action of a control: `c`, `w`, `p` select capability, subject and channel; `y`, `n`, `x` set the rule; `g` turns
 * the page.
 */
export type Verb = "c" | "g" | "n" | "p" | "w" | "x" | "y"

export const capabilities: ReadonlyArray<Capability> = ["start", "reply", "approve", "stop", "spend"]

/** The initial selection. */
export const first: Chosen = { capability: "start", subject: { _tag: "Everyone" }, channelId: undefined, page: 1 }

/** `a1:<capability>:<subject>:<channel>:<page>:<verb>`; at most 100 characters. */
export const idOf = ({ capability, channelId, page, subject }: Chosen, verb: Verb): string => {
  const who = { Everyone: "e", Role: "r", User: "u" }[subject._tag] + ("id" in subject ? subject.id : "")
  return `a1:${capability}:${who}:${channelId ?? "-"}:${page}:${verb}`
}

/** Reads such an id; undefined for another id. */
export const parse = (customId: string): { readonly chosen: Chosen; readonly verb: Verb } | undefined => {
  const found = /^a1:(\w+):(e|[ru]\d{1,20}):(-|\d{1,20}):(\d{1,6}):([cgnpwxy])$/.exec(customId)
  if (found === null) return undefined
  const [, what, who = "e", where, page, verb] = found
  const capability = capabilities.find((each) => each === what)
  if (capability === undefined) return undefined
  const id = who.slice(1)
  const subject: Subject = who === "e" ? { _tag: "Everyone" } : { _tag: who.startsWith("r") ? "Role" : "User", id }
  const channelId = where === "-" ? undefined : where
  return { chosen: { capability, subject, channelId, page: Number(page) }, verb: verb as Verb }
}

/** The number of rules on a page. */
const size = 15

/** The panel: the selection, the rule for exactly that, and all rules of the server. */
export const panel = (chosen: Chosen, rules: ReadonlyArray<Rule>, messages: Messages): MessageBody => {
  const list = { size, total: rules.length }
  const at = { ...list, page: Pager.within(chosen.page, list) }
  const shown = rules.slice((at.page - 1) * size, at.page * size)
  const exact = rules.find((rule) => isAbout(rule, chosen))
  const { settings } = messages
  const what: Select = {
    customId: idOf(chosen, "c"),
    placeholder: settings.whatHint,
    atLeast: 1,
    atMost: 1,
    options: capabilities.map((value) => ({
      value,
      label: settings.capabilities[value].label,
      description: settings.capabilities[value].description,
      chosen: value === chosen.capability
    }))
  }
  const { subject } = chosen
  const who: Picker = {
    customId: idOf(chosen, "w"),
    placeholder: settings.whoHint,
    picks: "peopleAndRoles",
    atLeast: 0,
    atMost: 1,
    chosen: subject._tag === "Everyone" ? [] : [{ id: subject.id, is: subject._tag === "Role" ? "role" : "user" }]
  }
  const where: Picker = {
    customId: idOf(chosen, "p"),
    placeholder: settings.whereHint,
    picks: "channels",
    atLeast: 0,
    atMost: 1,
    chosen: chosen.channelId === undefined ? [] : [{ id: chosen.channelId, is: "channel" }]
  }
  return {
    content: "",
    embeds: [
      {
        title: settings.accessTitle,
        description: [
          settings.chosen(chosen, exact?.allow),
          effect(chosen, rules, messages),
          "",
          settings.accessHow,
          "",
          `**${settings.rulesTitle}**`,
          ...(shown.length === 0
            ? [settings.noRules, "", settings.withoutRule]
            : shown.map((rule) => `- ${settings.rule(rule)}`))
        ].join("\n"),
        color: colors.plan,
        ...Pager.footer(at, messages)
      }
    ],
    buttons: [
      [what],
      [who],
      [where],
      [
        { label: settings.allow, style: "success", customId: idOf(chosen, "y") },
        { label: settings.deny, style: "danger", customId: idOf(chosen, "n") },
        ...(exact === undefined
          ? []
          : [{ label: settings.remove, style: "secondary", customId: idOf(chosen, "x") } as const])
      ],
      ...Pager.buttons(at, (page) => idOf({ ...chosen, page }, "g"), messages)
    ]
  }
}

/** Whether a rule is exactly about the selection. */
export const isAbout = (rule: Rule, { capability, channelId, subject }: Chosen): boolean =>
  rule.capability === capability &&
  rule.channelId === channelId &&
  rule.subject._tag === subject._tag &&
  (rule.subject._tag === "Everyone" || ("id" in subject && rule.subject.id === subject.id))

/** The effect of all rules on the selection. */
const effect = ({ capability, channelId, subject }: Chosen, rules: ReadonlyArray<Rule>, messages: Messages): string => {
  const person = {
    userId: subject._tag === "User" ? subject.id : "",
    roleIds: subject._tag === "Role" ? [subject.id] : []
  }
  const said = evaluateRules(person, channelId ?? "", capability, rules)
  return said === undefined ? messages.settings.byDefault[capability] : messages.settings.effect[said]
}
