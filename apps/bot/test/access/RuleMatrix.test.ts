import { assert, describe, it } from "@effect/vitest"
import { decide } from "@heddle/bot/access/Policy"
import type { Action, Capability, Decision, Person, Rule, Subject } from "@heddle/bot/model/Access"

const task = { ownerId: "owner", taskId: "t1", guildId: "g1", channelId: "c1" }
const staff: Subject = { _tag: "Role", id: "staff" }
const barred: Subject = { _tag: "Role", id: "barred" }
const everyone: Subject = { _tag: "Everyone" }

const person = (userId: string): Person => ({
  userId,
  guildId: "g1",
  roleIds: ["staff", "barred"],
  managesServer: false
})
const shares = [
  { userId: "replier", reply: true, approve: false },
  { userId: "approver", reply: false, approve: true }
]

/** What one place of a rule may say. */
const settings = [undefined, true, false] as const
type Setting = (typeof settings)[number]

/** The words of `/settings access`: the first of these lines that says something decides; two that conflict deny. */
const lines = (userId: string): ReadonlyArray<ReadonlyArray<Pick<Rule, "channelId" | "subject">>> =>
  [[{ _tag: "User", id: userId } as Subject], [staff, barred], [everyone]].flatMap((subjects) =>
    ["c1", undefined].map((channelId) => subjects.map((subject) => ({ subject, channelId })))
  )

const places = (userId: string) => lines(userId).flat()

const combinations = (count: number): ReadonlyArray<ReadonlyArray<Setting>> =>
  count === 0 ? [[]] : combinations(count - 1).flatMap((rest) => settings.map((setting) => [...rest, setting]))

const rulesOf = (userId: string, capability: Capability, said: ReadonlyArray<Setting>): ReadonlyArray<Rule> =>
  places(userId).flatMap((place, n) => {
    const allow = said[n]
    return allow === undefined ? [] : [{ ...place, capability, allow }]
  })

/** What the words say of one capability; undefined where no rule is about the person. */
const inWords = (userId: string, said: ReadonlyArray<Setting>): Setting => {
  let n = 0
  for (const line of lines(userId)) {
    const here = line.map(() => said[n++]).filter((setting) => setting !== undefined)
    if (here.length > 0) return here.every(Boolean)
  }
  return undefined
}

const use = { approve: "Approve", reply: "Reply", stop: "Stop" } as const

/** Who may do it without a rule: the owner, and whom they share with. */
const withoutRule = (userId: string, capability: keyof typeof use): boolean =>
  userId === "owner" ||
  shares.some((share) => share.userId === userId && share[capability === "approve" ? capability : "reply"])

const decisionOf = (userId: string, action: Action, rules: ReadonlyArray<Rule>): Decision =>
  decide(person(userId), action, { rules, shares, ownerIsHere: true })

describe("every combination of rules for a person, two roles and everyone, in the channel and the server", () => {
  const all = combinations(8)
  const people = ["owner", "replier", "approver", "member"]

  for (const capability of ["approve", "reply", "stop"] as const) {
    it(`decides to ${capability} as the words of the settings say`, () => {
      for (const userId of people) {
        for (const said of all) {
          const rules = rulesOf(userId, capability, said)
          const byRule = inWords(userId, said)
          const expected = (capability === "stop" && userId === "owner") || (byRule ?? withoutRule(userId, capability))
          const decision = decisionOf(userId, { _tag: use[capability], task }, rules)
          if ((decision === "allowed") !== expected) assert.fail(`${userId} ${JSON.stringify(rules)}: ${decision}`)
          // No rule ever takes reading and stopping from an owner, or gives sharing to another person.
          assert.strictEqual(decisionOf("owner", { _tag: "Read", task }, rules), "allowed")
          assert.strictEqual(decisionOf("owner", { _tag: "Stop", task }, rules), "allowed")
          const share = decisionOf(userId, { _tag: "Share", task }, rules)
          assert.strictEqual(share, userId === "owner" ? "allowed" : "notYours")
          assert.strictEqual(decisionOf(userId, { _tag: "Settings" }, rules), "adminsOnly")
        }
      }
    })
  }

  it("lets start who may start and spend, reply who may reply and spend, and all others as before", () => {
    for (const said of all) {
      const spend = rulesOf("member", "spend", said)
      const maySpend = inWords("member", said) !== false
      const start: Action = { _tag: "StartTask", channelId: "c1", hidden: false }
      assert.strictEqual(decisionOf("member", start, spend), maySpend ? "allowed" : "deniedByRule")
      const starts = decisionOf("member", start, rulesOf("member", "start", said))
      assert.strictEqual(starts, maySpend ? "allowed" : "deniedByRule")
      const reply: Rule = { subject: everyone, channelId: undefined, capability: "reply", allow: true }
      const replies = decisionOf("member", { _tag: "Reply", task }, [...spend, reply])
      assert.strictEqual(replies, maySpend ? "allowed" : "deniedByRule")
      for (const action of [
        { _tag: "Approve", task },
        { _tag: "Stop", task },
        { _tag: "Read", task }
      ] as const)
        assert.strictEqual(decisionOf("owner", action, spend), "allowed")
      assert.strictEqual(decisionOf("member", { _tag: "Assistant", ownerId: "owner" }, spend), "notYours")
    }
  })
})
