import { assert, describe, it } from "@effect/vitest"
import * as SessionState from "@heddle/acp/SessionState"
import * as Projection from "@heddle/bot/turn/session/Projection"
import * as SessionHistory from "@heddle/bot/turn/session/history/SessionHistory"
import * as SessionPrompts from "@heddle/bot/turn/session/history/SessionPrompts"
import { permissionRow } from "../support/PermissionRows.ts"

const chunk = (
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  messageId: string,
  text: string
) => ({
  sessionUpdate,
  messageId,
  content: { type: "text" as const, text }
})

const call = <K extends "read" | "edit", S extends "completed" | "pending">(
  id: string,
  title: string,
  kind: K,
  status: S
) => ({
  sessionUpdate: "tool_call" as const,
  toolCallId: id,
  title,
  kind,
  status
})

const first = [
  chunk("user_message_chunk", "u1", "one"),
  chunk("agent_message_chunk", "a1", "answer one"),
  call("t1", "Read", "read", "completed")
]
const second = [
  chunk("user_message_chunk", "u2", "two"),
  chunk("agent_thought_chunk", "th", "hm"),
  call("t2", "Write", "edit", "pending"),
  chunk("agent_message_chunk", "a2", "answer "),
  chunk("agent_message_chunk", "a2", "two")
]

const permission = permissionRow({
  toolCallId: "t2",
  title: "Write",
  options: [{ optionId: "x", name: "Yes", kind: "allow_always" }],
  form: "permission",
  afterEntries: 9,
  state: "answered",
  answer: { _tag: "Selected", optionId: "x" },
  answeredBy: "42",
  answeredAt: 8000,
  sent: true,
  confirmed: true
})

describe("Projection", () => {
  it("shows the entries after the baseline, equally live and in a replay", () => {
    const before = SessionState.fold(SessionState.empty, first)
    const skip = SessionHistory.countAgentEntries(before)
    assert.strictEqual(SessionPrompts.count(before), 1)
    const live = SessionState.fold(before, second)
    const replayed = SessionState.fold(SessionState.empty, [...first, ...second])
    const items = Projection.items(live, { skip }, [permission])
    assert.deepEqual(Projection.items(replayed, { skip }, [permission]), items)
    assert.deepEqual(
      items.map((item) => (item._tag === "AgentMessage" ? item.text : item._tag)),
      ["ToolCallStep", "AgentRequest", "answer two"]
    )
    assert.deepInclude(items[1], {
      outcome: {
        _tag: "Answered",
        answers: [{ question: undefined, answer: "Yes" }],
        allowed: true,
        answeredBy: "42",
        answeredAt: 8000
      }
    })
  })

  it("distinguishes a turn's own prompt from other clients' prompts, and shows only its answer", () => {
    const session = (...updates: ReadonlyArray<ReturnType<typeof chunk>>) =>
      SessionState.fold(SessionState.empty, [...first, ...updates])
    const user = (id: string, text: string) => chunk("user_message_chunk", id, text)
    const agent = (id: string, text: string) => chunk("agent_message_chunk", id, text)
    const before = session()
    const told = (words: string, ...updates: ReadonlyArray<ReturnType<typeof chunk>>) => {
      const baseline = {
        items: SessionHistory.countAgentEntries(before),
        prompts: SessionPrompts.count(before),
        asked: SessionPrompts.identify(before, [{ type: "text", text: words }], "key")
      }
      const state = session(...updates)
      const skip = SessionHistory.entriesBefore(state, baseline)
      const said = Projection.items(state, { skip }, []).flatMap((item) =>
        item._tag === "AgentMessage" ? [item.text] : []
      )
      return { arrived: SessionHistory.hasArrived(state, baseline), said }
    }
    const theirs = [user("w", "written elsewhere"), agent("wa", "theirs")]
    assert.deepEqual(told("ours"), { arrived: false, said: [] })
    assert.deepEqual(told("ours", ...theirs), { arrived: false, said: [] })
    assert.deepEqual(told("else", ...theirs), { arrived: false, said: [] }, "letters in another word")
    assert.deepEqual(told("ours", ...theirs, user("o", "ours"), agent("a", "answer")), {
      arrived: true,
      said: ["answer"]
    })
    // Words around it may be the agent's, or those of another client's message.
    assert.deepEqual(told("two\n\nlines", user("o", "two lines <context/>"), agent("a", "answer")), {
      arrived: false,
      said: []
    })
    assert.deepEqual(told("one", user("o", "one")).arrived, true, "the same words as before")
    // One that tells no prompts: what the agent has said since stands for it.
    const silent = (count: number) =>
      SessionHistory.hasArrived(
        SessionState.fold(SessionState.empty, [agent("1", "a"), agent("2", "b")].slice(0, count)),
        {
          items: 1,
          prompts: 0,
          asked: { after: 0, words: "ours" }
        }
      )
    assert.deepEqual([silent(1), silent(2)], [false, true])
  })

  it("distinguishes an interrupted turn from an ended one by its entries", () => {
    const notice = { ...chunk("agent_message_chunk", "n", "Interrupted."), _meta: { "heddle/notice": true } }
    const reason = (updates: Parameters<typeof SessionState.fold>[1], skip = 0) =>
      Projection.stopReason(SessionState.fold(SessionState.empty, updates), { skip })
    assert.strictEqual(reason(first), "end_turn")
    assert.strictEqual(reason([...first, notice]), "interrupted")
    const stopped = { ...notice, _meta: { ...notice._meta, "heddle/about": "cancelled" } }
    assert.strictEqual(reason([...first, stopped]), "cancelled")
    assert.notInclude(
      JSON.stringify(Projection.items(SessionState.fold(SessionState.empty, [stopped]), { skip: 0 }, [])),
      "Remark"
    )
    assert.strictEqual(reason([...first, notice, chunk("agent_message_chunk", "a", "I went on.")]), "end_turn")
    assert.strictEqual(reason([...first, ...second.slice(0, 3)]), "end_turn", "it left a step")
  })

  it("shows a tool call that only its request names equally after a replay without it", () => {
    const named = SessionState.fold(SessionState.empty, [
      ...first,
      { sessionUpdate: "tool_call_update" as const, toolCallId: "t3", title: "Write", status: "pending" as const }
    ])
    const row = { ...permission, toolCallId: "t3", ...Projection.placeInSession(named, "t3") }
    const after = [chunk("agent_message_chunk", "a2", "Thanks.")]
    const live = Projection.items(SessionState.fold(named, after), { skip: 0 }, [row])
    const replayed = Projection.items(SessionState.fold(SessionState.empty, [...first, ...after]), { skip: 0 }, [row])
    assert.deepEqual(
      live.map(({ _tag }) => _tag),
      ["AgentMessage", "ToolCallStep", "ToolCallStep", "AgentRequest", "AgentMessage"]
    )
    assert.deepEqual(replayed, live)
  })

  it("shows a request with an unknown tool call at the end", () => {
    const state = SessionState.fold(SessionState.empty, first)
    const items = Projection.items(state, { skip: 0 }, [{ ...permission, toolCallId: "other", state: "withdrawn" }])
    assert.deepInclude(items.at(-1), { _tag: "AgentRequest", outcome: { _tag: "Withdrawn" } })
  })

  it("shows a question without a tool call at its place, and later text below it", () => {
    const before = SessionState.fold(SessionState.empty, [chunk("agent_message_chunk", "a1", "Let me ask. ")])
    const row = { ...permission, toolCallId: "", ...Projection.placeInSession(before, undefined) }
    const words = (state: SessionState.SessionState) =>
      Projection.items(state, { skip: 0 }, [row]).map((item) =>
        item._tag === "AgentMessage" ? `${item.id}: ${item.text}` : item._tag
      )
    const beforehand = `${before.entries[0]!.key}: Let me ask. `
    assert.deepEqual(words(before), [beforehand, "AgentRequest"])
    const after = SessionState.fold(before, [chunk("agent_message_chunk", "a1", "Thanks."), ...first.slice(2)])
    assert.deepEqual(words(after), [
      beforehand,
      "AgentRequest",
      `${before.entries[0]!.key}~12: Thanks.`,
      "ToolCallStep"
    ])
    assert.deepEqual(Projection.items(before, { skip: 1 }, [row]).length, 1, "a question before anything is said")
  })

  it("keeps ids and the place of a question where a replay joins the words around it", () => {
    const say = (text: string) => ({
      sessionUpdate: "agent_message_chunk" as const,
      content: { type: "text" as const, text }
    })
    const ask = { sessionUpdate: "user_message_chunk" as const, content: { type: "text" as const, text: "two" } }
    const step = (id: string) => call(id, id, "read", "completed")
    const before = SessionState.fold(SessionState.empty, [say("One. "), ask])
    const asked = SessionState.fold(before, [say("Two. "), step("t1")])
    const row = { ...permission, toolCallId: "", ...Projection.placeInSession(asked, undefined) }
    const live = SessionState.fold(asked, [step("t2"), say("Three.")])
    const joined = SessionState.fold(SessionState.empty, [
      say("One. "),
      say("Two. "),
      step("t1"),
      step("t2"),
      say("Three.")
    ])
    const expected = Projection.items(live, { skip: 1 }, [row])
    assert.deepEqual(
      expected.map(({ id }) => id),
      ["@0", "tool:t1", row.permissionId, "tool:t2", "@5"]
    )
    assert.deepEqual(Projection.items(joined, { skip: 0, skippedChars: 5 }, [row]), expected)
    const stepless = SessionState.fold(SessionState.empty, [say("One. Two. Three.")])
    const posted = new Set(["text:@0:0", "text:@5:0"])
    assert.deepEqual(
      Projection.items(stepless, { skip: 0, skippedChars: 5, posted }, []).map(({ id }) => id),
      ["@0", "@5"]
    )
  })

  it("shows no entries of the next turn, and each request once although an id repeats", () => {
    const again = [chunk("user_message_chunk", "u3", "three"), ...first.slice(1)]
    const all = SessionState.fold(SessionState.empty, [...first, ...second, ...again])
    const words = (extent: SessionHistory.Extent, rows: ReadonlyArray<typeof permission | object> = []) =>
      Projection.items(all, extent, rows as never).map((item) =>
        "text" in item ? item.text : `${item._tag} ${"title" in item ? item.title : item.name}`
      )
    assert.deepEqual(words({ skip: 2, until: 5 }), ["ToolCallStep Write", "answer two"])
    assert.deepEqual(words({ skip: 5 }, [{ ...permission, toolCallId: "t1" }]), [
      "answer one",
      "ToolCallStep Read",
      "AgentRequest Write"
    ])
  })

  it("gives a step the id of its post where a session lost what it had, before its request has a row and after", () => {
    const named = SessionState.fold(SessionState.empty, [
      { sessionUpdate: "tool_call_update" as const, toolCallId: "t2", title: "Write", status: "pending" as const }
    ])
    const request = {
      requestId: "r",
      sessionId: "s",
      form: "permission",
      toolCall: { toolCallId: "t2" },
      options: [],
      questions: []
    } as const
    const stepIds = (
      session: SessionState.SessionState,
      posted: ReadonlyArray<string>,
      rows: ReadonlyArray<typeof permission> = []
    ) =>
      Projection.items(session, { skip: 0, idPrefix: "1~", posted: new Set(posted) }, rows).flatMap((item) =>
        item._tag === "ToolCallStep" ? [item.id] : []
      )
    const asked = { ...named, permissions: [request] }
    assert.deepEqual(stepIds(asked, ["tools:tool:t2"]), ["tool:t2"], "asked again after a restart")
    assert.deepEqual(stepIds(asked, ["tools:tool:t2"], [permission]), ["tool:t2"])
    assert.deepEqual(stepIds(named, []), ["tool:t2"], "new after a restart, and asked about later")
    assert.deepEqual(stepIds(asked, []), ["tool:t2"])
    assert.deepEqual(stepIds(named, ["tools:tool:t2"]), ["1~tool:t2"], "the post may have other steps, too")
  })

  it("shows late output once, without answers to other clients", () => {
    const turn = SessionState.fold(SessionState.empty, [...first, ...second])
    const shown = SessionHistory.shownText(turn, { skip: 2 }, { first: false })
    const late = (...updates: ReadonlyArray<ReturnType<typeof chunk>>) =>
      SessionHistory.lateOutputText(SessionState.fold(turn, updates), { skip: 2 }, shown)
    assert.isUndefined(late())
    assert.strictEqual(
      late(chunk("agent_message_chunk", "a2", " and"), chunk("agent_message_chunk", "a3", "more")),
      " and\n\nmore"
    )
    assert.isUndefined(late(chunk("user_message_chunk", "u3", "three"), chunk("agent_message_chunk", "a3", "more")))
    const other = SessionState.fold(SessionState.empty, [...first, ...second.slice(0, 2)])
    assert.isUndefined(SessionHistory.lateOutputText(other, { skip: 2 }, shown), "a history in other words")
  })

  it("gives words the same id whether a session joins them to the words before the turn or not", () => {
    const said = (text: string) => ({
      sessionUpdate: "agent_message_chunk" as const,
      content: { type: "text" as const, text }
    })
    const before = "Words before. "
    const idsIn = (updates: Parameters<typeof SessionState.fold>[1]) =>
      Projection.items(
        SessionState.fold(SessionState.empty, updates),
        { skip: 0, skippedChars: before.length },
        []
      ).flatMap((item) => (item._tag === "AgentMessage" ? [item.id] : []))
    const joined = idsIn([said(`${before}Words.`)])
    assert.lengthOf(joined, 1)
    assert.deepEqual(idsIn([said(before), call("t1", "Read", "read", "completed"), said("Words.")]), joined)
  })
})
