import { expect, it } from 'vitest'
import { toRenewalMs } from './jwt-life.ts'

const toJwt = (claims: unknown): string => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`

it('renews after three quarters of the life, whatever the clock says', () => {
  expect(toRenewalMs(toJwt({ iat: 1000, exp: 1000 + 86_401 }))).toBe(64_800_000)
  expect(toRenewalMs(toJwt({ iat: 0, exp: 10 ** 9 }))).toBe(7 * 86_400_000)
})

it.each(['', 'x', 'x.y.z', toJwt({ iat: 1 }), toJwt({ iat: 5, exp: 5 }), toJwt(3)])('does not renew %j', (jwt) => {
  expect(toRenewalMs(jwt)).toBeUndefined()
})
