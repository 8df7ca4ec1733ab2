import { assert } from "@effect/vitest"
import type { Messages } from "@heddle/bot/messages/Messages"

export const id = "1234567890123456789"
const hostile = "**b** <@1> `c` [l](u) ~~s~~ ||p|| > q"
const names = [hostile, hostile]

const shares = [
  { userId: id, reply: true, approve: false },
  { userId: id, reply: false, approve: true },
  { userId: id, reply: true, approve: true }
]
const rules = (["start", "reply", "approve", "stop", "spend"] as const).flatMap((capability) => [
  { subject: { _tag: "Everyone" }, capability, channelId: undefined, allow: true },
  { subject: { _tag: "Role", id }, capability, channelId: id, allow: false },
  { subject: { _tag: "User", id }, capability, channelId: id, allow: true }
])

const noDefaults = {
  channelId: undefined,
  forAgent: undefined,
  agent: undefined,
  mode: undefined,
  model: undefined,
  options: {}
}
const options = { [hostile]: hostile, effort: "low", web: "on", a: "z", c: "d", e: "f", g: "h" }
const offered = Array.from({ length: 30 }, () => "o".repeat(40))
const unknown = [
  { name: hostile, value: hostile, offered: names },
  ...["mode", "model", "n".repeat(100)].map((name) => ({ name, value: "v".repeat(100), offered }))
]
const defaults = [
  [{ ...noDefaults, channelId: id, agent: hostile, mode: hostile, model: hostile, options }],
  [{ ...noDefaults, forAgent: hostile, options: { effort: "low" } }],
  [{ ...noDefaults, forAgent: "codex" }],
  [{ ...noDefaults, agent: "codex" }],
  [noDefaults]
]

/** What the texts that are made of something are made of here; the others are made of "7". */
const samples: Readonly<Record<string, ReadonlyArray<ReadonlyArray<unknown>>>> = {
  "artifacts.attached": [[hostile]],
  "artifacts.link": [[hostile, 1_700_000_000]],
  "artifacts.noCard": [[hostile]],
  "artifacts.opened": [[hostile]],
  "artifacts.noSuchArtifact": [[hostile]],
  "access.headerLine": ["everyone", [], [`<@${id}>`], Array.from({ length: 30 }, () => `<@${id}>`)].map((who) => [
    id,
    who
  ]),
  "access.shared": shares.map((share) => [share]),
  "access.sharedHere": shares.map((share) => [id, share]),
  "credit.hint": [[true], [false]],
  "agent.changed": [
    [{ name: hostile, before: hostile, after: hostile }],
    [{ name: "7", before: undefined, after: "7" }]
  ],
  "agent.changedBy": [[id, { name: hostile, before: hostile, after: hostile }]],
  "agent.commandLine": [
    [hostile, hostile, hostile],
    ["7", "", "7"]
  ],
  "agent.commandSent": [
    [id, hostile],
    [id, "*".repeat(1600)]
  ],
  "agent.defaultSet": [
    [hostile, hostile, true],
    [hostile, hostile, false]
  ],
  "agent.defaultNotSet": [[hostile, hostile, "7"]],
  "agent.defaults": defaults,
  "agent.noSuchDefault": [[{ channelId: undefined, forAgent: undefined }], [{ channelId: id, forAgent: hostile }]],
  "agent.defaultNotOffered": [[hostile, names]],
  "agent.defaultsSet": [...defaults, ...[true, false].map((isSeen) => [noDefaults, unknown, isSeen])],
  "audit.agentDefaultsSet": [...defaults, [{ ...noDefaults, options: { [hostile]: null } }]],
  "agent.defaultAgentMissing": [[hostile]],
  "agent.headerAgent": [[hostile]],
  "agent.notOffered": [
    [hostile, []],
    [hostile, names],
    ["7", Array.from({ length: 30 }, () => "a".repeat(60))]
  ],
  "agent.done": [[hostile, hostile]],
  "agent.headerLine": [
    [hostile, true],
    [hostile, false]
  ],
  "agent.refused": [
    [{ name: hostile, before: hostile, after: hostile, reason: hostile }],
    [{ name: hostile, before: undefined, after: hostile }]
  ],
  "agent.same": [[hostile, hostile]],
  "agent.unknownCommand": [[hostile]],
  "agent.unknownOption": [[names], [Array.from({ length: 30 }, () => "v".repeat(60))]],
  "agent.unknownValue": [[names], [Array.from({ length: 30 }, () => "v".repeat(60))]],
  "audit.agentSet": [[hostile, hostile]],
  "audit.answered": [
    [hostile, true, []],
    [hostile, false, [id, id]]
  ],
  "audit.filesSet": [[true], [false]],
  "fileOffers.alwaysSet": [
    [id, true],
    [id, false]
  ],
  "audit.languageSet": [[null], ["zh-CN"], ["en-US"]],
  "audit.opened": [[hostile]],
  "audit.ruleSet": [true, false, undefined].flatMap((allow) => rules.map((rule) => [{ ...rule, allow }])),
  "audit.shared": shares.map((share) => [share]),
  "audit.started": [[hostile]],
  "audit.stopped": [[hostile]],
  "settings.chosen": [true, false, undefined].flatMap((allow) => rules.map((rule) => [rule, allow])),
  "settings.language": [[null], ["zh-CN"], ["en-US"]],
  "settings.languageSet": [[null], ["zh-CN"], ["en-US"]],
  "settings.rule": rules.map((rule) => [rule]),
  taskWithoutThread: [true, false].map((isHeld) => [{ name: hostile, taskId: "task-1", isHeld }]),
  "requestCards.answered": [
    [true, true],
    [false, true],
    [true, false],
    [false, false]
  ],
  "requestCards.openAgain": [[[]], [[id]], [[id, id]]],
  "requestCards.optionName": [["Allow"], ["Always allow in this session"]],
  "requestCards.answerHint": ["integer", "number", "text"].map((kind) => [{ kind, atLeast: 1, atMost: 2 }]),
  "requestCards.answerProblem": [
    [{ _tag: "Missing" }],
    ...["choice", "text", "number", "integer", "boolean"].map((kind) => [{ _tag: "WrongKind", kind }]),
    [{ _tag: "NotOffered", value: hostile }],
    [{ _tag: "TooLittle", atLeast: 3 }],
    [{ _tag: "TooMuch", atMost: 3 }]
  ],
  atWork: [[{ tasks: 1, shared: 1, redemptions: 1 }], [{ tasks: 2, shared: 2, redemptions: 2 }]],
  "connectFirst.plainText": [[[]], [["7", "7"]]],
  "connecting.allowed": [[["7", "7"]]],
  "connecting.notAllowed": [[["7", "7"]]],
  "connecting.allowMore": [[["7", "7"]]],
  "connecting.missingScopes": [[["7", "7"]]],
  "connecting.scopesToStart": [[["7", "7"]]],
  "connecting.wrongCode": [[1], [2]],
  "disconnecting.work": [
    [1, 1],
    [2, 2]
  ],
  "failures.attachmentTooLarge": [[hostile, "30 MB"]],
  "failures.attachmentUnreadable": [[hostile]],
  "profile.nickname": [[hostile]],
  "redeem.needsScopes": [[["7", "7"]]],
  "redeem.pending": [[hostile]],
  "redeem.redeemed": [["7", hostile]],
  "replacing.question": [
    [hostile, hostile],
    [undefined, undefined]
  ],
  "replacing.replaced": [[hostile], [undefined]],
  "turnPosts.startedHeader": [
    [id, hostile, hostile, names],
    [id, "n".repeat(90), "p".repeat(300), Array.from({ length: 10 }, () => "f".repeat(100))]
  ],
  "turnPosts.changedAbove": [
    [["[Plan](https://discord.com/channels/1/2/3)"], 0],
    [["[Plan](https://discord.com/channels/1/2/3)"], 2]
  ],
  "turnPosts.openedHeader": [[id, hostile]],
  "turnPosts.ended": [["`word`"], [""]],
  "turnPosts.fileDeleted": [[hostile]],
  "turnPosts.fileMissing": [[hostile]],
  "turnPosts.fileRefused": [[hostile, "why"]],
  "turnPosts.postRefused": [[hostile]],
  "turnPosts.moreFiles": [[1], [2]],
  "requestCards.requestsWaiting": [[1], [2]],
  "requestCards.requestsRefused": [[1], [2]],
  "turnPosts.omittedRest": [
    [{ characters: 0, file: true, steps: 0, stopped: true }],
    [{ characters: 7000, file: true, steps: 7, stopped: false }],
    [{ characters: 0, file: false, steps: 7, stopped: false }]
  ],
  "turnPosts.sameFile": [["line", hostile]],
  "turnPosts.wholeAnswer": [[1], [2]],
  answersDropped: [[[id]]],
  typedAsText: [[["task stop", "help"]]],
  request: [[hostile]],
  status: [
    [hostile, "idle", 0],
    [hostile, "idle", 2]
  ],
  waitsForAnswer: [[id, names]],
  neverAsked: [[1], [2]],
  stillWaiting: [[1], [2]]
}

const facts = [
  { said: "no credits left", missing: ["see your tasks", "run tasks for you"], wait: 7 },
  { said: undefined, missing: [], wait: undefined }
]

export interface Entry {
  readonly path: string
  readonly text: string
}

/** Every text of a language with the place where it stands. */
export const entries = (messages: Messages): ReadonlyArray<Entry> => {
  const walk = (value: unknown, path: string): ReadonlyArray<Entry> => {
    if (typeof value === "string") return [{ path, text: value }]
    if (typeof value === "function") {
      const given = path.startsWith("errors.") ? facts.map((each) => [each]) : (samples[path] ?? [["7", "7", "7", "7"]])
      return given.flatMap((each) => walk(Reflect.apply(value, undefined, each), path))
    }
    assert.isTrue(
      typeof value === "object" && value !== null,
      `${path} is no text; give a sample of what it is made of`
    )
    return Object.entries(value as object).flatMap(([name, inner]) =>
      walk(inner, path === "" ? name : `${path}.${name}`)
    )
  }
  return walk(messages, "")
}
