import { describe, expect, it } from 'vitest'
import { checkAddresses, hasAddress } from './addresses.ts'

describe('a list of addresses', () => {
  it.each<[string, string, boolean]>([
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['192.0.2.7', '::ffff:192.0.2.7', true],
    ['192.0.2.7', '::FFFF:c000:207', true],
    ['192.0.2.7', '0:0:0:0:0:ffff:192.0.2.7', true],
    ['192.0.2.7', '::192.0.2.7', false],
    ['192.0.2.7', '64:ff9b::192.0.2.7', false],
    ['::ffff:192.0.2.7', '192.0.2.7', true],
    ['::ffff:192.0.2.0/120', '192.0.2.200', true],
    ['::ffff:192.0.2.0/120', '192.0.3.0', false],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '::1', true],
    ['::/0', '192.0.2.1', false],
    ['::/0', '::ffff:192.0.2.1', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['2001:DB8::1', '2001:0db8:0:0:0:0:0:1', true],
    ['2001:db8::1/128', '2001:db8::1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['fe80::1', 'fe80::2%eth0', false],
    ['0.0.0.0/0', '010.0.0.1', false],
    ['0.0.0.0/0', '1.2.3', false],
    ['0.0.0.0/0', '', false],
    ['0.0.0.0/0', 'p2p/192.0.2.7', false],
    ['0.0.0.0/0', '192.0.2.7, 10.0.0.1', false],
  ])('%s for a caller from %s: %s', (entry, address, isAllowed) => {
    expect(hasAddress(checkAddresses([entry], 'addresses'), address)).toBe(isAllowed)
  })

  it('allows nobody when it is empty or broken, and no value that is not a text', () => {
    expect(hasAddress([], '192.0.2.1')).toBe(false)
    expect(hasAddress(['nonsense', '1.2.3.4/x', ''], '1.2.3.4')).toBe(false)
    for (const address of [undefined, null, 7, {}, ['192.0.2.1']])
      expect(hasAddress(['0.0.0.0/0'], address)).toBe(false)
  })

  it.each([
    ['010.0.0.1'],
    ['0x7f.0.0.1'],
    ['2130706433'],
    ['127.1'],
    ['1.2.3.4/33'],
    ['1.2.3.4/-1'],
    ['1.2.3.4/08'],
    ['1.2.3.4/'],
    ['1.2.3.4/8/8'],
    ['1.2.3.4/24'],
    ['2001:db8::1/64'],
    ['::ffff:1.2.3.4/95'],
    ['::ffff:1.2.3.4/104'],
    ['fe80::1%eth0'],
    ['fe80::%1/64'],
    ['localhost'],
    ['１.2.3.4'],
    ['1.2.3.4\u0000'],
    [''],
    [7],
    [null],
    [['1.2.3.4']],
  ])('has no entry %j', (entry) => {
    expect(() => checkAddresses(['192.0.2.1', entry], 'scopes.addresses')).toThrow(
      expect.objectContaining({ kind: 'invalid_request', message: expect.stringMatching(/^scopes\.addresses: /) }),
    )
  })

  it.each([[undefined], [null], ['192.0.2.1'], [{}], [[]], [Array.from({ length: 65 }, () => '192.0.2.1')]])(
    'is not %j',
    (value) => {
      expect(() => checkAddresses(value, 'a')).toThrow(expect.objectContaining({ kind: 'invalid_request' }))
    },
  )

  it('keeps each entry once, in small letters, and may have 64', () => {
    expect(checkAddresses([' 2001:DB8::/32 ', '2001:db8::/32', '10.0.0.0/8'], 'a')).toEqual([
      '2001:db8::/32',
      '10.0.0.0/8',
    ])
    expect(
      checkAddresses(
        Array.from({ length: 64 }, (_, index) => `10.0.0.${index}`),
        'a',
      ),
    ).toHaveLength(64)
  })
})
