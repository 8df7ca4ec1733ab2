// Writes the pages of the documentation that follow from the checks; build first.
import { readFileSync, writeFileSync } from "node:fs"
import * as Documentation from "../dist/Documentation.js"

const folder = new URL("../../../apps/docs/contract/", import.meta.url)
const decisions = new URL("decisions.md", folder)
writeFileSync(new URL("checks.md", folder), Documentation.checksPage())
writeFileSync(decisions, Documentation.fillProofColumn(readFileSync(decisions, "utf8")))
