import type { SvcError } from '@svc/errors'
import { createDeferred, createFakeClock, eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import type { BackendProcess, ExitReport } from '../backends/process.ts'
import type { ProcessStats } from '../monitoring/process-stats.ts'
import { createProgramWatch } from './program-watch.ts'

/** A program with a size that a test can change. */
function world() {
  const clock = createFakeClock()
  const state = { rssBytes: 10, kills: 0 }
  const exited = createDeferred<ExitReport>()
  // The watch uses nothing else.
  const sizes = { read: async () => ({ rssBytes: state.rssBytes }) } as unknown as ProcessStats
  const process = { pid: 1, exited: exited.promise, killNow: () => (state.kills += 1) } as unknown as BackendProcess
  const failures: SvcError[] = []
  const watch = createProgramWatch({ maxBytes: 100, sizes, clock })
  watch.watch(process, (failure) => failures.push(failure))
  return { clock, state, exited, failures, watch }
}

it('ends a program that takes too much memory', async () => {
  const { clock, state, failures } = world()
  await clock.advance(20_000)
  expect([state.kills, failures]).toEqual([0, []])
  state.rssBytes = 101
  await clock.advance(5000)
  await eventually(() => expect(failures).toMatchObject([{ code: 'mcp_memory' }]))
  expect(state.kills).toBe(1)
})

it('kills what runs, and nothing that has ended', async () => {
  const { state, exited, watch } = world()
  watch.killNow()
  expect(state.kills).toBe(1)
  exited.resolve({ code: 0, signal: null, lastLines: [] })
  await exited.promise
  watch.killNow()
  expect(state.kills).toBe(1)
})
