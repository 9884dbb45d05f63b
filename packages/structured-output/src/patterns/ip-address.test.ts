import { isIPv4 as nodeIsIpv4, isIPv6 as nodeIsIpv6 } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isIpv4, isIpv6 } from './ip-address.ts'

const octets = fc.array(fc.oneof(fc.nat(300).map(String), fc.constantFrom('', '01', '+1', '255', '256')), {
  minLength: 3,
  maxLength: 5,
})
const dotted = octets.map((parts) => parts.join('.'))
const group = fc.oneof(
  fc.nat(0xffff).map((value) => value.toString(16)),
  fc.constantFrom('', '0000', 'FFFF', '12345', 'g'),
)
const colons = fc
  .tuple(fc.array(group, { maxLength: 9 }), fc.option(dotted))
  .map(([groups, end]) => [...groups, ...(end === null ? [] : [end])].join(':'))

it('agrees with Node on addresses and lookalikes', () => {
  fc.assert(
    fc.property(fc.oneof(dotted, colons, fc.string()), (text) => {
      expect(isIpv4(text), text).toBe(nodeIsIpv4(text))
      if (!text.includes('%')) expect(isIpv6(text), text).toBe(nodeIsIpv6(text))
    }),
    { numRuns: 5_000, examples: [['::'], ['::1'], ['1::'], ['1:2:3:4:5:6:7::'], ['::1.2.3.4'], [':1'], ['1.2.3.4::']] },
  )
})
