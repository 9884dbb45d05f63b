import type { NetworkInterfaceInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { isPublicAddress, isPublicBind } from './public-bind.ts'

const having = (...addresses: string[]) => ({ eth0: addresses.map((address) => ({ address }) as NetworkInterfaceInfo) })

describe('isPublicAddress', () => {
  it('tells the internet from private networks', () => {
    for (const address of ['8.8.8.8', '172.32.0.1', '2001:4860::1'])
      expect(isPublicAddress(address), address).toBe(true)
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '172.31.0.1',
      '192.168.1.1',
      '169.254.1.1',
      '100.64.0.1',
      '::1',
      'fd00::1',
      'fe80::1%eth0',
    ]) {
      expect(isPublicAddress(address), address).toBe(false)
    }
  })
})

describe('isPublicBind', () => {
  it('looks at the interfaces when it listens everywhere', () => {
    for (const host of ['', '0.0.0.0', '::']) {
      expect(isPublicBind(host, having('127.0.0.1', '192.168.1.5'))).toBe(false)
      expect(isPublicBind(host, having('127.0.0.1', '8.8.8.8'))).toBe(true)
    }
  })

  it('takes a name for public unless it is localhost', () => {
    expect([isPublicBind('localhost', {}), isPublicBind('models.example', {}), isPublicBind('10.0.0.1', {})]).toEqual([
      false,
      true,
      false,
    ])
  })
})
