import { createHash } from "node:crypto"
import type * as z from "zod/mini"
import type { RecordedDispatch, RecordedRequest } from "@heddle/discord-emulator"
import { specGaps } from "./SpecGaps.ts"
import { faultsOfError } from "./Errors.ts"
import { unknownIn } from "./Unknown.ts"
import { type Operation, operationOf, schemaOf } from "./Spec.ts"

/** Something that Discord's own description forbids, and where it happened. */
export interface Finding {
  readonly operation: string
  /** Such as `response 200 .embeds.0.type`. */
  readonly at: string
  readonly message: string
}

type Fault = Omit<Finding, "operation">

/** Judges one exchange: an accepted request, its status and its answer. */
export const judge = (exchange: RecordedRequest): ReadonlyArray<Finding> => {
  const { body, method, path, sent, status } = exchange
  const operation = operationOf(method, path)
  if (operation === undefined) {
    // What Discord has not is answered as Discord does.
    const known = status === 404 || status === 405
    return known
      ? []
      : kept([{ operation: `${method} ${shapeOf(path)}`, at: `response ${status}`, message: "no such operation" }])
  }
  const { name } = operation
  const accepted = status >= 200 && status < 300
  const findings: Array<Finding> = []
  if (accepted && operation.request !== undefined && sent !== undefined)
    findings.push(
      ...[...faults(operation.request, sent), ...unknown(operation.request, sent)].map((fault) => ({
        operation: name,
        ...fault,
        at: `request ${fault.at}`
      }))
    )
  const response = responseOf(operation, status)
  if (response === undefined) findings.push({ operation: name, at: `response ${status}`, message: "no such status" })
  else if (status !== 204)
    findings.push(
      ...[...faults(response, body), ...(accepted ? unknown(response, body) : faultsOfError(body))].map((fault) => ({
        operation: name,
        ...fault,
        at: `response ${status} ${fault.at}`
      }))
    )
  else if (body !== undefined) findings.push({ operation: name, at: "response 204", message: "has a body" })
  return kept(findings)
}

/** Judges the object in an event of the gateway that the description knows from REST. */
export const judgeDispatch = ({ data, event }: RecordedDispatch): ReadonlyArray<Finding> => {
  const known = objects[event]
  if (known === undefined) return []
  return kept(
    known.flatMap(([name, key]) => {
      const value = key === undefined ? data : (data as Record<string, unknown>)[key]
      const optional = value === undefined && key !== undefined
      const objects = Array.isArray(value) ? value : optional ? [] : [value]
      return objects.flatMap((one) =>
        faults(schemaOf(name), one).map(({ at, message }) => ({
          operation: `gateway ${event}`,
          at: `${key === undefined ? "" : `.${key}`}${at}`,
          message
        }))
      )
    })
  )
}

/** Events that carry an object of REST, and below which key. */
const objects: Readonly<Record<string, ReadonlyArray<readonly [schema: string, key?: string]>>> = {
  READY: [["UserResponse", "user"]],
  USER_UPDATE: [["UserResponse"]],
  GUILD_CREATE: [
    ["GuildResponse"],
    ["GuildChannelResponse", "channels"],
    ["ThreadResponse", "threads"],
    ["GuildMemberResponse", "members"]
  ],
  GUILD_UPDATE: [["GuildResponse"]],
  GUILD_ROLE_CREATE: [["GuildRoleResponse", "role"]],
  GUILD_ROLE_UPDATE: [["GuildRoleResponse", "role"]],
  GUILD_MEMBER_ADD: [["GuildMemberResponse"]],
  GUILD_MEMBER_UPDATE: [["GuildMemberResponse"]],
  GUILD_MEMBER_REMOVE: [["UserResponse", "user"]],
  GUILD_MEMBERS_CHUNK: [["GuildMemberResponse", "members"]],
  CHANNEL_CREATE: [["GuildChannelResponse"]],
  CHANNEL_UPDATE: [["GuildChannelResponse"]],
  CHANNEL_DELETE: [["GuildChannelResponse"]],
  THREAD_CREATE: [["ThreadResponse"]],
  THREAD_UPDATE: [["ThreadResponse"]],
  THREAD_LIST_SYNC: [
    ["ThreadResponse", "threads"],
    ["ThreadMemberResponse", "members"]
  ],
  THREAD_MEMBER_UPDATE: [["ThreadMemberResponse"]],
  THREAD_MEMBERS_UPDATE: [["ThreadMemberResponse", "added_members"]],
  TYPING_START: [["GuildMemberResponse", "member"]],
  MESSAGE_REACTION_ADD: [["GuildMemberResponse", "member"]],
  INTERACTION_CREATE: [
    ["GuildMemberResponse", "member"],
    ["UserResponse", "user"],
    ["MessageResponse", "message"]
  ],
  MESSAGE_CREATE: [["MessageResponse"]],
  MESSAGE_UPDATE: [["MessageResponse"]]
}

const kept = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings.filter(
    (finding) =>
      !specGaps.some(
        (hole) => hole.operation.test(finding.operation) && hole.at.test(`${finding.at}: ${finding.message}`)
      )
  )

const responseOf = ({ responses }: Operation, status: number): z.ZodMiniType | undefined =>
  responses.get(String(status)) ?? (status >= 400 && status < 500 ? responses.get("4XX") : undefined)

const shapeOf = (path: string): string => path.replaceAll(/\d{17,19}/g, ":id")

/** Reads what goes over the wire, where JSON has no `undefined`. What differs in the digits of ids and times alone is read once. */
const once = (read: (schema: z.ZodMiniType, value: unknown) => ReadonlyArray<Fault>) => {
  const known = new WeakMap<z.ZodMiniType, Map<string, ReadonlyArray<Fault>>>()
  return (schema: z.ZodMiniType, value: unknown): ReadonlyArray<Fault> => {
    if (value === undefined) return read(schema, undefined)
    const text = JSON.stringify(value)
    const like = createHash("sha1").update(text.replaceAll(idsAndTimes, zeros)).digest("base64")
    const before = known.get(schema) ?? new Map<string, ReadonlyArray<Fault>>()
    known.set(schema, before)
    const found = before.get(like) ?? read(schema, JSON.parse(text))
    before.set(like, found)
    return found
  }
}

const idsAndTimes = /(?<=")\d{17,19}(?=")|(?<=")\d{4}-\d\d-\d\dT[\d:.]+/g

const zeros = (digits: string): string => digits.replaceAll(/\d/g, "0")

const faults = once((schema, value) => {
  const result = schema.safeParse(value)
  return result.success ? [] : result.error.issues.flatMap((issue) => flat(issue, []))
})

/** Fields of which the description says nothing. */
const unknown = once((schema, value) => unknownIn(schema, value).map((at) => ({ at, message: "no such field" })))

type Issue = z.core.$ZodIssue

/** Of a union, the alternative that came closest. */
function flat(issue: Issue, above: ReadonlyArray<PropertyKey>): ReadonlyArray<Fault> {
  const path = [...above, ...issue.path]
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const alternatives = issue.errors.map((one) => one.flatMap((below) => flat(below, path)))
    return alternatives.toSorted((a, b) => mismatches(a, path) - mismatches(b, path) || a.length - b.length)[0] ?? []
  }
  return [{ at: path.map((key) => `.${String(key)}`).join(""), message: issue.message }]
}

/** An alternative of another type altogether says nothing of use. */
const mismatches = (faults: ReadonlyArray<Fault>, path: ReadonlyArray<PropertyKey>): number => {
  const own = path.map((key) => `.${String(key)}`).join("")
  return faults.some(({ at }) => at === own) ? 2 : faults.some(({ at }) => at === `${own}.type`) ? 1 : 0
}
