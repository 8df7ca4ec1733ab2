import type { Rule } from "../model/Access.ts"

/** A language's words for rules of access. */
export interface RuleWords {
  readonly capabilities: { readonly [C in Rule["capability"]]: string }
  readonly everyone: string
  readonly wholeServer: string
}

/** The subject, the capability and the place of a rule. */
export const ruleText =
  ({ capabilities, everyone, wholeServer }: RuleWords) =>
  ({ capability, channelId, subject }: Omit<Rule, "allow">): string => {
    const who =
      subject._tag === "Everyone" ? everyone : subject._tag === "Role" ? `<@&${subject.id}>` : `<@${subject.id}>`
    return `${who} · ${capabilities[capability]} · ${channelId === undefined ? wholeServer : `<#${channelId}>`}`
  }
