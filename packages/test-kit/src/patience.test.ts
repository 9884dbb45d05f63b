import { afterEach, expect, it, vi } from 'vitest'
import { patience, patienceMs } from './patience.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it('is never shorter than on a quiet machine', () => {
  vi.stubEnv('SVC_TEST_SLOW', undefined)
  expect(patienceMs(1000)).toBeGreaterThanOrEqual(1000)
  expect(patienceMs(1000)).toBeLessThanOrEqual(20_000)
})

it.each([
  ['3', 3000],
  ['0.5', 500],
  ['40', 40_000],
])('follows SVC_TEST_SLOW=%s', (given, expected) => {
  vi.stubEnv('SVC_TEST_SLOW', given)
  expect(patienceMs(1000)).toBe(expected)
})

it('falls back to the load where the variable holds no number', () => {
  vi.stubEnv('SVC_TEST_SLOW', 'very')
  expect(patienceMs(1000)).toBeGreaterThanOrEqual(1000)
})

it('ends a wait', async () => {
  vi.stubEnv('SVC_TEST_SLOW', '1')
  const signal = patience(1)
  await expect.poll(() => signal.aborted).toBe(true)
})
