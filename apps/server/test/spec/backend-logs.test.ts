import { writeFile } from 'node:fs/promises'
import { eventually, type TempDir, tempDir } from '@svc/test-kit'
import { backendLogLines, backendLogMessage, backendLogNames } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type * as z from 'zod'
import { startTestServer, type TestServer } from '../support/server.ts'

type Message = z.infer<typeof backendLogMessage>

async function readLines(server: TestServer, model: string): Promise<string[]> {
  const reply = await server.call(`/api/backend-logs/${model}`)
  expect(reply.status, reply.text).toBe(200)
  return backendLogLines.parse(reply.json()).map(({ text }) => text)
}

const readNames = async (server: TestServer): Promise<string[]> =>
  backendLogNames.parse((await server.call('/api/backend-logs')).json())

interface Follower extends AsyncDisposable {
  readonly heard: Message[]
  readonly closed: Promise<number>
}

async function follow(server: TestServer, model: string): Promise<Follower> {
  const ws = new WebSocket(new URL(`/ws/backend-logs/${model}`, server.url.replace('http', 'ws')))
  const heard: Message[] = []
  ws.on('message', (data) => heard.push(backendLogMessage.parse(JSON.parse(String(data)))))
  const closed = new Promise<number>((resolve) => {
    ws.once('close', (code) => resolve(code))
  })
  await new Promise((resolve, reject) => {
    ws.once('open', resolve)
    ws.once('error', reject)
  })
  return {
    heard,
    closed,
    async [Symbol.asyncDispose]() {
      ws.terminate()
      await closed
    },
  }
}

/** The lines of a follower, those of the beginning included. */
const listLines = ({ heard }: Follower): string[] =>
  heard.flatMap((message) => {
    if (message.type === 'initial') return message.lines.map(({ text }) => text)
    return message.type === 'line' ? [message.line.text] : []
  })

/** A server with a backend `loud` that writes a text to its standard error before it begins. */
async function startLoud(dir: TempDir, text: string): Promise<TestServer> {
  const [script, said] = [dir.join('loud.sh'), dir.join('said')]
  await writeFile(said, text)
  await writeFile(script, `#!/bin/sh\ncat '${said}' >&2\nexec '${dir.join('mock.sh')}' "$@"\n`, { mode: 0o755 })
  const server = await startTestServer({
    folder: dir.path,
    configFiles: { 'external_backends.json': JSON.stringify({ loud: script }) },
  })
  await server.model('m', {}, { backend: 'loud' })
  return server
}

describe('the output of backends', () => {
  // verifies backend-logs:read:route, backend-logs:clear:route
  it('is listed by model, names with slashes too, and cleared', async () => {
    await using dir = await tempDir()
    await using server = await startLoud(dir, 'first line\n')
    await server.writeModelFile(
      'nested.yaml',
      'name: org/model\nbackend: mock\nknown_usecases: [chat]\nparameters: {model: x.bin}\n',
    )
    expect(await readNames(server)).toEqual([])
    await server.chat('m')
    await server.chat('org/model')
    expect(await readNames(server)).toEqual(['m', 'org/model'])
    await eventually(async () => expect(await readLines(server, 'm')).toContain('first line'))
    for (const name of ['org/model', 'org%2Fmodel'])
      expect((await readLines(server, name)).join()).toContain('listening on')
    expect(await readLines(server, 'unknown')).toEqual([])
    expect((await server.call('/api/backend-logs/%ff')).status).toBe(400)
    const post = (path: string) => server.call(`/api/backend-logs/${path}`, { method: 'POST' })
    expect((await post('org/model')).status).toBe(404)
    expect((await post('clear')).status).toBe(404)
    expect((await post('org/model/clear')).status).toBe(204)
    expect(await readLines(server, 'org/model')).toEqual([])
    expect(await readNames(server)).toEqual(['m'])
  })

  it('is followed over a socket, from before the model is first used', async () => {
    await using dir = await tempDir()
    await using server = await startLoud(dir, '\u001b[31mred\u202e\r\nand more\n')
    await using early = await follow(server, 'm')
    await eventually(() => expect(early.heard).toEqual([{ type: 'initial', lines: [] }]))
    await server.chat('m')
    await eventually(() => expect(listLines(early)).toContain('\\x1b[31mred\\u202e'))
    await using late = await follow(server, 'm')
    await eventually(() => expect(listLines(late)).toEqual(listLines(early)))
    expect(late.heard).toHaveLength(1)
    const plain = await server.call('/ws/backend-logs/m')
    expect([plain.status, plain.headers.upgrade]).toEqual([426, 'websocket'])
    await server.server.close()
    expect([await early.closed, await late.closed]).toEqual([1001, 1001])
  })

  it('of a flood holds up neither the backend nor a follower, and its newest line arrives', async () => {
    await using dir = await tempDir()
    const flood = Array.from({ length: 200_000 }, (_, index) => `line ${index} of many`).join('\n')
    await using server = await startLoud(dir, `${flood}\n`)
    await using follower = await follow(server, 'm')
    expect((await server.chat('m')).status).toBe(200)
    await eventually(() => expect(listLines(follower).some((line) => line === 'line 199999 of many')).toBe(true))
    const numbers = listLines(follower).flatMap((line) => /^line (\d+) of many$/.exec(line)?.[1] ?? [])
    expect(numbers.map(Number)).toEqual([...new Set(numbers.map(Number))].sort((one, other) => one - other))
    expect((await readLines(server, 'm')).length).toBeLessThanOrEqual(1000)
  })

  it('is not kept while the setting says so', async () => {
    await using server = await startTestServer()
    await server.model('m')
    await server.model('n')
    expect((await server.post('/api/settings', { enable_backend_logging: false })).status).toBe(200)
    await server.chat('m')
    expect(await readNames(server)).toEqual([])
    await server.post('/api/settings', { enable_backend_logging: true })
    await server.chat('n')
    expect(await readNames(server)).toEqual(['n'])
  })
})
