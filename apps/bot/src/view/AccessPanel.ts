import type { Capability, Rule, Subject } from "../model/Access.ts"
import { evaluateRules } from "../access/Policy.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { colors } from "./Colors.ts"
import * as Pager from "./Pager.ts"
import type { EntitySelect, Select } from "../model/Post.ts"

/** The selection of the panel. The ids of its controls contain all of it, so it has no stored state. */
export interface Selection {
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
export type PanelAction = "c" | "g" | "n" | "p" | "w" | "x" | "y"

export const capabilities: ReadonlyArray<Capability> = ["start", "reply", "approve", "stop", "spend"]

/** The initial selection. */
export const initialSelection: Selection = {
  capability: "start",
  subject: { _tag: "Everyone" },
  channelId: undefined,
  page: 1
}

/** `a1:<capability>:<subject>:<channel>:<page>:<action>`; at most 100 characters. */
export const toCustomId = ({ capability, channelId, page, subject }: Selection, action: PanelAction): string => {
  const who = { Everyone: "e", Role: "r", User: "u" }[subject._tag] + ("id" in subject ? subject.id : "")
  return `a1:${capability}:${who}:${channelId ?? "-"}:${page}:${action}`
}

/** Reads such an id; undefined for another id. */
export const parseCustomId = (
  customId: string
): { readonly selection: Selection; readonly action: PanelAction } | undefined => {
  const match = /^a1:(\w+):(e|[ru]\d{1,20}):(-|\d{1,20}):(\d{1,6}):([cgnpwxy])$/.exec(customId)
  if (match === null) return undefined
  const [, what, who = "e", where, page, action] = match
  const capability = capabilities.find((each) => each === what)
  if (capability === undefined) return undefined
  const id = who.slice(1)
  const subject: Subject = who === "e" ? { _tag: "Everyone" } : { _tag: who.startsWith("r") ? "Role" : "User", id }
  const channelId = where === "-" ? undefined : where
  return { selection: { capability, subject, channelId, page: Number(page) }, action: action as PanelAction }
}

/** The number of rules on a page. */
const rulesPerPage = 15

/** The panel: the selection, the rule for exactly that, and all rules of the server. */
export const panel = (selection: Selection, rules: ReadonlyArray<Rule>, messages: Messages): MessageBody => {
  const list = { size: rulesPerPage, total: rules.length }
  const position = { ...list, page: Pager.nearestPage(selection.page, list) }
  const rulesOnPage = rules.slice((position.page - 1) * rulesPerPage, position.page * rulesPerPage)
  const exactRule = rules.find((rule) => matchesSelection(rule, selection))
  const { settings } = messages
  const what: Select = {
    customId: toCustomId(selection, "c"),
    placeholder: settings.capabilityHint,
    minValues: 1,
    maxValues: 1,
    options: capabilities.map((value) => ({
      value,
      label: settings.capabilities[value].label,
      description: settings.capabilities[value].description,
      isDefault: value === selection.capability
    }))
  }
  const { subject } = selection
  const who: EntitySelect = {
    customId: toCustomId(selection, "w"),
    placeholder: settings.subjectHint,
    selects: "peopleAndRoles",
    minValues: 0,
    maxValues: 1,
    defaultValues:
      subject._tag === "Everyone" ? [] : [{ id: subject.id, type: subject._tag === "Role" ? "role" : "user" }]
  }
  const where: EntitySelect = {
    customId: toCustomId(selection, "p"),
    placeholder: settings.channelHint,
    selects: "channels",
    minValues: 0,
    maxValues: 1,
    defaultValues: selection.channelId === undefined ? [] : [{ id: selection.channelId, type: "channel" }]
  }
  return {
    content: "",
    embeds: [
      {
        title: settings.accessTitle,
        description: [
          settings.chosen(selection, exactRule?.allow),
          describeEffect(selection, rules, messages),
          "",
          settings.accessHelp,
          "",
          `**${settings.rulesTitle}**`,
          ...(rulesOnPage.length === 0
            ? [settings.noRules, "", settings.withoutRule]
            : rulesOnPage.map((rule) => `- ${settings.rule(rule)}`))
        ].join("\n"),
        color: colors.plan,
        ...Pager.footer(position, messages)
      }
    ],
    rows: [
      [what],
      [who],
      [where],
      [
        { label: settings.allow, style: "success", customId: toCustomId(selection, "y") },
        { label: settings.deny, style: "danger", customId: toCustomId(selection, "n") },
        ...(exactRule === undefined
          ? []
          : [{ label: settings.remove, style: "secondary", customId: toCustomId(selection, "x") } as const])
      ],
      ...Pager.buttons(position, (page) => toCustomId({ ...selection, page }, "g"), messages)
    ]
  }
}

/** Whether a rule is exactly about the selection. */
export const matchesSelection = (rule: Rule, { capability, channelId, subject }: Selection): boolean =>
  rule.capability === capability &&
  rule.channelId === channelId &&
  rule.subject._tag === subject._tag &&
  (rule.subject._tag === "Everyone" || ("id" in subject && rule.subject.id === subject.id))

/** The effect of all rules on the selection. */
const describeEffect = (
  { capability, channelId, subject }: Selection,
  rules: ReadonlyArray<Rule>,
  messages: Messages
): string => {
  const person = {
    userId: subject._tag === "User" ? subject.id : "",
    roleIds: subject._tag === "Role" ? [subject.id] : []
  }
  const allowed = evaluateRules(person, channelId ?? "", capability, rules)
  return allowed === undefined ? messages.settings.byDefault[capability] : messages.settings.effect[allowed]
}
