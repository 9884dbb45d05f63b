import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'
import { isForbiddenAddress, isOwnAddress } from './addresses.ts'

it.each([
  '169.254.169.254',
  '169.254.0.1',
  '100.100.100.200',
  '168.63.129.16',
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

it.each(['127.0.0.1', '10.0.0.1', '8.8.8.8', '169.253.1.1', '::1', '2606:4700::1111', 'fec0::1', '::ffff:8.8.8.8'])(
  '%s is not',
  (address) => {
    expect(isForbiddenAddress(address)).toBe(false)
  },
)

it('knows the addresses of this machine', () => {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries?.map(({ address }) => address) ?? [])
  for (const address of ['127.0.0.1', '127.9.9.9', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', ...own]) {
    expect([address, isOwnAddress(address)]).toEqual([address, true])
  }
  for (const address of ['8.8.8.8', '2606:4700::1111', '192.0.2.1']) {
    expect([address, isOwnAddress(address)]).toEqual([address, false])
  }
})
