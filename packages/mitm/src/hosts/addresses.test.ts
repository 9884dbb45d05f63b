import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'
import { isForbiddenAddress, isOwnAddress } from './addresses.ts'

it.each([
  '169.254.169.254',
  '169.254.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '169.254.255.255',
  'fd20:ce::254',
  '64:ff9b::100.100.100.200',
  '64:ff9b::192.0.0.192',
  '::ffff:168.63.129.16',
  '2002:a83f:8110::',
  '::6464:64c8',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fd00:ec2::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
])('%s is forbidden', (address) => {
  expect(isForbiddenAddress(address)).toBe(true)
})

it.each([
  ...['127.0.0.1', '10.0.0.1', '8.8.8.8', '169.253.1.1', '169.253.255.255', '169.255.0.0', '100.100.100.199'],
  ...['100.100.100.201', '168.63.129.15', '168.63.129.17', '192.0.0.191', '192.0.0.193', '::1', '::', '::2'],
  ...['2606:4700::1111', 'fec0::1', 'fe7f::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1'],
  ...['fd00:ec2::253', 'fd00:ec2::255', 'fd00:ec3::254', 'fd20:ce::253', 'fd20:cf::254'],
  // The address is at another place in these.
  ...['2003:a9fe:a9fe::1', '64:ff9c::a9fe:a9fe', '65:ff9b::a9fe:a9fe', '::fffe:a9fe:a9fe', '1::ffff:a9fe:a9fe'],
  ...['::1:ffff:a9fe:a9fe', 'a9fe:a9fe::', 'no address', '', '169.254.169.254.1'],
])('"%s" is not', (address) => {
  expect(isForbiddenAddress(address)).toBe(false)
})

it('knows the addresses of this machine', () => {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries?.map(({ address }) => address) ?? [])
  const known = ['127.0.0.1', '127.9.9.9', '127.255.255.255', '0.0.0.0', '0.255.255.255', '::1', '::', '::1%lo']
  const within = ['::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::127.0.0.1', '2002:7f00:1::', '::ffff:0.0.0.1']
  for (const address of [...known, ...within, ...own]) {
    expect([address, isOwnAddress(address)]).toEqual([address, true])
  }
  for (const address of ['8.8.8.8', '2606:4700::1111', '192.0.2.1', '126.255.255.255', '128.0.0.0', '1.0.0.0', '']) {
    expect([address, isOwnAddress(address)]).toEqual([address, false])
  }
})
