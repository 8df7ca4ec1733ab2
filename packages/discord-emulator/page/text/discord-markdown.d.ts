// The package's own types are not found through its exports map; only what the page uses is written down here.
declare module "@odiffey/discord-markdown" {
  export interface Node {
    readonly type: string
    readonly content?: string | ReadonlyArray<Node>
    readonly [key: string]: unknown
  }
  export interface ParseState {
    readonly prevCapture?: ReadonlyArray<string> | null
    readonly [key: string]: unknown
  }
  export interface Rule {
    readonly order: number
    readonly match: (source: string, state: ParseState) => RegExpExecArray | null
    readonly parse: (
      capture: RegExpExecArray,
      parse: (source: string, state: ParseState) => ReadonlyArray<Node>,
      state: ParseState
    ) => object
    readonly html?: unknown
  }
  export const rules: Readonly<Record<string, Rule>> & {
    readonly heading: Rule
    readonly codeBlock: { readonly html: (node: Node, output: unknown, state: object) => string }
  }
  export const markdownEngine: {
    readonly parserFor: (rules: object) => (source: string, state: object) => ReadonlyArray<Node>
  }
}
