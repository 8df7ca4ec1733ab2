import { assert, describe, it } from "@effect/vitest"
import type { Action, Facts, Person, Rule } from "@heddle/bot/model/Access"
import { decide, evaluateRules } from "@heddle/bot/access/Policy"

const task = { ownerId: "owner", taskId: "t1", guildId: "g1", channelId: "c1" }
const start: Action = { _tag: "StartTask", channelId: "c1", hidden: false }
const own: Action = { _tag: "OwnAccount" }
const settings: Action = { _tag: "Settings" }
const at = (_tag: "Approve" | "Read" | "Reply" | "Share" | "Stop"): Action => ({ _tag, task })
const everything: ReadonlyArray<Action> = [
  start,
  own,
  settings,
  at("Read"),
  at("Reply"),
  at("Approve"),
  at("Stop"),
  at("Share")
]

const person = (userId: string, more: Partial<Person> = {}): Person => ({
  userId,
  guildId: "g1",
  roleIds: [],
  managesServer: false,
  ...more
})
const people = {
  owner: person("owner"),
  replier: person("replier"),
  approver: person("approver"),
  member: person("member"),
  staff: person("staff", { roleIds: ["r1"] }),
  admin: person("admin", { managesServer: true }),
  ownerElsewhere: person("owner", { guildId: "g2" }),
  replierElsewhere: person("replier", { guildId: "g2" }),
  adminElsewhere: person("admin", { guildId: "g2", managesServer: true }),
  ownerInPrivate: person("owner", { guildId: undefined }),
  memberInPrivate: person("member", { guildId: undefined }),
  nobody: person("", { guildId: undefined, roleIds: undefined })
}

const shares = [
  { userId: "replier", reply: true, approve: false },
  { userId: "approver", reply: false, approve: true }
]

/** What is decided, in the order of `everything`. */
const signs = {
  allowed: "+",
  notYours: "y",
  needsApproval: "n",
  deniedByRule: "r",
  onlyInServers: "s",
  onlyInPublic: "p",
  adminsOnly: "a",
  ownerNotMember: "o",
  notMember: "w",
  indeterminate: "?"
} as const
const table = (
  rules: ReadonlyArray<Rule>,
  { ownerIsHere }: Pick<Facts, "ownerIsHere"> = { ownerIsHere: true }
): Record<keyof typeof people, string> => {
  const facts: Facts = { rules, shares, ownerIsHere }
  const row = (who: Person) =>
    everything.map((action, n) => `${n === 3 ? " " : ""}${signs[decide(who, action, facts)]}`).join("")
  return Object.fromEntries(Object.entries(people).map(([name, who]) => [name, row(who)])) as never
}

const everyone = { _tag: "Everyone" } as const
const staff = { _tag: "Role", id: "r1" } as const
const user = (id: string) => ({ _tag: "User", id }) as const
const rule = (
  allow: boolean,
  capability: Rule["capability"],
  subject: Rule["subject"] = everyone,
  channelId?: string
): Rule => ({ allow, capability, subject, channelId })

//         start own settings | Read Reply Approve Stop Share
const byDefault: ReturnType<typeof table> = {
  owner: "++a +++++",
  replier: "++a ++y+y",
  approver: "++a +y+yy",
  member: "++a yyyyy",
  staff: "++a yyyyy",
  admin: "+++ yyyyy",
  ownerElsewhere: "++a +yy++",
  replierElsewhere: "++a yyyyy",
  adminElsewhere: "+++ yyyyy",
  ownerInPrivate: "s+a +yy++",
  memberInPrivate: "s+a yyyyy",
  nobody: "s+a yyyyy"
}

describe("Policy", () => {
  it("without rules lets everyone start, and only the owner and their shares use a task", () => {
    assert.deepEqual(table([]), byDefault)
  })

  it("lets people with an allowing rule use other people's tasks, each capability separately", () => {
    assert.deepEqual(table([rule(true, "reply", staff)]), { ...byDefault, staff: "++a ++yyy" })
    assert.deepEqual(table([rule(true, "approve", user("member"), "c1")]), { ...byDefault, member: "++a +y+yy" })
    assert.deepEqual(table([rule(true, "stop", user("admin"))]), { ...byDefault, admin: "+++ +yy+y" })
    assert.deepEqual(table([rule(true, "reply", everyone, "c2")]), byDefault)
  })

  it("applies denying rules to owners, who may still read and stop their own tasks", () => {
    const frozen = (["reply", "approve", "stop", "start"] as const).map((capability) => rule(false, capability))
    const all = table(frozen)
    assert.strictEqual(all.owner, "r+a +rr++")
    assert.strictEqual(all.replier, "r+a yrrry")
    assert.strictEqual(all.admin, "r++ yrrry")
  })

  it("refuses starts and replies without the right to spend, and nothing else", () => {
    const all = table([rule(false, "spend", everyone, "c1"), rule(true, "spend", staff, "c1")])
    assert.strictEqual(all.owner, "r+a +r+++")
    assert.strictEqual(all.replier, "r+a +ry+y")
    assert.strictEqual(all.staff, byDefault.staff)
  })

  it("lets people choose for the agent who may write to it, and what lets it work unasked if they may approve, too", () => {
    const choose = (who: Person, allowsMore: boolean, rules: ReadonlyArray<Rule> = [], ownerIsHere = true) =>
      decide(who, { _tag: "ChooseForAgent", task, allowsMore }, { rules, shares, ownerIsHere })
    const { approver, member, owner, replier } = people
    for (const more of [false, true]) {
      assert.strictEqual(choose(owner, more), "allowed")
      assert.strictEqual(choose(approver, more), "notYours")
      assert.strictEqual(choose(member, more), "notYours")
      assert.strictEqual(choose(member, more, [rule(true, "approve")]), "notYours")
      assert.strictEqual(choose(owner, more, [rule(false, "spend")]), "deniedByRule")
      assert.strictEqual(choose(member, more, [rule(true, "approve"), rule(true, "reply")]), "allowed")
      assert.strictEqual(choose(replier, false, [], false), "ownerNotMember")
    }
    assert.strictEqual(choose(replier, false), "allowed")
    assert.strictEqual(choose(replier, true), "needsApproval")
    assert.strictEqual(choose(owner, true, [rule(false, "approve")]), "deniedByRule")
    assert.strictEqual(choose(owner, false, [rule(false, "approve")]), "allowed")
  })

  it("prefers person to role to everyone, then the channel's rule, then the denial", () => {
    const who = person("member", { roleIds: ["r1", "r2"] })
    const says = (...rules: ReadonlyArray<Rule>) => evaluateRules(who, "c1", "start", rules)
    assert.isUndefined(says())
    assert.isUndefined(
      says(rule(false, "stop"), rule(false, "start", user("sam")), rule(false, "start", everyone, "c2"))
    )
    const ladder = [
      rule(false, "start"),
      rule(true, "start", everyone, "c1"),
      rule(false, "start", staff),
      rule(true, "start", staff, "c1"),
      rule(false, "start", user("member")),
      rule(true, "start", user("member"), "c1")
    ]
    for (let upTo = 1; upTo <= ladder.length; upTo++) {
      const expected = ladder[upTo - 1]!.allow ? "allow" : "deny"
      assert.strictEqual(says(...ladder.slice(0, upTo)), expected)
      assert.strictEqual(says(...ladder.slice(0, upTo).toReversed()), expected)
    }
    assert.strictEqual(says(rule(true, "start", staff), rule(false, "start", { _tag: "Role", id: "r2" })), "deny")
  })

  it("lets only its owner write to a local assistant, despite rules and shares", () => {
    const facts: Facts = { rules: [rule(true, "reply"), rule(true, "approve")], shares, ownerIsHere: true }
    const theirs: Action = { _tag: "Assistant", ownerId: "owner" }
    const allowed = Object.entries(people).flatMap(([name, who]) =>
      decide(who, theirs, facts) === "allowed" ? [name] : []
    )
    assert.deepEqual(allowed, ["owner", "ownerElsewhere", "ownerInPrivate"])
    assert.strictEqual(decide(people.nobody, { _tag: "Assistant", ownerId: "" }, facts), "notYours")
  })

  it("refuses to start from a private thread, which the task's channel would reveal", () => {
    const facts: Facts = { rules: [rule(true, "start")], shares, ownerIsHere: true }
    for (const who of [people.owner, people.admin, people.member]) {
      assert.strictEqual(decide(who, { ...start, hidden: true }, facts), "onlyInPublic")
    }
  })

  it("lets others only stop a task while its owner is absent or may be absent", () => {
    const rules = [rule(true, "reply", staff)]
    assert.deepEqual(table(rules, { ownerIsHere: false }), {
      ...byDefault,
      replier: "++a ooy+y",
      approver: "++a oyoyy",
      staff: "++a ooyyy"
    })
    assert.deepEqual(table([], { ownerIsHere: undefined }), {
      ...byDefault,
      replier: "++a ??y+y",
      approver: "++a ?y?yy"
    })
  })

  it("does not assume unknown roles, and refuses what they could forbid", () => {
    for (const roleIds of [undefined, "unreadable"] as const) {
      const unknown = person("member", { roleIds })
      assert.isUndefined(evaluateRules(unknown, "c1", "reply", [rule(true, "reply", staff)]))
      const owner = person("owner", { roleIds })
      const says = (who: Person, action: Action, ...rules: ReadonlyArray<Rule>) =>
        decide(who, action, { rules, shares, ownerIsHere: true })
      assert.strictEqual(says(owner, at("Reply")), "allowed")
      for (const capability of ["reply", "spend"] as const) {
        assert.strictEqual(says(owner, at("Reply"), rule(false, capability, staff)), "indeterminate")
        assert.strictEqual(says(owner, at("Reply"), rule(false, capability, staff, "c2")), "allowed")
      }
      assert.strictEqual(says(owner, start, rule(false, "start", staff)), "indeterminate")
      assert.strictEqual(says(owner, at("Approve"), rule(false, "approve", staff)), "indeterminate")
      assert.strictEqual(says(owner, at("Stop"), rule(false, "stop", staff)), "allowed")
      // A rule for the person says more than any for their roles.
      const mine = [rule(false, "reply", staff), rule(true, "reply", user("owner"))]
      assert.strictEqual(says(owner, at("Reply"), ...mine), "allowed")
      assert.strictEqual(says(unknown, at("Reply"), rule(true, "reply", staff)), "indeterminate")
      assert.strictEqual(says(unknown, at("Reply"), rule(true, "stop", staff)), "notYours")
    }
  })
})
