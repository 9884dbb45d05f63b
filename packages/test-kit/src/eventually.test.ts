import { afterEach, expect, it, vi } from 'vitest'
import { eventually } from './eventually.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it('returns what the check returns once it passes', async () => {
  let looks = 0
  const value = await eventually(
    async () => {
      looks++
      expect(looks).toBe(3)
      return 'seen'
    },
    { intervalMs: 1 },
  )
  expect([value, looks]).toEqual(['seen', 3])
})

it('fails with the last error of the check', async () => {
  vi.stubEnv('SVC_TEST_SLOW', '0.0005')
  const check = () => {
    throw new Error('not yet')
  }
  await expect(eventually(check, { intervalMs: 1 })).rejects.toThrow('not yet')
})
