import { describe, expect, it } from 'vitest'
import { loadConfig } from './load.ts'
import { noProxyLine } from './proxy-url.ts'

const load = (argv: readonly string[], env: Record<string, string> = {}) => loadConfig({ argv, env, cwd: '/srv/svc' })

// verifies service:way-out:list
describe('the hosts that are reached past the proxies', () => {
  it.each(['10.0.0.0/-1', '10.0.0.0/', '10.0.0.0/1e0', '10.0.0.0/33', 'a.example,[fd00::]/129', 'https://a.example/'])(
    '%s ends the start, and is not a setting',
    (list) => {
      for (const command of [load(['--no-proxy', list]), load([], { NO_PROXY: list })]) {
        expect(command).toMatchObject({ kind: 'usage-error', message: expect.stringContaining('names, addresses') })
      }
      expect(noProxyLine.safeParse(list).success).toBe(false)
    },
  )

  it.each(['', '*', '10.0.0.0/8', '[fd00::]/8', 'localhost, .a.example:8443', 'b\u00fccher.example'])(
    '%j are read',
    (list) => {
      expect(load(['--no-proxy', list])).toMatchObject({ kind: 'run', config: { noProxy: list } })
      expect(noProxyLine.parse(list)).toBe(list)
    },
  )
})
