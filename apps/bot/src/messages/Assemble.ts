import type * as English from "./english/Texts.ts"

/** The texts of one language from its files: those of the first five stand at the top, the others under their names. */
export const assemble = ({ requestAnswers, connect, refusals, tasks, waiting, ...named }: typeof English) => ({
  ...connect,
  ...refusals,
  ...tasks,
  ...waiting,
  ...requestAnswers,
  ...named
})
