import { PassThrough } from 'node:stream'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runBridge } from '../../src/cli/mcp/bridge.ts'
import { INITIALIZE } from '../support/mcp-client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const KEY = { authorization: 'Bearer the-key' }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ flags: ['--api-keys=the-key'] })
})
afterAll(() => server.close())

interface Message {
  readonly id?: unknown
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

function openBridge(headers: Record<string, string> = KEY) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const ending = new AbortController()
  const problems: string[] = []
  const lines: Message[] = []
  let rest = ''
  output.on('data', (piece: Buffer) => {
    const parts = (rest + piece.toString()).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.map((line) => JSON.parse(line) as Message))
  })
  const ended = runBridge({
    input,
    output,
    url: new URL('mcp', server.url),
    headers,
    signal: ending.signal,
    onProblem: (text) => problems.push(text),
  })
  return {
    input,
    ending,
    ended,
    problems,
    send: (message: unknown) => input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    answer: (id: unknown) =>
      eventually(() => {
        const found = lines.find((line) => line.id === id)
        if (found === undefined) throw new Error(`no answer to ${id}: ${JSON.stringify(lines)}`)
        return found
      }),
  }
}

const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' })
const setAssistant = (isOn: boolean) => server.post('/api/settings', { localai_assistant_enabled: isOn }, KEY)

it('passes messages on and back until the input ends', async () => {
  const bridge = openBridge()
  bridge.send(INITIALIZE)
  expect((await bridge.answer(1)).result).toMatchObject({ serverInfo: { name: 'svc' } })
  bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  bridge.send(list(2))
  expect(JSON.stringify((await bridge.answer(2)).result)).toContain('get_system_status')
  bridge.send('this is not JSON')
  const call = { name: 'get_version', arguments: {} }
  bridge.send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: call })
  bridge.input.end()
  await bridge.ended
  expect((await bridge.answer(3)).result).toMatchObject({ isError: false })
  expect(bridge.problems).toEqual([expect.stringContaining('JSON')])
})

it('opens a session again that the server does not know any more', async () => {
  const bridge = openBridge()
  bridge.send(INITIALIZE)
  await bridge.answer(1)
  bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await setAssistant(false)
  bridge.send(list(2))
  expect((await bridge.answer(2)).error?.message).toContain('404')
  await setAssistant(true)
  for (const id of [3, 4]) bridge.send(list(id))
  for (const id of [3, 4]) expect((await bridge.answer(id)).result).toBeDefined()
  bridge.ending.abort()
  await bridge.ended
})

it('answers requests that the server refuses', async () => {
  const bridge = openBridge({ authorization: 'Bearer wrong' })
  bridge.send(INITIALIZE)
  expect((await bridge.answer(1)).error?.message).toContain('An authentication key is required')
  bridge.input.end()
  await bridge.ended
})
