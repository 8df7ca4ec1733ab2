/** One thing that the agent of the benchmark says or does. */
export type Piece = { readonly say: string } | { readonly step: string }

const words =
  "The orders of the first quarter are in the file, one row for each of them, with region, month, quantity and price. "

const paragraph = (n: number): Piece => ({ say: `Part ${n}. ${words}` })

/** An answer of about 1,100 characters in nine messages, with three steps in between. */
export const pieces: ReadonlyArray<Piece> = [
  paragraph(1),
  { step: "Read orders.csv" },
  paragraph(2),
  paragraph(3),
  { step: "Sum quantity by region" },
  paragraph(4),
  paragraph(5),
  paragraph(6),
  { step: "Draw chart.svg" },
  paragraph(7),
  paragraph(8),
  { say: `Part 9. ${words}The end.` }
]

/** The last words of the answer. */
export const lastWords = "The end."

/** The time in which the agent gives the whole answer, in milliseconds. */
export const lastingMs = 300

/** Gives the pieces one after the other. */
export const report = (give: (piece: Piece, index: number) => void): Promise<void> =>
  new Promise((resolve) => {
    let given = 0
    const timer = setInterval(() => {
      const piece = pieces[given]
      if (piece !== undefined) give(piece, given++)
      if (given < pieces.length) return
      clearInterval(timer)
      resolve()
    }, lastingMs / pieces.length)
  })
