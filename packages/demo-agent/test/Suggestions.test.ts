import assert from "node:assert"
import { describe, it } from "vitest"
import { analyse } from "@heddle/demo-agent/answer/Analyse"
import { scopesOf, subjectOf } from "@heddle/demo-agent/answer/Analysis"
import { readData, type Data } from "@heddle/demo-agent/data/DataFile"
import * as Language from "@heddle/demo-agent/format/Language"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"
import { parsePrompt } from "@heddle/demo-agent/turn/Prompt"
import { cannotText, courtesyReply, examplesText, helpText } from "@heddle/demo-agent/turn/Replies"
import { ordersCsv } from "./support/Orders.ts"

const signal = new AbortController().signal
const files: ReadonlyArray<readonly [name: string, content: string]> = [
  ["orders.csv", ordersCsv(50)],
  [
    "a column of currencies.csv",
    "order,net,gross,currency\nA,100,119,EUR\nB,200,238,USD\nC,3000,3300,JPY\nD,1,2,EUR\n"
  ],
  ["dates and currencies.csv", "day,net,currency\n2024-01-03,5,EUR\n2024-02-03,6,USD\n2024-03-03,6,USD\n"],
  ["currencies in cells.csv", "city,price\nBonn,€5\nUlm,$60\nBonn,€7\n"],
  ["one currency.csv", "city,day,price\nBonn,2024-01-03,€5\nUlm,2024-02-03,€6\nBonn,2024-03-03,€6\n"],
  ["units.csv", "item,weight,unit\na,12,kg\nb,5,lb\n"],
  [
    "Chinese.csv",
    "订单编号,下单日期,城市,单价,币种\nA-1,2024-01-03,北京,5,人民币\nA-2,2024-02-03,上海,6,美元\nA-3,2024-02-04,北京,6,美元\n"
  ],
  ["words.csv", "name,colour\nAnn,red\nBob,blue\nEve,red\n"],
  ["identifiers.csv", "order number,phone\n1001,4915112345\n1002,4915112399\n1003,4915112301\n"],
  ["one row.csv", "x,y\n1,2\n"],
  ["no rows.csv", "a,b\n"],
  ["odd names.csv", "total,by month,is it?,only\n1,a,yes,5\n2,b,no,6\n3,a,yes,7\n"],
  ["repeated names.csv", "name,total,total,city\na,1,10,Bonn\nb,2,20,Ulm\nc,3,30,Bonn\n"],
  ["odd values.csv", 'state,n\n"New, York",1\n"is or and",2\n"New, York",3\n'],
  ["nested.json", '{"orders":[{"price":{"amount":5,"currency":"EUR"}},{"price":{"amount":6,"currency":"USD"}}]}'],
  ["flat.json", '{"a":1}'],
  ["notes.md", "# Plan\n\n- [ ] a\n- [x] b\n\n[x](https://a.example) word word\n"]
]

/** All that the agent suggests about data in so many words: at the end of a look, in its help, and where it understands nothing. */
const suggestionsAbout = (data: Data): ReadonlyArray<string> =>
  [
    examplesText(data, []),
    helpText(data),
    cannotText(data, "", []),
    courtesyReply("hello", data.name, false) ?? ""
  ].flatMap((text) =>
    [...text.matchAll(/“([^”]+)”/g)].flatMap(([, suggestion = ""]) =>
      suggestion.includes("…") ? [] : [suggestion.replaceAll("\\", "")]
    )
  )

describe("the suggestions", () => {
  it.each(
    files.flatMap(([name, content]) =>
      (["english", "chinese"] as const).map((language) => ({ content, language, name }))
    )
  )("about $name in $language are understood in full and done, whoever says them", ({ content, language, name }) =>
    Language.run(language, async () => {
      const data = await readData(Buffer.from(content), name, undefined, signal)
      const suggestions = suggestionsAbout(data)
      assert.ok(suggestions.length > 0)
      for (const suggestion of suggestions) {
        const prompt = [{ type: "text" as const, text: `[Zoé O., Discord user 81384788765712384]\n“${suggestion}”` }]
        const request = parseRequest(parsePrompt(prompt).request, subjectOf(data))
        assert.deepStrictEqual(parseRequest(suggestion, subjectOf(data)), request, suggestion)
        if (suggestion === "help" || suggestion === "帮助") continue
        assert.ok(request.kind === "parts", `${suggestion}: ${JSON.stringify(request)}`)
        const { ofParts } = scopesOf([], request.parts)
        const { charts, isRefused, messages } = await analyse(data, request.parts, ofParts, signal)
        const isEmpty = data.kind === "table" && data.table.rowCount === 0
        if (!isEmpty) assert.ok(!isRefused, suggestion)
        if (/chart|histogram|画|直方图/.test(suggestion) && !isEmpty)
          assert.ok(charts.length > 0 || data.kind === "prose", suggestion)
        if (ofParts.flat().length > 0) assert.doesNotMatch(messages.join(), /No row fits|没有符合/, suggestion)
      }
    })
  )
})
