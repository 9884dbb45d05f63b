import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StatusResponse_State } from '@svc/backend-client/proto'
import { eventually, tempDir } from '@svc/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { writeSlowEmbedder } from './slow-model.ts'

it('an engine that is not installed is missed by name, where a model is loaded', async () => {
  await using dir = await tempDir()
  const program = dir.join('graph-process.mjs')
  await copyFile(fileURLToPath(new URL('../src/engine/graph-process.mjs', import.meta.url)), program)
  const child = fork(program, { execArgv: [], serialization: 'advanced' })
  child.send({ kind: 'load', source: { file: 'none', threads: 1 } })
  const [reply] = (await once(child, 'message')) as [{ readonly message: string }]
  expect(reply).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/^onnxruntime-node cannot be used here: /),
  })
  expect(reply.message).not.toContain(dir.path)
  child.disconnect()
  await once(child, 'exit')
})

let backend: TestBackend
beforeEach(async () => {
  backend = await startBackend()
  // Busy for a second or more, so that a busy machine sees it busy.
  await writeSlowEmbedder(join(backend.models, 'tiny'), 240)
})
afterEach(() => backend[Symbol.asyncDispose]())

/** Child processes of the backend. */
function findEngines({ child }: TestBackend): number[] {
  const list = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  return list.split(' ').filter(Boolean).map(Number)
}

describe.skipIf(!existsSync(`/proc/${process.pid}/task/${process.pid}/children`))('an engine that falls over', () => {
  it('fails the running call only; hosts are asked to load again', async () => {
    await backend.load()
    const embedding = backend.client.embedding({ Embeddings: 'hello '.repeat(120) })
    const failed = expect(embedding).rejects.toMatchObject({
      kind: 'internal',
      message: expect.stringContaining('the engine ended with SIGKILL'),
    })
    await eventually(async () => {
      expect((await backend.client.status({})).state).toBe(StatusResponse_State.BUSY)
    })
    for (const pid of findEngines(backend)) process.kill(pid, 'SIGKILL')
    await failed
    expect((await backend.client.status({})).state).toBe(StatusResponse_State.UNINITIALIZED)
    await expect(backend.client.embedding({ Embeddings: 'a' })).rejects.toMatchObject({ code: 'model_not_loaded' })
    await backend.load()
    expect((await backend.client.embedding({ Embeddings: 'a' })).dim).toBe(32)
    expect(findEngines(backend)).toHaveLength(1)
  })

  it('is not left behind by the process that started it', async () => {
    await backend.load({ Options: ['parallel:2'] })
    const engines = findEngines(backend)
    expect(engines).toHaveLength(2)
    backend.child.kill('SIGKILL')
    await eventually(() => expect(engines.filter((pid) => existsSync(`/proc/${pid}/exe`))).toEqual([]))
  })

  it('is gone when the model is freed', async () => {
    await backend.load()
    await backend.client.free({})
    expect(findEngines(backend)).toEqual([])
  })
})
