import { expect, it } from 'vitest'
import { BackendError } from './errors.ts'
import { waitUntilReady } from './ready.ts'

const unavailable = () => new BackendError('unavailable', 'not yet')

it('asks again until health is good', async () => {
  let calls = 0
  await waitUntilReady(
    async () => {
      calls += 1
      if (calls < 3) throw unavailable()
    },
    { signal: AbortSignal.timeout(10_000), intervalMs: 1 },
  )
  expect(calls).toBe(3)
})

it('gives each attempt its limit', async () => {
  const limits: unknown[] = []
  const health = async ({ timeoutMs }: { timeoutMs?: number | undefined }) => void limits.push(timeoutMs)
  await waitUntilReady(health, { signal: AbortSignal.timeout(10_000) })
  await waitUntilReady(health, { signal: AbortSignal.timeout(10_000), timeoutMs: 5 })
  expect(limits).toEqual([10_000, 5])
})

it('stops as soon as the process has ended, also while health is being asked', async () => {
  let exit = () => {}
  const exited = new Promise<void>((resolve) => {
    exit = resolve
  })
  const health = ({ signal }: { signal?: AbortSignal | undefined }) =>
    new Promise<void>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      exit()
    })
  await expect(waitUntilReady(health, { signal: AbortSignal.timeout(10_000), exited })).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'backend_exited',
  })
})

it('stops when waiting for the exit fails, as a process that cannot be started does', async () => {
  const exited = Promise.reject(new Error('spawn ENOENT'))
  const health = async () => {
    throw unavailable()
  }
  await expect(waitUntilReady(health, { signal: AbortSignal.timeout(10_000), exited })).rejects.toMatchObject({
    code: 'backend_exited',
  })
})

it('ends with the reason of the signal', async () => {
  const controller = new AbortController()
  const health = async () => {
    controller.abort()
    throw unavailable()
  }
  await expect(waitUntilReady(health, { signal: controller.signal })).rejects.toMatchObject({ kind: 'cancelled' })
  await expect(waitUntilReady(health, { signal: controller.signal })).rejects.toMatchObject({ kind: 'cancelled' })
})

it('does not ask again with a token that is wrong', async () => {
  let calls = 0
  const wrong = new BackendError('unauthenticated', 'no')
  const health = async () => {
    calls += 1
    throw wrong
  }
  await expect(waitUntilReady(health, { signal: AbortSignal.timeout(10_000) })).rejects.toBe(wrong)
  expect(calls).toBe(1)
})
