/** Discord's limit for files of one message. */
export const FILE_LIMIT = 10

type Sized = Pick<File, "name" | "size">

/** The message about a file above Discord's size limit, if it is one. */
export const fileSizeProblem = (file: Sized): string | undefined =>
  file.size > FILE_BYTES ? `${file.name} was left out: a file can have 10 MB at most.` : undefined

/** Adds chosen files to a message, with a message about the first file that was left out. */
export const addFiles = <F extends Sized>(
  before: ReadonlyArray<F>,
  chosen: ReadonlyArray<F>
): { readonly files: ReadonlyArray<F>; readonly error: string | undefined } => {
  const files = [...before]
  let remainingBytes = TOTAL_BYTES - before.reduce((sum, { size }) => sum + size, 0)
  let error: string | undefined
  for (const file of chosen) {
    const problem =
      fileSizeProblem(file) ??
      (file.size > remainingBytes ? totalSizeProblem(file) : files.length < FILE_LIMIT ? undefined : fileCountProblem)
    error ??= problem
    if (problem !== undefined) continue
    files.push(file)
    remainingBytes -= file.size
  }
  return { files, error }
}

const FILE_BYTES = 10 * 1024 * 1024
// A whole request can have 25 MiB, and its words take some of it.
const TOTAL_BYTES = 25 * 1024 * 1024 - 64 * 1024

const fileCountProblem = `One message takes ${FILE_LIMIT} files; the rest was left out.`
const totalSizeProblem = ({ name }: Sized): string =>
  `${name} was left out: the files of one message can have 25 MB together at most.`
