import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openEnginePool } from '../src/engines/child/engine-pool.ts'
import { type EngineProgram, startEngineProcess } from '../src/engines/child/engine-process.ts'
import { MAX_AHEAD } from '../src/engines/child/protocol.ts'

const { signal } = new AbortController()
const MB = 1024 * 1024
const program = (settings: unknown, limits: Partial<EngineProgram> = {}): EngineProgram => ({
  file: new URL('fake-process.mjs', import.meta.url),
  settings,
  memoryLimit: 1024 * MB,
  loadTimeoutMs: 60_000,
  ...limits,
})
const GOOD = { kind: 'echo', value: { name: 'fake' } }

/** Runs a call to its end. */
async function run(replies: AsyncGenerator<unknown, unknown>) {
  const pieces: unknown[] = []
  for (;;) {
    const { value, done } = await replies.next()
    if (done === true) return { pieces, result: value }
    pieces.push(value)
  }
}

describe('a load', () => {
  it('gives the facts of the program', async () => {
    const engine = await startEngineProcess(program(GOOD), { signal })
    expect(engine.facts).toEqual({ name: 'fake' })
    if (process.platform === 'linux') expect(engine.memoryBytes).toBeGreaterThan(MB)
    await engine.close()
    expect(engine.hasEnded).toBe(true)
  })

  it.each<[string, unknown, Partial<EngineProgram>, RegExp]>([
    ['fails', { kind: 'fail' }, {}, /^out of order$/],
    ['crashes', { kind: 'crash' }, {}, /^the engine ended with SIGKILL$/],
    ['never ends', { kind: 'spin' }, { loadTimeoutMs: 1500 }, /^the engine did not load it within 2 seconds$/],
  ])('that %s is the fault of the file', async (_name, settings, limits, message) => {
    await expect(startEngineProcess(program(settings, limits), { signal })).rejects.toMatchObject({
      kind: 'unprocessable',
      message: expect.stringMatching(message),
    })
  })

  it.skipIf(process.platform !== 'linux')('that takes all memory is the fault of the file', async () => {
    const growing = startEngineProcess(program({ kind: 'grow' }, { memoryLimit: 300 * MB }), { signal })
    await expect(growing).rejects.toMatchObject({
      kind: 'unprocessable',
      message: 'the engine needed more than 300 MB of memory (option memory_limit_mb)',
    })
  })

  it('that fails names no folder', async () => {
    const file = '/srv/my models/secret/voice.onnx'
    const message = `cannot read ${file} with /usr/lib/engine/engine.so`
    const failing = startEngineProcess(program({ kind: 'fail', file, message }), { signal })
    await expect(failing).rejects.toThrow(/^cannot read voice.onnx with engine.so$/)
  })

  it('ends with its caller', async () => {
    const leaving = new AbortController()
    const loading = startEngineProcess(program({ kind: 'hang' }), leaving)
    leaving.abort(new Error('gone'))
    await expect(loading).rejects.toThrow('gone')
  })
})

it.skipIf(process.platform !== 'linux')('a process that computes ends with its parent, however that ends', async () => {
  const parent = fork(new URL('busy-parent.mjs', import.meta.url), { execArgv: [] })
  const [pid] = (await once(parent, 'message')) as [number]
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await eventually(() => expect(existsSync(`/proc/${pid}/exe`)).toBe(false))
})

describe('a call', () => {
  it('sends few pieces ahead of its reader', async () => {
    const engine = await startEngineProcess(program(GOOD), { signal })
    const { pieces, result } = await run(engine.call({ kind: 'count', count: 50 }, { signal }))
    expect(pieces).toEqual(Array.from({ length: 50 }, (_, index) => index))
    expect(result).toBe(MAX_AHEAD)
    // bytes and samples arrive as they are
    const value = new Float32Array([1, -0.5])
    expect((await run(engine.call({ kind: 'echo', value }, { signal }))).result).toEqual(value)
    await engine.close()
  })

  it('tells a bad request from a failure, and both leave the process as it is', async () => {
    const engine = await startEngineProcess(program(GOOD), { signal })
    await expect(run(engine.call({ kind: 'refuse' }, { signal }))).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'no such voice',
    })
    await expect(run(engine.call({ kind: 'fail' }, { signal }))).rejects.toMatchObject({
      kind: 'internal',
      code: 'model_failed',
      message: 'the model failed: out of order',
    })
    expect(engine.hasEnded).toBe(false)
    await engine.close()
  })

  it('fails when the process crashes', async () => {
    const engine = await startEngineProcess(program(GOOD), { signal })
    await expect(run(engine.call({ kind: 'crash' }, { signal }))).rejects.toMatchObject({
      kind: 'internal',
      code: 'model_failed',
      message: 'the engine ended with SIGKILL',
    })
    expect(engine.hasEnded).toBe(true)
  })

  it('fails when the process sends without waiting', async () => {
    const engine = await startEngineProcess(program(GOOD), { signal })
    const replies = engine.call({ kind: 'flood' }, { signal })
    await replies.next()
    await expect.poll(() => engine.hasEnded).toBe(true)
    await expect(run(replies)).rejects.toThrow('the engine sends faster than it is read')
  })

  it('that is left early ends the process', async () => {
    const engine = await startEngineProcess(program(GOOD), { signal })
    for await (const piece of engine.call({ kind: 'count', count: 50 }, { signal })) {
      expect(piece).toBe(0)
      break
    }
    expect(engine.hasEnded).toBe(true)
  })
})

describe('a pool', () => {
  it.each([true, false])('serves on when a call is cancelled, with a spare process: %s', async (spare) => {
    const pool = await openEnginePool({ program: program(GOOD), parallel: 1, maxWaiting: 1, spare, signal })
    for (let round = 0; round < 3; round += 1) {
      const leaving = new AbortController()
      const session = await pool.begin(leaving)
      const spinning = expect(run(session.call({ kind: 'spin' }))).rejects.toThrow('gone')
      const waiting = pool.begin({ signal })
      await expect(pool.begin({ signal })).rejects.toMatchObject({ code: 'queue_full' })
      leaving.abort(new Error('gone'))
      await spinning
      const next = await waiting
      expect((await run(next.call({ kind: 'echo', value: round }))).result).toBe(round)
      next.end()
      expect(pool.busy).toBe(0)
    }
    await pool.close()
  })

  it('ends its calls when it closes, and refuses others', async () => {
    const pool = await openEnginePool({ program: program(GOOD), parallel: 2, maxWaiting: 1, spare: true, signal })
    const session = await pool.begin({ signal })
    const hanging = expect(run(session.call({ kind: 'hang' }))).rejects.toMatchObject({ code: 'model_unloading' })
    await pool.close()
    await hanging
    await expect(pool.begin({ signal })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(pool.memoryBytes).toBe(0)
  })
})
