import assert from "node:assert"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { findCourtesy } from "@heddle/demo-agent/question/Courtesy"
import { file, useAgents } from "./support/Harness.ts"

const start = useAgents()
const orders = "order,city,price,note\nA1,Bonn,5,x\nA2,Ulm,7,y\nA3,Bonn,9,z\n"
const free = { stopReason: "end_turn", _meta: { "heddle/free": true } }

/** Says each message about the same file; returns whether its turn was free, and the answer. */
const answersTo = async (messages: ReadonlyArray<string>) => {
  const agent = await start({ answer: "deny" })
  const session = await agent.newSession()
  await agent.prompt(session, "how many rows?", file("orders.csv", orders))
  agent.heard()
  const answers: Array<{ readonly message: string; readonly isFree: boolean; readonly answer: string }> = []
  for (const message of messages) {
    const end = await agent.prompt(session, message)
    answers.push({ message, isFree: end._meta?.["heddle/free"] === true, answer: agent.heard() })
  }
  assert.strictEqual(existsSync(join(agent.cwd, "artifacts")), false)
  return { agent, answers }
}

describe("a message that asks for nothing", () => {
  const thanks = [
    "Thanks for the analysis of the orders",
    "Thanks for the chart of price by city",
    "that's a nice overview, thanks",
    "merci",
    "Merci beaucoup !",
    "thank u",
    "thank you so much for the report on the orders!",
    "thanks a bunch, this is a great summary",
    "thx a lot!",
    "great job 👍",
    "nice chart",
    "What a nice chart!",
    "I like the chart",
    "I love this table of prices",
    "looks good to me",
    "looks great",
    "you're the best",
    "You are the best, Anna!",
    "excellent analysis of the orders.",
    "that was a very good summary",
    "much appreciated",
    "cheers mate",
    "Many thanks for the quick overview of all orders",
    "❤️",
    "谢谢你，Anna",
    "谢谢你的总结",
    "谢谢总结",
    "感谢你对订单的分析",
    "非常感谢，这个图很清楚",
    "这个总结很不错",
    "图画得真好",
    "太感谢了，帮了大忙！",
    "分析得很好，谢谢",
    "thanks，很有用",
    "danke schön",
    "Muchas gracias por el análisis",
    "merci pour le rapport",
    "I appreciate your summary of the missing values",
    "Thanks! That's exactly the chart I wanted.",
    "love the chart",
    "well done on the report",
    "谢谢你帮我统计",
    "不错不错"
  ]
  const others = [
    "ok cool",
    "好的谢谢",
    "yes",
    "no",
    "sounds good",
    "never mind",
    "sorry",
    "hmm",
    "lol",
    "嗯嗯",
    "哈哈"
  ]

  it("is answered with a sentence, without a report and free", async () => {
    const { agent, answers } = await answersTo([...thanks, ...others])
    for (const { answer, isFree, message } of answers) {
      assert.ok(isFree, message)
      assert.ok(answer.length < 200, `${message}: ${answer}`)
      assert.doesNotMatch(answer, /\||report|did not understand|没有看懂|Based on|以上基于/, message)
      if (thanks.includes(message)) assert.match(answer, /^(?:You are welcome|不客气)/, message)
    }
    assert.strictEqual(agent.permissions.length, 0)
  })

  it("is no part of the request beside it", async () => {
    const requests: ReadonlyArray<readonly [message: string, expected: RegExp]> = [
      ["Thanks for the analysis of the orders. Now the average price by city", /average \*\*price\*\* by \*\*city\*\*/],
      ["nice chart, how many rows?", /There are 3 rows/],
      ["cool now show the first 2 rows", /\| A2 \| Ulm \|/],
      ["great, Bonn", /2 of 3 rows fit/],
      ["all rows please, and thanks for the help", /There are 3 rows/],
      ["that's a nice overview but show it as a table", /\| A1 \| Bonn \|/],
      ["thank you chart price by city", /permission|written/],
      ["great, top 2 by price", /from 9 down to 7/],
      ["谢谢，平均 price", /平均 \*\*price\*\* 是 \*\*7\*\*/],
      ["总结得不错，再按 city 统计平均 price", /平均 \*\*price\*\*/],
      ["谢谢帮我按 city 统计平均 price", /平均 \*\*price\*\*/]
    ]
    const { answers } = await answersTo(requests.map(([message]) => message))
    for (const [at, { answer, isFree, message }] of answers.entries()) {
      assert.match(answer, requests[at]![1], message)
      assert.doesNotMatch(answer, /did not understand/, message)
      assert.ok(!isFree, message)
    }
  })
})

describe("a message that is not understood", () => {
  it("is answered with what one can say, without a report and free", async () => {
    const { agent, answers } = await answersTo([
      "I will have a look later",
      "tell me a joke",
      "who are you?",
      "what is the weather in Bonn",
      "explain quantum physics",
      "the report was wrong",
      "I read it yesterday",
      "thanks, email it to Bob",
      "thanks for the chart but you forgot Bob",
      "thanks for that but the moon is missing",
      "Let me check with my boss",
      "what do you think of my boss?",
      "write me a poem",
      "明天天气怎么样？",
      "给我讲个笑话",
      "?"
    ])
    for (const { answer, isFree, message } of answers) {
      assert.ok(isFree, `${message}: ${answer}`)
      assert.match(answer, /did not understand|没有看懂|我可以做/, message)
      assert.match(answer, /only rows where|只看/, message)
      assert.doesNotMatch(answer, /rows and \d+ columns|行 \d+ 列/, message)
    }
    assert.match(answers.find(({ message }) => message.endsWith("Bob"))!.answer, /“email” and “Bob”/)
    assert.match(answers.find(({ message }) => message.endsWith("forgot Bob"))!.answer, /“you forgot Bob”/)
    assert.strictEqual(agent.permissions.length, 0)
  })

  it("is free also where the answer is why it cannot be done, or help", async () => {
    const { answers } = await answersTo([
      "chart the moon by city",
      "help",
      "top 2 by price and sing",
      "what can you do?"
    ])
    for (const { isFree, message } of answers) assert.ok(isFree, message)
  })

  it("is free where it would mix currencies", async () => {
    const agent = await start({ answer: "deny" })
    const session = await agent.newSession()
    await agent.prompt(session, "how many rows?", file("a.csv", "city,net,vat,currency\nBonn,5,1,EUR\nUlm,6,2,USD\n"))
    for (const request of ["top 1 by net", "top 1 city by net", "chart net by city", "net 最高的 2 行", "sort by vat"])
      assert.deepStrictEqual(await agent.prompt(session, request), free, request)
    for (const request of ["total net", "top 1 by net, then total vat", "chart net by currency", "average net by city"])
      assert.deepStrictEqual(await agent.prompt(session, request), { stopReason: "end_turn" }, request)
  })

  it("is free where a file cannot be read", async () => {
    const agent = await start()
    assert.deepStrictEqual(await agent.prompt(await agent.newSession(), "look", file("empty.csv", "")), free)
  })
})

describe("a request for a full look", () => {
  it.each([
    "what is in this file?",
    "what's this?",
    "summarise",
    "Please summarise the data",
    "can you give me a quick overview?",
    "I want a full analysis",
    "have a look",
    "take a closer look at it please",
    "analyze this",
    "could you please analyse the file",
    "tell me about the data",
    "tell me what is in it",
    "overview please",
    "do a quick check of the data",
    "let's explore it",
    "show me some statistics",
    "what does the file contain?",
    "explain this file",
    "describe the data",
    "请帮我分析一下这个数据",
    "总结一下",
    "看看这个文件",
    "这个文件里有什么？"
  ])("%s", async (request) => {
    const agent = await start({ answer: "deny" })
    const session = await agent.newSession()
    await agent.prompt(session, "how many rows?", file("orders.csv", orders))
    agent.heard()
    assert.deepStrictEqual(await agent.prompt(session, request), { stopReason: "end_turn" })
    assert.match(agent.heard(), /3 rows and 4 columns|3 行 4 列/)
  })
})

describe("a courtesy with a name", () => {
  it.each(["Thanks Sam!", "Thank you so much, Sam", "Sam, thanks!", "Hi Ann Lee", "Bye Sam.", "谢谢你，Anna"])(
    "%s: asks for nothing",
    (text) => assert.notStrictEqual(findCourtesy(text), undefined)
  )

  it.each([
    "Thanks. Chart",
    "Thanks, Report!",
    "Hello, Average value by city",
    "Great, Bonn",
    "Sam, chart value",
    "Bonn",
    "谢谢，Bonn 的平均价格"
  ])("%s: may be a request", (text) => assert.strictEqual(findCourtesy(text), undefined))
})
