import * as Crypto from "node:crypto"
import type { ContractOptions } from "../config/ContractOptions.ts"

/**
 * Makes random text that people can read out and type: groups of five, without the letters that look like digits
 * or like each other. A group holds 25 random bits.
 */
export const generate = (groups: number): string =>
  Array.from({ length: groups }, () => Array.from({ length: groupLength }, letter).join("")).join("-")

/**
 * The form of a code that is hashed and compared. Generated codes are groups in capitals; with `insensitive`, a person
 * may type them in lower case, and with spaces or nothing between the groups.
 */
export const normalize = (code: string, codeCase: ContractOptions["codeCase"]): string => {
  if (codeCase === "sensitive") return code
  const letters = code.toUpperCase().replace(/[\s-]/g, "")
  return letters.length % groupLength === 0 && /^[0-9A-Z]+$/.test(letters)
    ? letters.replace(/.{5}(?=.)/g, "$&-")
    : code.toUpperCase()
}

const groupLength = 5

const letter = (): string => alphabet.charAt(Crypto.randomInt(alphabet.length))

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
