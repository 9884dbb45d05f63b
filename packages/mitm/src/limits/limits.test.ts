import { expect, it } from 'vitest'
import { DEFAULT_LIMITS, resolveLimits } from './limits.ts'

const LONGEST_MS = 2_147_483_647
const refusal = expect.objectContaining({ code: 'invalid_argument' })

it('are the documented ones', () => {
  expect(resolveLimits()).toEqual({
    connections: 4096,
    askMs: 10_000,
    handshakeMs: 10_000,
    connectMs: 15_000,
    headerMs: 30_000,
    headerBytes: 65_536,
    bodyMs: 60_000,
    scannedBodyMs: 300_000,
    scannedBodyBytes: 67_108_864,
    bufferedBytes: 536_870_912,
    filterMs: 60_000,
    replyMs: 600_000,
    idleMs: 600_000,
    streams: 100,
  })
})

it.each(Object.keys(DEFAULT_LIMITS))('%s may be from 0 up to its most', (name) => {
  const most = name.endsWith('Ms') ? LONGEST_MS : Number.MAX_SAFE_INTEGER
  for (const value of [0, 1, most])
    expect(resolveLimits({ [name]: value })).toEqual({ ...DEFAULT_LIMITS, [name]: value })
  for (const value of [-1, most + 1]) expect(() => resolveLimits({ [name]: value })).toThrow(refusal)
})
