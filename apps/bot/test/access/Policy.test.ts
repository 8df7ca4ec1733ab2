import { assert, describe, it } from "@effect/vitest"
import { type Action, decide, type Facts, type Person, type Rule, ruling } from "@heddle/bot/access/Policy"

const task = { ownerId: "owner", taskId: "t1", guildId: "g1", channelId: "c1" }
const start: Action = { _tag: "StartTask", channelId: "c1" }
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

/** `+` allowed, `y` not yours, `r` ruled out, `s` only in servers, `a` for admins; in the order of `everything`. */
const signs = { allowed: "+", notYours: "y", ruledOut: "r", onlyInServers: "s", adminsOnly: "a" } as const
const table = (rules: ReadonlyArray<Rule>): Record<keyof typeof people, string> => {
  const facts: Facts = { rules, shares }
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
  it("lets anyone start in a server, and the owner and those they let in use a task, without rules", () => {
    assert.deepEqual(table([]), byDefault)
  })

  it("lets whom a rule allows use other people's tasks, each capability by its own", () => {
    assert.deepEqual(table([rule(true, "reply", staff)]), { ...byDefault, staff: "++a ++yyy" })
    assert.deepEqual(table([rule(true, "approve", user("member"), "c1")]), { ...byDefault, member: "++a +y+yy" })
    assert.deepEqual(table([rule(true, "stop", user("admin"))]), { ...byDefault, admin: "+++ +yy+y" })
    assert.deepEqual(table([rule(true, "reply", everyone, "c2")]), byDefault)
  })

  it("binds owners by rules that deny, except that they may read and stop what is theirs", () => {
    const frozen = (["reply", "approve", "stop", "start"] as const).map((capability) => rule(false, capability))
    const all = table(frozen)
    assert.strictEqual(all.owner, "r+a +rr++")
    assert.strictEqual(all.replier, "r+a yrrry")
    assert.strictEqual(all.admin, "r++ yrrry")
  })

  it("starts and replies for nobody who may not spend, and leaves the rest to them", () => {
    const all = table([rule(false, "spend", everyone, "c1"), rule(true, "spend", staff, "c1")])
    assert.strictEqual(all.owner, "r+a +r+++")
    assert.strictEqual(all.replier, "r+a +ry+y")
    assert.strictEqual(all.staff, byDefault.staff)
  })

  it("prefers rules for people to those for roles to those for everyone, then those for the channel, then no", () => {
    const who = person("member", { roleIds: ["r1", "r2"] })
    const says = (...rules: ReadonlyArray<Rule>) => ruling(who, "c1", "start", rules)
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

  it("lets nobody but its owner write to a local assistant, whatever the rules and shares say", () => {
    const facts: Facts = { rules: [rule(true, "reply"), rule(true, "approve")], shares }
    const theirs: Action = { _tag: "Assistant", ownerId: "owner" }
    const allowed = Object.entries(people).flatMap(([name, who]) =>
      decide(who, theirs, facts) === "allowed" ? [name] : []
    )
    assert.deepEqual(allowed, ["owner", "ownerElsewhere", "ownerInPrivate"])
    assert.strictEqual(decide(people.nobody, { _tag: "Assistant", ownerId: "" }, facts), "notYours")
  })

  it("does not take roles for granted that nobody told", () => {
    const unknown = person("member", { roleIds: undefined })
    assert.isUndefined(ruling(unknown, "c1", "reply", [rule(true, "reply", staff)]))
  })
})
