import { assert, describe, it } from "@effect/vitest"
import * as PhoneNumber from "@heddle/server/accounts/PhoneNumber"

const mainland = "+8613812345678"

describe("PhoneNumber", () => {
  const accepted: ReadonlyArray<readonly [why: string, written: string, number: string]> = [
    ["as in mainland China", "13812345678", mainland],
    ["with its country code", "+8613812345678", mainland],
    ["with the country code and no plus", "8613812345678", mainland],
    ["dialled from abroad", "0086 138 1234 5678", mainland],
    ["with parentheses and hyphens", "(138) 1234-5678", mainland],
    ["with everything", "+86 (138) 1234 5678", mainland],
    ["with a trunk zero that is not dialled", "+86 (0)138 1234 5678", mainland],
    ["in full-width digits", "１３８１２３４５６７８", mainland],
    ["with a full-width plus", "＋８６１３８１２３４５６７８", mainland],
    ["with hard spaces", "138\u00a01234\u00a05678", mainland],
    ["with hyphens that do not break", "138\u20111234\u20115678", mainland],
    ["with dashes and a minus", "138\u20131234\u22125678", mainland],
    ["with spaces around it", "  13812345678  ", mainland],
    ["with a line break after it", "13812345678\n", mainland],
    ["of a range that metadata calls invalid", "14012345678", "+8614012345678"],
    ["of another such range", "19412345678", "+8619412345678"],
    ["a mobile number of Hong Kong", "+852 9123 4567", "+85291234567"],
    ["a mobile number of Macau", "+853 6612 3456", "+85366123456"],
    ["a mobile number of Taiwan", "+886 912 345 678", "+886912345678"],
    ["one of North America, where mobile and fixed look alike", "+1 415 555 2671", "+14155552671"],
    ["a mobile number of Germany", "+49 (151) 12345678", "+4915112345678"]
  ]
  for (const [why, written, number] of accepted) {
    it(`accepts ${why}`, () => assert.strictEqual(PhoneNumber.normalise(written), number))
  }

  const refused: ReadonlyArray<readonly [why: string, written: string]> = [
    ["dots, which the document does not list", "138.1234.5678"],
    ["ten digits", "1381234567"],
    ["twelve digits", "138123456789"],
    ["a range that is no mobile one", "12812345678"],
    ["a landline of Beijing", "+86 10 6234 5678"],
    ["the landline without its country code", "010 6234 5678"],
    ["a machine's number of thirteen digits", "1440012345678"],
    ["a bare number of eight digits", "62345678"],
    ["Hong Kong without a plus", "85291234567"],
    ["Hong Kong without a plus, spaced", "852 9123 4567"],
    ["Hong Kong dialled from abroad", "0085291234567"],
    ["a landline of Hong Kong", "+852 2123 4567"],
    ["a landline of Macau", "+853 2812 3456"],
    ["a number of North America without its code", "4155552671"],
    ["an extension", "13812345678 ext 5"],
    ["an extension in the manner of a tel: address", "+8613812345678;ext=5"],
    ["a tel: address", "tel:+8613812345678"],
    ["letters before it", "abc13812345678"],
    ["two numbers", "13812345678, 13912345678"],
    ["two numbers without a comma", "13812345678 13912345678"],
    ["nothing", ""],
    ["spaces only", "   "],
    ["a plus only", "+"],
    ["two pluses", "++8613812345678"],
    ["a plus inside", "86+13812345678"],
    ["a country code only", "+86"],
    ["a country code twice", "+86 86 13812345678"],
    ["four hundred digits", "1".repeat(400)],
    ["a megabyte", "1".repeat(1_000_000)],
    ["marks that change the direction", "\u202e13812345678"],
    ["a space without width", "138\u200b12345678"],
    ["a tab inside", "138\t12345678"],
    ["a line break inside", "138\n12345678"],
    ["a null character", "13812345678\u0000"],
    ["Arabic digits", "١٣٨١٢٣٤٥٦٧٨"],
    ["letters on the keys", "1-800-FLOWERS"]
  ]
  for (const [why, written] of refused) {
    it(`refuses ${why}`, () => assert.isUndefined(PhoneNumber.normalise(written)))
  }
})
