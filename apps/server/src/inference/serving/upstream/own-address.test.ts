import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createUpstreamCheck, type UpstreamCheckOptions } from './own-address.ts'

const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'box.example': ['198.51.100.7'],
  'far.example': ['203.0.113.9'],
  'split.example': ['203.0.113.9', '198.51.100.7'],
}
const refused = { kind: 'invalid_request', code: 'invalid_proxy_settings', details: { param: 'proxy.upstream_url' } }

function start(options: Partial<UpstreamCheckOptions> = {}) {
  const clock = createFakeClock()
  const check = createUpstreamCheck({
    host: undefined,
    port: () => 8080,
    baseUrl: undefined,
    clock,
    machine: () => ['127.0.0.1', '::1', '198.51.100.7', '2001:db8::7'],
    resolve: async (host) => {
      const found = NAMES[host]
      if (found === undefined) throw new Error('ENOTFOUND')
      return found
    },
    ...options,
  })
  const isRefused = async (url: string): Promise<boolean> => {
    const error = await check(new URL(url)).catch((thrown: unknown) => thrown)
    if (error === undefined) return false
    expect(error).toMatchObject(refused)
    return true
  }
  return { clock, isRefused }
}

describe('an upstream', () => {
  it.each([
    'http://localhost:8080',
    'http://127.0.0.1:8080/v1/chat/completions',
    'http://127.8.9.1:8080',
    'http://[::1]:8080',
    'http://[::ffff:127.0.0.1]:8080',
    'http://0.0.0.0:8080',
    'http://[::]:8080',
    'http://box.example:8080',
    'http://198.51.100.7:8080',
    'http://[2001:db8::7]:8080',
    'http://split.example:8080',
  ])('%s is this server, which listens everywhere', async (url) => {
    for (const host of [undefined, '0.0.0.0', '::']) expect(await start({ host }).isRefused(url)).toBe(true)
  })

  it.each([
    'http://localhost:8081',
    'http://localhost',
    'https://localhost:8080',
    'http://far.example:8080',
    'http://nobody.example:8080',
    'http://203.0.113.9:8080',
  ])('%s is somebody else', async (url) => {
    expect(await start().isRefused(url)).toBe(false)
  })

  it('is this server only where it listens', async () => {
    const loopback = start({ host: 'localhost' })
    for (const host of ['localhost', '127.0.0.1', '[::1]', '0.0.0.0']) {
      expect(await loopback.isRefused(`http://${host}:8080`), host).toBe(true)
    }
    expect(await loopback.isRefused('http://box.example:8080')).toBe(false)
    const outer = start({ host: '198.51.100.7' })
    expect(await outer.isRefused('http://box.example:8080')).toBe(true)
    for (const host of ['127.0.0.1', '0.0.0.0']) expect(await outer.isRefused(`http://${host}:8080`), host).toBe(false)
  })

  it('is this server under its public address and every path below', async () => {
    const { isRefused } = start({ baseUrl: 'https://models.example/svc' })
    for (const path of ['/svc', '/svc/', '/svc/v1/chat/completions']) {
      expect(await isRefused(`https://models.example${path}`), path).toBe(true)
    }
    for (const url of ['https://models.example/', 'https://models.example/svcs', 'http://models.example/svc']) {
      expect(await isRefused(url), url).toBe(false)
    }
  })

  it('is unknown before the server listens, and another server when the name look-up takes too long', async () => {
    expect(await start({ port: () => undefined }).isRefused('http://localhost:8080')).toBe(false)
    const { clock, isRefused } = start({ resolve: () => new Promise(() => undefined) })
    const checking = isRefused('http://box.example:8080')
    await clock.waitForSleepers(1)
    await clock.advance(2000)
    expect(await checking).toBe(false)
    expect(clock.sleepers).toBe(0)
  })
})
