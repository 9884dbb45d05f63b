import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBackendClient } from '@svc/backend-client'
import { createDeferred, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { listenBackend } from '../src/index.ts'
import { startWorld } from './world.ts'

it('lets running calls finish', async () => {
  const started = createDeferred()
  const release = createDeferred()
  await using world = await startWorld({
    handlers: {
      async *predictStream() {
        yield { message: Buffer.from('a') }
        started.resolve()
        await release.promise
        yield { message: Buffer.from('b') }
      },
    },
  })
  let text = ''
  const reading = (async () => {
    for await (const { message } of world.client.predictStream({})) text += message.toString()
  })()
  await started.promise
  const closing = world.backend.close({ graceMs: 60_000 })
  release.resolve()
  await Promise.all([reading, closing])
  expect(text).toBe('ab')
})

it('aborts slow calls, whose callers see an unavailable backend', async () => {
  const started = createDeferred()
  const finished = createDeferred<unknown>()
  await using world = await startWorld({
    handlers: {
      async predict(_request, { signal }) {
        started.resolve()
        await sleep(60_000, undefined, { signal }).finally(() => finished.resolve(signal.reason))
        return {}
      },
    },
  })
  const failed = expect(world.client.predict({})).rejects.toMatchObject({ kind: 'unavailable' })
  await started.promise
  await world.backend.close({ graceMs: 10 })
  expect(await finished.promise).toMatchObject({ code: 'backend_stopping' })
  await failed
})

it('closes despite a handler that ignores its signal', async () => {
  const started = createDeferred()
  await using world = await startWorld({
    handlers: {
      predict: () => {
        started.resolve()
        return new Promise<never>(() => {})
      },
    },
  })
  const failed = expect(world.client.predict({})).rejects.toMatchObject({ kind: 'unavailable' })
  await started.promise
  await world.backend.close({ graceMs: 0 })
  await failed
})

it('closes once, however often it is asked', async () => {
  await using world = await startWorld({})
  expect(world.backend.close()).toBe(world.backend.close())
})

it('removes its socket, and takes over one that a killed process left', async () => {
  await using folder = await tempDir()
  const path = folder.join('a.sock')
  const first = await listenBackend({ handlers: {}, address: `unix:${path}` })
  await first.close()
  expect(existsSync(path)).toBe(false)

  // A listener closed without removing its file leaves the state after a kill.
  const { execFileSync } = await import('node:child_process')
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  expect(() => execFileSync(process.execPath, ['-e', script], { stdio: 'pipe' })).toThrow()
  expect(existsSync(path)).toBe(true)
  await using second = await listenBackend({ handlers: {}, address: `unix:${path}` })
  await using client = createBackendClient({ address: second.address })
  await client.health()
})

it('leaves a socket that still answers, and a file that is not a socket', async () => {
  await using folder = await tempDir()
  const path = folder.join('a.sock')
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(path, resolve))
  await expect(listenBackend({ handlers: {}, address: `unix:${path}` })).rejects.toMatchObject({
    code: 'address_in_use',
  })
  expect(existsSync(path)).toBe(true)
  await new Promise((resolve) => other.close(resolve))
})
