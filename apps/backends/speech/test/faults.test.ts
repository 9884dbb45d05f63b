import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { StatusResponse_State } from '@svc/backend-client/proto'
import { eventually, tempDir, whisperBytes } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEngineProcess } from '../src/engines/child/engine-process.ts'
import { findProgramFile } from '../src/engines/child/program-file.ts'
import { makeWav } from './audio.ts'
import { startBackend, type TestBackend } from './backend.ts'

const ENGINES = fileURLToPath(new URL('../src/engines/', import.meta.url))
const good = whisperBytes()

it('an engine that is not installed is missed by name, where a model is loaded', async () => {
  await using dir = await tempDir()
  for (const [folder, file] of [
    ['whisper', 'whisper-process.mjs'],
    ['child', 'serve-engine.mjs'],
  ] as const) {
    await mkdir(dir.join(folder))
    await copyFile(`${ENGINES}${folder}/${file}`, dir.join(folder, file))
  }
  const child = fork(dir.join('whisper', 'whisper-process.mjs'), { execArgv: [], serialization: 'advanced' })
  child.send({ kind: 'load', settings: { file: 'none' } })
  const [reply] = (await once(child, 'message')) as [{ readonly message: string }]
  expect(reply).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/^@napi-rs\/whisper cannot be used here: /),
  })
  expect(reply.message).not.toContain(dir.path)
  child.disconnect()
  await once(child, 'exit')
})

it('an engine that crashes on a file says so, whatever the check of the file says', async () => {
  await using dir = await tempDir()
  const bytes = Buffer.from(good)
  // no heads: a division by zero
  bytes.writeInt32LE(0, 16)
  await writeFile(dir.join('bad.bin'), bytes)
  const program = {
    file: findProgramFile('whisper/whisper-process.mjs'),
    settings: { file: dir.join('bad.bin') },
    memoryLimit: 4 * 2 ** 30,
    loadTimeoutMs: 60_000,
  }
  const { signal } = new AbortController()
  await expect(startEngineProcess(program, { signal })).rejects.toMatchObject({
    kind: 'unprocessable',
    message: expect.stringMatching(/^the engine ended with SIG|^Init whisper context failed|failed/),
  })
})

describe.skipIf(!existsSync(`/proc/${process.pid}/task/${process.pid}/children`))('the backend', () => {
  let backend: TestBackend
  let long: string
  let short: string
  beforeAll(async () => {
    backend = await startBackend()
    const { dir } = backend
    await writeFile(dir.join('tiny.bin'), good)
    // Busy for seconds.
    await writeFile(dir.join('slow.bin'), whisperBytes({ state: 128, heads: 2, layers: 6 }))
    long = dir.join('long.wav')
    short = dir.join('short.wav')
    await writeFile(long, makeWav(120, [25, 50, 75, 100]))
    await writeFile(short, makeWav(1))
  })
  afterAll(() => backend[Symbol.asyncDispose]())

  const isBusy = () =>
    eventually(async () => {
      expect((await backend.client.status({})).state).toBe(StatusResponse_State.BUSY)
    })
  const isReady = () =>
    eventually(async () => {
      expect((await backend.client.status({})).state).toBe(StatusResponse_State.READY)
    })

  /** Processor time of a process, in hundredths of a second. */
  const readWork = (pid: number): number => {
    const [, times = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    return Number(times.split(' ')[11])
  }

  it('ends a cancelled call by ending its process, and goes on with the spare one', async () => {
    await backend.load('slow.bin')
    await eventually(() => expect(backend.findEngines()).toHaveLength(2))
    const before = backend.findEngines()
    const [engine = 0] = before
    const work = readWork(engine)
    const leaving = new AbortController()
    const cancelled = expect(
      backend.client.audioTranscription({ dst: long }, { signal: leaving.signal }),
    ).rejects.toThrow()
    // The engine computes, and has much more to do.
    await eventually(() => expect(readWork(engine)).toBeGreaterThan(work + 10))
    // A call that waits for the one place gets it.
    const waiting = backend.client.audioTranscription({ dst: short })
    leaving.abort()
    await cancelled
    expect((await waiting).duration).toBe(1)
    await isReady()
    await eventually(() => expect(backend.findEngines()).toHaveLength(2))
    const kept = backend.findEngines().filter((pid) => before.includes(pid))
    expect(kept).toEqual(before.slice(1))
  })

  it('fails the call whose process crashes, and serves the next one', async () => {
    await backend.load('slow.bin')
    await eventually(() => expect(backend.findEngines()).toHaveLength(2))
    const failed = expect(backend.client.audioTranscription({ dst: long })).rejects.toMatchObject({
      kind: 'internal',
      message: expect.stringContaining('the engine ended with SIGKILL'),
    })
    await isBusy()
    const killed = backend.findEngines()
    for (const pid of killed) process.kill(pid, 'SIGKILL')
    await failed
    // The spare one was killed as well: the backend knows it once it has buried it.
    await eventually(() => expect(backend.findEngines().filter((pid) => killed.includes(pid))).toEqual([]))
    expect((await backend.client.audioTranscription({ dst: short })).duration).toBe(1)
  })

  it('refuses a file that needs more memory than allowed', async () => {
    await expect(backend.load('slow.bin', { Options: ['memory_limit_mb:64'] })).rejects.toMatchObject({
      message: expect.stringContaining('the engine needed more than 64 MB of memory (option memory_limit_mb)'),
    })
    await eventually(() => expect(backend.findEngines()).toEqual([]))
  })

  it('refuses damaged files and unknown ones by name, without a process', async () => {
    const { dir } = backend
    await writeFile(dir.join('cut.bin'), good.subarray(0, 1_000_000))
    await writeFile(dir.join('text.bin'), 'no model')
    await mkdir(dir.join('folder'))
    for (const [file, message] of [
      ['cut.bin', 'cut.bin: the file ends in '],
      ['text.bin', 'text.bin: not a model of a known type'],
      ['folder', 'folder: not a model of a known type'],
      ['none.bin', 'none.bin: there is no such file'],
    ] as const) {
      await expect(backend.load(file)).rejects.toMatchObject({ message: expect.stringContaining(message) })
      expect(backend.findEngines()).toEqual([])
    }
    await expect(backend.load('tiny.bin', { Options: ['engine:nothing'] })).rejects.toMatchObject({
      message: expect.stringContaining('option engine must be one of whisper'),
    })
  })

  it('leaves no process behind', async () => {
    await backend.load('tiny.bin', { Options: ['parallel:2', 'colour:red'] })
    await eventually(() => expect(backend.findEngines()).toHaveLength(3))
    const engines = backend.findEngines()
    expect(backend.output()).toContain('not supported, ignored: colour')
    await backend.client.free({})
    expect(backend.findEngines()).toEqual([])
    await backend.load('tiny.bin')
    engines.push(...backend.findEngines())
    backend.child.kill('SIGKILL')
    await eventually(() => expect(engines.filter((pid) => existsSync(`/proc/${pid}/exe`))).toEqual([]))
  })
})
