import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { eventually, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { type BuiltServer, CAN_SEE_PROCESSES, listProcesses, startBuiltServer } from '../support/built-server.ts'
import { openChat, postChat, readAnswer } from './open-chat.ts'

/** A script that never ends its streams and answers everything else at once. */
const ENDLESS = { rules: [{ rpc: 'PredictStream', do: { pieces: ['tick '], repeat: 1_000_000, pieceDelayMs: 20 } }] }

const SHUTTING_DOWN = {
  error: { message: 'the server is shutting down', type: 'server_error', code: 'server_error', param: null },
}

/** Resolves when all backends of a folder have ended by themselves. Tests with a fake clock check the time of a stop. */
const noneLeft = (folder: string): Promise<void> =>
  eventually(() => expect(listProcesses(folder)).toEqual([]), { intervalMs: 20 })

describe.runIf(CAN_SEE_PROCESSES)('REL-11: a signal', () => {
  it.each([
    ['SIGTERM', 'llama'],
    ['SIGINT', 'mock'],
  ] as const)('%s ends the server with code 0 and its %s backend with it', async (signal, backend) => {
    await using server = await startBuiltServer({ mock: {} })
    if (backend === 'mock') await server.model('m')
    await readAnswer(await postChat(server.url, backend === 'mock' ? 'm' : 'demo', { max_tokens: 1 }))
    expect(server.backends()).toHaveLength(1)
    server.signal(signal)
    expect(await server.exited).toEqual({ code: 0, signal: null })
    expect(listProcesses(server.folder)).toEqual([])
    expect(server.log().map((entry) => entry.msg)).toContain('stopping')
    expect(server.log().filter((entry) => entry.level === 'error')).toEqual([])
    await expect(stat(join(server.folder, 'data', 'svc.lock'))).rejects.toThrow('ENOENT')
  })

  verifies(
    'limits:shutdown:five-seconds',
    'lets running streams go on for a while, then ends them in their own format and stops a backend that does not listen',
    async () => {
      await using dir = await tempDir('svc-e2e-')
      await writeFile(
        dir.join('stubborn.sh'),
        `#!/bin/sh\ntrap '' TERM\n'${dir.join('mock.sh')}' "$@"\nwhile :; do sleep 60; done\n`,
      )
      await chmod(dir.join('stubborn.sh'), 0o755)
      await using server = await startBuiltServer({
        folder: dir.path,
        flags: ['--external-grpc-backends', `mock:${dir.join('mock.sh')},stubborn:${dir.join('stubborn.sh')}`],
        mock: {},
      })
      await server.model('m', {
        rules: [
          { rpc: 'PredictStream', contains: 'soon', do: { pieces: ['tock '], repeat: 40, pieceDelayMs: 20 } },
          ...ENDLESS.rules,
        ],
      })
      await server.model('stubborn', {}, { backend: 'stubborn' })
      await readAnswer(await postChat(server.url, 'stubborn'))
      const endless = openChat(server.url, 'm')
      await endless.hasText(1)
      const short = openChat(server.url, 'm', { messages: [{ role: 'user', content: 'soon' }] })
      await short.hasText(1)

      server.signal('SIGTERM')
      await server.logged('stopping')
      await expect(fetch(`${server.url}/readyz`)).rejects.toThrow()
      const heard = endless.events.length
      expect(await short.ended).toBe('whole')
      expect(short.text()).toBe('tock '.repeat(40))
      expect(short.events.at(-1)).toBe('[DONE]')
      expect(endless.events.length).toBeGreaterThan(heard)
      expect(await endless.ended).toBe('whole')
      expect(endless.events.slice(-2)).toEqual([SHUTTING_DOWN, '[DONE]'])
      expect(await server.exited).toEqual({ code: 0, signal: null })
      expect(listProcesses(server.folder)).toEqual([])
      expect(server.records('m').filter((record) => record.event === 'cancel')).toHaveLength(1)
    },
  )

  it('that comes a second time ends everything at once', async () => {
    await using server = await startBuiltServer({ mock: {} })
    await server.model('m', ENDLESS)
    const chat = openChat(server.url, 'm')
    await chat.hasText(1)
    server.signal('SIGTERM')
    await server.logged('stopping')
    server.signal('SIGINT')
    expect(await server.exited).toEqual({ code: 130, signal: null })
    expect(await chat.ended).toBe('cut')
    expect(chat.events).not.toContainEqual(SHUTTING_DOWN)
    await noneLeft(server.folder)
  })
})

/** Brings a server to a moment of its life. */
const MOMENTS: readonly [name: string, bring: (server: BuiltServer) => Promise<unknown>][] = [
  ['it has just started', async () => undefined],
  [
    'a backend is starting',
    async (server) => {
      openChat(server.url, 'm')
      await eventually(() => expect(server.backends()).not.toEqual([]))
    },
  ],
  [
    'a model is loading',
    async (server) => {
      openChat(server.url, 'slow')
      await eventually(() => expect(server.records('slow')).toMatchObject([{ rpc: 'LoadModel' }]))
    },
  ],
  ['a stream is running', (server) => openChat(server.url, 'm').hasText(3)],
  ['the engine generates', (server) => openChat(server.url, 'demo', { ignore_eos: true }).hasText(1)],
  ['its model is idle', async (server) => readAnswer(await postChat(server.url, 'm'))],
]

describe.runIf(CAN_SEE_PROCESSES)('PROC-4, REL-9: kill -9 of the server', () => {
  const start = async (folder: string): Promise<BuiltServer> => {
    const server = await startBuiltServer({ folder, mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
    await server.model('m', ENDLESS)
    await server.model('slow', { rules: [{ rpc: 'LoadModel', do: { hang: true } }] })
    return server
  }

  it.concurrent.each(MOMENTS)('while %s leaves no backend, and the next start needs no help', async (_, bring) => {
    await using dir = await tempDir('svc-e2e-')
    await using server = await start(dir.path)
    await bring(server)
    expect(await server.kill()).toEqual({ code: null, signal: 'SIGKILL' })
    await noneLeft(dir.path)
    await using next = await start(dir.path)
    expect(await readAnswer(await postChat(next.url, 'm'))).not.toBe('')
    expect(next.output()).not.toMatch(/"level":"error"|ending backend/)
  })

  it('at any moment, repeatedly, never keeps the next server from starting', async () => {
    await using dir = await tempDir('svc-e2e-')
    for (let round = 0; round < 5; round += 1) {
      const server = await start(dir.path)
      const chat = openChat(server.url, 'm')
      const looks = Math.floor(Math.random() * 150)
      // a look at the process table takes some milliseconds, so the kill falls into start, load or stream
      for (let look = 0; look < looks && chat.events.length < 10; look += 1) {
        server.backends()
        await turn()
      }
      await server.kill()
    }
    await using last = await start(dir.path)
    expect(await readAnswer(await postChat(last.url, 'm'))).not.toBe('')
    await eventually(() => expect(last.backends()).toHaveLength(1))
    expect(await last.stop()).toEqual({ code: 0, signal: null })
    expect(listProcesses(dir.path)).toEqual([])
  })

  it("leaves a backend that ignores its parent's end to the next start, which ends it", async () => {
    await using dir = await tempDir('svc-e2e-')
    await writeFile(
      dir.join('deaf.sh'),
      `#!/bin/sh\n'${dir.join('mock.sh')}' "$@" &\nwait\nwhile :; do sleep 60; done\n`,
    )
    await chmod(dir.join('deaf.sh'), 0o755)
    const flags = ['--external-grpc-backends', `mock:${dir.join('deaf.sh')}`]
    await using server = await startBuiltServer({ folder: dir.path, mock: {}, flags })
    await server.model('m')
    await readAnswer(await postChat(server.url, 'm'))
    await eventually(async () =>
      expect(JSON.parse(await readFile(dir.join('data', 'backends.json'), 'utf8'))).toMatchObject({ backends: [{}] }),
    )
    const before = server.backends()
    await server.kill()
    expect(listProcesses(dir.path)).toEqual(before)
    await using next = await startBuiltServer({ folder: dir.path, mock: {}, flags })
    expect(next.log()).toContainEqual(expect.objectContaining({ msg: 'ending backend of a server that was killed' }))
    expect(next.backends()).toEqual([])
    expect(await readAnswer(await postChat(next.url, 'm'))).not.toBe('')
  })
})
