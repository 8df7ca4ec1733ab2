import assert from "node:assert"
import { describe, it } from "vitest"
import { answerClauses } from "@heddle/demo-agent/answer/Answer"
import { type Data } from "@heddle/demo-agent/data/DataFile"
import * as Language from "@heddle/demo-agent/format/Language"
import { examplesFor } from "@heddle/demo-agent/question/Examples"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"
import { parsePrompt } from "@heddle/demo-agent/turn/Prompt"
import { courtesyReply, helpText, refusalText } from "@heddle/demo-agent/turn/Replies"
import { dataOf } from "./support/Answer.ts"
import { ordersCsv } from "./support/Orders.ts"

const files: ReadonlyArray<readonly [name: string, content: string]> = [
  ["orders.csv", ordersCsv(50)],
  [
    "a column of currencies.csv",
    "order,net,gross,currency\nA,100,119,EUR\nB,200,238,USD\nC,3000,3300,JPY\nD,1,2,EUR\n"
  ],
  ["dates and currencies.csv", "day,net,currency\n2024-01-03,5,EUR\n2024-02-03,6,USD\n2024-03-03,6,USD\n"],
  ["currencies in cells.csv", "city,price\nBonn,€5\nUlm,$60\nBonn,€7\n"],
  ["some currencies.csv", "city,price\nBonn,€5\nUlm,60\nBonn,€7\n"],
  ["one currency.csv", "city,day,price\nBonn,2024-01-03,€5\nUlm,2024-02-03,€6\nBonn,2024-03-03,€6\n"],
  ["units.csv", "item,weight,unit\na,12,kg\nb,5,lb\n"],
  [
    "Chinese.csv",
    "订单编号,下单日期,城市,单价,币种\nA-1,2024-01-03,北京,5,人民币\nA-2,2024-02-03,上海,6,美元\nA-3,2024-02-04,北京,6,美元\n"
  ],
  ["words.csv", "name,colour\nAnn,red\nBob,blue\nEve,red\n"],
  ["identifiers.csv", "order number,phone\n1001,4915112345\n1002,4915112399\n1003,4915112301\n"],
  ["two dates.csv", "ordered,shipped,price\n2024-01-03,2024-01-05,5\n2024-02-03,2024-02-05,6\n"],
  ["months.csv", "month,sales\n2026-01,10\n2026-02,30\n"],
  ["one row.csv", "x,y\n1,2\n"],
  ["no rows.csv", "a,b\n"],
  ["odd names.csv", "total,by month,is it?,only\n1,a,yes,5\n2,b,no,6\n3,a,yes,7\n"],
  ["repeated names.csv", "name,total,total,city\na,1,10,Bonn\nb,2,20,Ulm\nc,3,30,Bonn\n"],
  ["odd values.csv", 'state,n\n"New, York",1\n"is or and",2\n"New, York",3\n'],
  ["nested.json", '{"orders":[{"price":{"amount":5,"currency":"EUR"}},{"price":{"amount":6,"currency":"USD"}}]}'],
  ["flat.json", '{"a":1}'],
  ["notes.md", "# Plan\n\n- [ ] a\n- [x] b\n\n[x](https://a.example) word word\n"]
]

const inQuotes = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/“([^”]+)”/g)].flatMap(([, each = ""]) => (each.includes("…") ? [] : [each.replaceAll("\\", "")]))

/** All that the agent suggests about data: at the end of a report, in its help, beside a refusal, and in a refusal to mix. */
const suggestionsAbout = (data: Data): ReadonlyArray<string> => {
  const asked = data.kind === "table" ? data.table.columns.map(({ name }) => `"${name}"`) : []
  const refusals = asked.flatMap((name) =>
    [
      Language.text(`total ${name}`, `${name} 的总和`),
      Language.text(`chart ${name} by ${asked[0]}`, `按 ${asked[0]} 画 ${name} 的图`),
      Language.text(`top 2 by ${name}`, `${name} 最高的 2 行`),
      Language.text(`which ${asked[0]} has the lowest ${name}?`, `哪个 ${asked[0]} 的 ${name} 最低？`)
    ].flatMap((request) => {
      const parsed = parseRequest(request, data)
      const reason = parsed.kind === "refused" ? parsed.reason : ""
      return /several|多种/.test(reason) ? inQuotes(reason) : []
    })
  )
  const texts = [
    helpText(data),
    refusalText(data, "", false),
    courtesyReply("hello", data.name, undefined, false) ?? ""
  ]
  return [...texts, examplesFor(data, 20).join(" ")].flatMap(inQuotes).concat(refusals)
}

describe("the suggestions", () => {
  it.each(
    files.flatMap(([name, content]) =>
      (["english", "chinese"] as const).map((language) => ({ content, language, name }))
    )
  )("about $name in $language are understood in full and done, whoever says them", ({ content, language, name }) =>
    Language.run(language, async () => {
      const data = await dataOf(content, name)
      const suggestions = suggestionsAbout(data)
      assert.ok(suggestions.length > 0)
      if (/currenc|units|Chinese/.test(name) && name !== "one currency.csv")
        assert.ok(
          suggestions.some((each) => / where | by .*(?:currency|unit)|其中/.test(each)),
          suggestions.join("\n")
        )
      for (const suggestion of suggestions) {
        const prompt = [{ type: "text" as const, text: `[Zoé O., Discord user 81384788765712384]\n“${suggestion}”` }]
        const request = parseRequest(parsePrompt(prompt).request, data)
        assert.deepStrictEqual(parseRequest(suggestion, data), request, suggestion)
        if (suggestion === "help" || suggestion === "帮助" || suggestion === "然后") continue
        assert.ok(request.kind === "clauses", `${suggestion}: ${JSON.stringify(request)}`)
        const { charts, messages } = answerClauses(data, request.clauses)
        const isEmpty = data.kind === "table" && data.table.rowCount === 0
        if (/chart|画/.test(suggestion) && !isEmpty) assert.ok(charts.length > 0, suggestion)
        if (!isEmpty) assert.doesNotMatch(messages.join(), /No row fits|没有符合/, suggestion)
      }
    })
  )
})
