import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createBackendClient } from '@svc/backend-client'
import { type MockScript, mockOptions, writeMockLauncher } from '@svc/backend-mock/script'
import { patience, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'

/** A mock in a process of its own. */
async function startProcess(script?: MockScript) {
  const folder = await tempDir("svc mock's ")
  const { path } = writeMockLauncher({ folder: folder.path, script })
  const socket = folder.join('s')
  const child = spawn(path, ['--addr', `unix:${socket}`], { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = once(child, 'close').then(([code, signal]: unknown[]) => code ?? signal)
  const client = createBackendClient({ address: `unix:${socket}` })
  return {
    client,
    exited,
    stderr: () => stderr,
    ready: () => client.waitUntilReady({ signal: patience(), exited }),
    async [Symbol.asyncDispose]() {
      client.close()
      child.kill('SIGKILL')
      await exited
      await folder.close()
    },
  }
}

it.each([
  [{ how: 'exit', code: 7, stderr: 'out of memory' }, 7],
  [{ how: 'abort' }, 'SIGABRT'],
  [{ how: 'kill' }, 'SIGKILL'],
] as const)('crashes by %j while it loads', async (crash, outcome) => {
  await using world = await startProcess()
  await world.ready()
  const Options = mockOptions({ rules: [{ rpc: 'LoadModel', do: { crash } }] })
  await expect(world.client.loadModel({ Options })).rejects.toMatchObject({ kind: 'unavailable' })
  expect(await world.exited).toBe(outcome)
  if ('stderr' in crash) expect(world.stderr()).toContain('out of memory')
})

it('crashes in the middle of a stream, after the pieces before', async () => {
  await using world = await startProcess()
  await world.ready()
  const crash = { how: 'kill', afterPieces: 2 } as const
  await world.client.loadModel({ Options: mockOptions({ rules: [{ do: { text: 'a b c d', crash } }] }) })
  const texts: string[] = []
  const read = async () => {
    for await (const { message } of world.client.predictStream({})) texts.push(message.toString())
  }
  await expect(read()).rejects.toMatchObject({ kind: 'unavailable' })
  expect(texts).toEqual(['a', ' b'])
  expect(await world.exited).toBe('SIGKILL')
})

it('follows a script from its start, before anything is loaded', async () => {
  const failure = { status: 'UNAVAILABLE', message: 'warming up' } as const
  await using world = await startProcess({ rules: [{ rpc: 'Health', call: 1, do: { failure } }] })
  await world.ready()
  await world.client.health()
})

it('may never become ready', async () => {
  await using world = await startProcess({ rules: [{ rpc: 'Health', do: { crash: { how: 'exit', code: 3 } } }] })
  await expect(world.ready()).rejects.toMatchObject({ kind: 'unavailable' })
  expect(await world.exited).toBe(3)
})
