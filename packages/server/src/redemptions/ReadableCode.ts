import * as Crypto from "node:crypto"
import type { ContractOptions } from "../config/ContractOptions.ts"

/**
 * Makes random text that people can read out and type: groups of five, without the letters that look like digits
 * or like each other. A group holds 25 random bits.
 */
export const generate = (groups: number): string =>
  Array.from({ length: groups }, () => Array.from({ length: 5 }, letter).join("")).join("-")

/** The form of a code that is hashed and compared; generated codes are in capitals. */
export const normalize = (code: string, codeCase: ContractOptions["codeCase"]): string =>
  codeCase === "insensitive" ? code.toUpperCase() : code

const letter = (): string => alphabet.charAt(Crypto.randomInt(alphabet.length))

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
