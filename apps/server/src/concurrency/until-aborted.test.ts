import { createDeferred } from '@svc/test-kit'
import { expect, it, onTestFinished } from 'vitest'
import { untilAborted } from './until-aborted.ts'

/** Collects rejections that nobody handles. */
function collectUnhandled(): unknown[] {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  return unhandled
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('gives the value or the failure of its promise', async () => {
  const { signal } = new AbortController()
  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
})

it.each([['before it waits'], ['while it waits']])('drops a later failure where the signal aborts %s', async (when) => {
  const unhandled = collectUnhandled()
  const controller = new AbortController()
  const work = createDeferred<never>()
  if (when === 'before it waits') controller.abort(new Error('left'))
  const waiting = untilAborted(work.promise, controller.signal)
  controller.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
  work.reject(new Error('broken'))
  await turn()
  await turn()
  expect(unhandled).toEqual([])
})
