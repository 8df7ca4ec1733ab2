import { type Dialect, type Frame, type Loose, plain, propertiesOf } from "./Dialect.ts"

/** Google's `generateContent`. */
export const geminiContent: Dialect = {
  question: ({ contents = [], tools = [] }) => {
    const result = contents
      .at(-1)
      ?.parts?.find(({ functionResponse }: Loose) => functionResponse !== undefined)?.functionResponse
    const parts = contents.filter(({ role }: Loose) => role === "user").map((content: Loose) => content.parts)
    return {
      texts: parts.map(plain),
      toolResult: result === undefined ? undefined : JSON.stringify(result.response),
      tools: new Map(
        tools
          .flatMap(({ functionDeclarations = [] }: Loose) => functionDeclarations)
          .map((tool: Loose) => [tool.name, propertiesOf(tool.parametersJsonSchema ?? tool.parameters)])
      ),
      media: parts.flat().flatMap(({ inlineData }: Loose) => (inlineData ? [inlineData.mimeType] : []))
    }
  },
  answer: () => ({
    text: (text) => [piece([{ text }])],
    call: (name, args) => [piece([{ functionCall: { name, args } }])],
    end: () => [
      {
        data: {
          candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
        }
      }
    ]
  }),
  whole: (text) => piece([{ text }]).data,
  error: (code, message) => ({
    error: { code, message, status: code === 429 ? "RESOURCE_EXHAUSTED" : "INTERNAL" }
  })
}

const piece = (parts: ReadonlyArray<unknown>): Frame => ({
  data: { candidates: [{ index: 0, content: { role: "model", parts } }] }
})
