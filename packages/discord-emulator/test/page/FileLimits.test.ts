import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { addFiles, fileSizeProblem } from "../../page/model/FileLimits.ts"

const mib = 1024 * 1024
const file = (name: string, size = 1) => ({ name, size })

describe("choosing files", () => {
  it("names the file that is too large", () => {
    assert.equal(fileSizeProblem(file("a.csv", 10 * mib)), undefined)
    assert.equal(fileSizeProblem(file("a.csv", 10 * mib + 1)), "a.csv was left out: a file can have 10 MB at most.")
  })

  it("leaves out files above a size, total or count limit and reports it", () => {
    const [a, b, c, d] = [file("a", 10 * mib), file("b", 11 * mib), file("c", 10 * mib), file("d", 6 * mib)]
    assert.deepEqual(addFiles([a], [b, c]), {
      files: [a, c],
      error: "b was left out: a file can have 10 MB at most."
    })
    assert.deepEqual(addFiles([a, c], [d, file("e")]), {
      files: [a, c, file("e")],
      error: "d was left out: the files of one message can have 25 MB together at most."
    })
    const many = Array.from({ length: 12 }, (_, at) => file(String(at)))
    assert.deepEqual(addFiles([], many), {
      files: many.slice(0, 10),
      error: "One message takes 10 files; the rest was left out."
    })
  })
})
