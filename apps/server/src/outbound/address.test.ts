import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AddressScope, classifyAddress, isWithin, parseCidr } from './address.ts'

/** An IPv6 address as numbers; none of them is an embedded IPv4 address. */
const groups = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
  .filter(([first = 0]) => first !== 0)
const toText = (numbers: readonly number[]) => numbers.map((group) => group.toString(16)).join(':')

describe('classifyAddress', () => {
  it.each<[AddressScope, string]>([
    ['reserved', '0.0.0.0'],
    ['reserved', '0.255.255.255'],
    ['public', '1.0.0.0'],
    ['public', '9.255.255.255'],
    ['private', '10.0.0.0'],
    ['private', '10.255.255.255'],
    ['public', '11.0.0.0'],
    ['public', '100.63.255.255'],
    ['private', '100.64.0.0'],
    ['private', '100.127.255.255'],
    ['public', '100.128.0.0'],
    ['public', '126.255.255.255'],
    ['loopback', '127.0.0.0'],
    ['loopback', '127.255.255.255'],
    ['public', '128.0.0.0'],
    ['public', '168.63.129.15'],
    ['metadata', '168.63.129.16'],
    ['public', '168.63.129.17'],
    ['public', '169.253.255.255'],
    ['link-local', '169.254.0.0'],
    ['link-local', '169.254.169.254'],
    ['link-local', '169.254.255.255'],
    ['public', '169.255.0.0'],
    ['public', '172.15.255.255'],
    ['private', '172.16.0.0'],
    ['private', '172.31.255.255'],
    ['public', '172.32.0.0'],
    ['public', '191.255.255.255'],
    ['reserved', '192.0.0.0'],
    ['reserved', '192.0.0.255'],
    ['public', '192.0.1.0'],
    ['reserved', '192.0.2.1'],
    ['reserved', '192.88.99.1'],
    ['public', '192.167.255.255'],
    ['private', '192.168.0.0'],
    ['private', '192.168.255.255'],
    ['public', '192.169.0.0'],
    ['public', '198.17.255.255'],
    ['private', '198.18.0.0'],
    ['private', '198.19.255.255'],
    ['public', '198.20.0.0'],
    ['reserved', '198.51.100.7'],
    ['reserved', '203.0.113.7'],
    ['public', '223.255.255.255'],
    ['multicast', '224.0.0.0'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.0'],
    ['reserved', '255.255.255.255'],
    ['public', '93.184.216.34'],
  ])('%s: %s', (scope, address) => {
    expect(classifyAddress(address)).toBe(scope)
  })

  it.each<[AddressScope, string]>([
    ['reserved', '::'],
    ['loopback', '::1'],
    ['loopback', '0:0:0:0:0:0:0:1'],
    ['reserved', '::2'],
    ['reserved', '::127.0.0.1'],
    ['reserved', '::8.8.8.8'],
    ['loopback', '::ffff:127.0.0.1'],
    ['loopback', '::ffff:7f00:1'],
    ['private', '::ffff:10.0.0.1'],
    ['link-local', '::ffff:a9fe:a9fe'],
    ['public', '::ffff:8.8.8.8'],
    ['reserved', '::ffff:0:127.0.0.1'],
    ['loopback', '64:ff9b::7f00:1'],
    ['private', '64:ff9b::10.1.2.3'],
    ['link-local', '64:ff9b::169.254.169.254'],
    ['public', '64:ff9b::8.8.8.8'],
    ['reserved', '64:ff9b:1::8.8.8.8'],
    ['reserved', '100::1'],
    ['reserved', '1fff:ffff::'],
    ['reserved', '2001::1'],
    ['reserved', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['reserved', '2001:1ff::1'],
    ['public', '2001:200::1'],
    ['public', '2001:4860:4860::8888'],
    ['reserved', '2001:db8::1'],
    ['public', '2001:db9::1'],
    ['reserved', '2002:7f00:1::1'],
    ['reserved', '2002:808:808::1'],
    ['public', '2606:4700::1111'],
    ['reserved', '3ffe::1'],
    ['reserved', '3fff::1'],
    ['public', '3fff:1000::1'],
    ['reserved', '4000::1'],
    ['reserved', '5f00::1'],
    ['private', 'fc00::1'],
    ['private', 'fd00:ec2::254'],
    ['private', 'fdff:ffff::1'],
    ['link-local', 'fe80::1'],
    ['link-local', 'febf::1'],
    ['private', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['multicast', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('%s: %s', (scope, address) => {
    expect(classifyAddress(address)).toBe(scope)
  })

  it.each([
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '08.8.8.8',
    '[::1]',
    '2606:4700::1%eth0',
    '::g',
    '8.8.8.8 ',
  ])('takes %j for no public address', (text) => {
    expect(classifyAddress(text)).toBe('reserved')
  })

  it('judges every way to carry an IPv4 address by the address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(classifyAddress(`::ffff:${address}`)).toBe(classifyAddress(address))
        expect(classifyAddress(`64:ff9b::${address}`)).toBe(classifyAddress(address))
      }),
    )
  })

  it('calls no IPv6 address public outside of the assigned blocks', () => {
    const firstGroup = fc.integer({ min: 0x65, max: 0xffff }).filter((group) => group >> 13 !== 1)
    fc.assert(
      fc.property(firstGroup, groups, (first, rest) => {
        expect(classifyAddress(toText([first, ...rest.slice(1)]))).not.toBe('public')
      }),
    )
  })
})

describe('isWithin', () => {
  const within = (address: string, ...cidrs: string[]) =>
    isWithin(
      address,
      cidrs.flatMap((cidr) => parseCidr(cidr) ?? []),
    )

  it.each([
    ['10.1.2.3', '10.1.0.0/16', true],
    ['10.2.0.0', '10.1.0.0/16', false],
    ['10.1.2.3', '10.1.9.9/16', true],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.4', '10.1.2.3', false],
    ['::ffff:10.1.2.3', '10.1.0.0/16', true],
    ['10.1.2.3', '::ffff:10.1.2.3', true],
    ['8.8.8.8', '0.0.0.0/0', true],
    ['2606:4700::1', '0.0.0.0/0', false],
    ['fd00:1::5', 'fd00:1::/32', true],
    ['fd00:2::5', 'fd00:1::/32', false],
    ['::1', '::/0', true],
    ['fd00::1%eth0', 'fd00::/8', false],
    ['db.internal', '::/0', false],
  ])('%s in %s: %s', (address, cidr, expected) => {
    expect(within(address, cidr)).toBe(expected)
  })

  it('agrees with the block list of Node', () => {
    const length = fc.integer({ min: 0, max: 128 })
    const flippedBit = fc.integer({ min: 0, max: 127 })
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.ipV4(), (base, bits, address) => {
        const list = new BlockList()
        list.addSubnet(base, bits, 'ipv4')
        expect(within(address, `${base}/${bits}`)).toBe(list.check(address, 'ipv4'))
      }),
    )
    fc.assert(
      fc.property(groups, length, flippedBit, (base, bits, bit) => {
        const list = new BlockList()
        list.addSubnet(toText(base), bits, 'ipv6')
        const other = base.map((group, index) => (index === bit >> 4 ? group ^ (0x8000 >> (bit & 15)) : group))
        for (const address of [base, other].map(toText)) {
          expect(within(address, `${toText(base)}/${bits}`)).toBe(list.check(address, 'ipv6'))
        }
      }),
    )
  })
})

describe('parseCidr', () => {
  it.each([
    '',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'host/8',
    '10.0.0.0/ 8',
  ])('refuses %j', (text) => {
    expect(parseCidr(text)).toBeUndefined()
  })
})
