import { describe, expect, it } from "vitest"
import { apiOf } from "./Api.ts"
import { startService } from "./Services.ts"

const statusAndError = async (response: Response) => [response.status, ((await response.json()) as any).error]

describe("profile and credit", () => {
  it("the profile is private", async () => {
    const service = await startService({ person: "grace" })
    const response = await apiOf(service).get("/user/profile")
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
    expect(response.headers.get("cache-control")).toBe("private, no-store")
    expect(await response.json()).toEqual({ nickname: "grace", avatar: service.readings.avatar })
  })

  it("the credit counts what was redeemed", async () => {
    const service = await startService({ creditCapacity: 10, creditUsed: 3 })
    service.addVoucher({ code: "ABC", credits: 5 })
    await apiOf(service).post("/redemptions", { code: "ABC", request_id: "request-1" })
    const credit = await (await apiOf(service).get("/credit")).json()
    expect(credit).toEqual({ total_capacity_size: 15, total_capacity_used: 3 })
  })
})

describe("phone verification", () => {
  it("accepts the documented formats only", async () => {
    const service = await startService({ phoneNumber: "+85298765432" })
    const verify = (number: unknown) => apiOf(service).post("/user/phoneverification", { phone_number: number })
    for (const number of ["13800138000", "+86 138-0013-8000", "(+86) 13800138000", "+853 6123 4567"])
      expect(await (await verify(number)).json()).toEqual({ matched: false })
    expect(await (await verify("+852 9876-5432")).json()).toEqual({ matched: true })
    for (const number of ["98765432", "8613800138000", "+1 202 555 0100", "", 5, undefined])
      expect(await statusAndError(await verify(number))).toEqual([400, "invalid_request"])
  })
})

describe("redemptions", () => {
  const result = { status: "success", credits: "50", open_id: expect.any(String), flow_no: expect.any(String) }

  it("a code and a card give credits as int64", async () => {
    const service = await startService()
    service.addVoucher({ code: "C", credits: 50 })
    service.addVoucher({ code: "CARD-1", secret: "SECRET-1", credits: 50 })
    const api = apiOf(service)
    const single = await api.post("/redemptions", { code: "C", request_id: "request-1" })
    expect(await single.json()).toEqual(result)
    service.setReadings({ int64: "number" })
    const card = { gift_key: "CARD-1", gift_code: "SECRET-1", request_id: "request-2" }
    expect(await (await api.post("/redemptions", card)).json()).toEqual({ ...result, credits: 50 })
  })

  it("keeps the bounds, and the modes apart", async () => {
    const service = await startService()
    const wrong = [
      { code: "C" },
      { code: "C", request_id: "short" },
      { code: "C", request_id: "x".repeat(65) },
      { code: "", request_id: "request-1" },
      { code: "x".repeat(65), request_id: "request-1" },
      { gift_key: "CARD-1", request_id: "request-1" },
      { gift_key: "CARD", gift_code: "SECRET-1", request_id: "request-1" },
      { gift_key: "CARD-1", gift_code: "SECRET", request_id: "request-1" },
      { code: "C", gift_key: "CARD-1", gift_code: "SECRET-1", request_id: "request-1" }
    ]
    for (const body of wrong)
      expect(await statusAndError(await apiOf(service).post("/redemptions", body))).toEqual([400, "invalid_request"])
  })

  it("a repeated request_id gets the same result, or a conflict", async () => {
    const service = await startService()
    service.addVoucher({ code: "C", credits: 50 })
    const redeem = (code: string) => apiOf(service).post("/redemptions", { code, request_id: "request-1" })
    const first = await (await redeem("C")).json()
    expect(await (await redeem("C")).json()).toEqual(first)
    expect(await statusAndError(await redeem("D"))).toEqual([409, "invalid_request"])
    service.setReadings({ repeatedRedemption: "conflict" })
    expect(await statusAndError(await redeem("C"))).toEqual([409, "invalid_request"])
  })

  it("codes that are unknown, used or expired are final errors", async () => {
    const service = await startService()
    service.addVoucher({ code: "USED", credits: 1, uses: 0 })
    service.addVoucher({ code: "OLD", credits: 1, expiresAt: 1 })
    service.addVoucher({ code: "CARD-1", secret: "SECRET-1", credits: 1 })
    const redeem = async (fields: object) =>
      statusAndError(await apiOf(service).post("/redemptions", { ...fields, request_id: "request-1" }))
    expect(await redeem({ code: "NONE" })).toEqual([404, "not_found"])
    expect(await redeem({ code: "USED" })).toEqual([400, "invalid_grant"])
    expect(await redeem({ code: "OLD" })).toEqual([400, "invalid_grant"])
    expect(await redeem({ gift_key: "CARD-1", gift_code: "SECRET-2" })).toEqual([400, "invalid_grant"])
  })
})
