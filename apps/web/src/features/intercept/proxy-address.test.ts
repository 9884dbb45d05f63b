import { describe, expect, it } from 'vitest'
import { formatClientAddress, isLoopback } from './proxy-address.ts'

describe('the address of the proxy', () => {
  it.each(['127.0.0.1:8888', '127.8.8.8:1', 'localhost:8888', '[::1]:8888'])('%s is loopback', (address) => {
    expect(isLoopback(address)).toBe(true)
  })

  it.each([':8888', '0.0.0.0:8888', '[::]:8888', '192.168.1.5:8888', '127.0.0.1.host.example:1', '[fd00::1]:8888'])(
    '%s is not loopback',
    (address) => expect(isLoopback(address)).toBe(false),
  )

  it('gives clients the name of the page where the proxy listens everywhere', () => {
    expect(formatClientAddress(':8888', 'models.example')).toBe('models.example:8888')
    expect(formatClientAddress('[::]:8888', '[fd00::1]')).toBe('[fd00::1]:8888')
    expect(formatClientAddress('127.0.0.1:8888', 'models.example')).toBe('127.0.0.1:8888')
    expect(formatClientAddress('[::1]:8888', 'models.example')).toBe('[::1]:8888')
  })
})
