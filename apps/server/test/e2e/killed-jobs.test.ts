import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createDeferred, eventually, startHttpServer, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

interface Job {
  readonly status: string
  readonly result?: string
  readonly error?: string
  readonly traces: readonly { readonly type: string; readonly content: string; readonly tool_name?: string }[]
}

/** A server of tools outside of the killed one, which counts what really happened. */
async function startCounter(): Promise<{
  readonly url: string
  /** Calls by tool and job. */
  readonly counts: ReadonlyMap<string, number>
  [Symbol.asyncDispose](): Promise<void>
}> {
  const counts = new Map<string, number>()
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const ended = createDeferred<void>()
  const count = (tool: string, job: string): number => {
    const made = (counts.get(`${tool} ${job}`) ?? 0) + 1
    counts.set(`${tool} ${job}`, made)
    return made
  }
  function createServer(): McpServer {
    const server = new McpServer({ name: 'counter', version: '1.0.0' })
    const inputSchema = { job: z.string() }
    const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] })
    server.registerTool('pay', { inputSchema }, async ({ job }) => {
      count('pay', job)
      // The money is gone, but the answer does not come.
      if (job === 'inside') await ended.promise
      return answer('paid')
    })
    server.registerTool('look', { inputSchema, annotations: { readOnlyHint: true } }, async ({ job }) => {
      if (count('look', job) === 1) await ended.promise
      return answer('seen')
    })
    return server
  }
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const known = transports.get(String(request.headers['mcp-session-id']))
    if (known !== undefined) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    })
    await createServer().connect(transport)
    await transport.handleRequest(request, response)
  }
  const http = await startHttpServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  return {
    url: `${http.origin}/mcp`,
    counts,
    async [Symbol.asyncDispose]() {
      ended.resolve()
      await http[Symbol.asyncDispose]()
    },
  }
}

const hang = { hang: true } as const

/** Writes the models: each stops at another step until the server is killed, and goes on afterwards. */
async function writeModels(server: BuiltServer, url: string, isKilled: boolean): Promise<void> {
  const keys = { mcp: { remote: JSON.stringify({ mcpServers: { counter: { url } } }) } }
  const calls = (name: string, job: string) => ({ toolCalls: [{ name, arguments: { job } }] })
  const predict = { rpc: 'Predict*' } as const
  await server.model('asking', { rules: [{ ...predict, do: isKilled ? { text: 'Answered.' } : hang }] })
  await server.model('inside', { rules: [{ ...predict, do: calls('pay', 'inside') }] }, keys)
  const looked = { ...predict, contains: 'seen', do: { text: 'Looked.' } }
  await server.model('looking', { rules: [looked, { ...predict, do: calls('look', 'looking') }] }, keys)
  const paid = { ...predict, contains: 'paid', do: isKilled ? { text: 'Paid.' } : hang }
  await server.model('between', { rules: [paid, { ...predict, do: calls('pay', 'between') }] }, keys)
}

async function send(server: BuiltServer, path: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`${server.url}${path}`, init)).json()
}

const MODELS = ['asking', 'inside', 'looking', 'between'] as const

it('jobs whose server is killed go on, and no call happens twice unsaid', async () => {
  await using counter = await startCounter()
  const folder = await tempDir('svc-e2e-')
  const jobs = new Map<string, string>()
  {
    await using server = await startBuiltServer({ folder: folder.path, mock: {} })
    await writeModels(server, counter.url, false)
    for (const model of MODELS) {
      const { id } = (await send(server, '/api/agent/tasks', { name: model, model, prompt: 'Go' })) as { id: string }
      const started = (await send(server, '/api/agent/jobs/execute', { task_id: id })) as { job_id: string }
      jobs.set(model, started.job_id)
    }
    const asked = (model: string): number =>
      server.records(model).filter(({ event, rpc }) => event === 'start' && rpc.startsWith('Predict')).length
    await eventually(() => {
      expect([asked('asking'), asked('between')]).toEqual([1, 2])
      expect(Object.fromEntries(counter.counts)).toEqual({ 'pay inside': 1, 'look looking': 1, 'pay between': 1 })
    })
    await server.kill()
    await writeModels(server, counter.url, true)
  }
  {
    await using server = await startBuiltServer({ folder: folder.path, mock: {} })
    const read = async (model: string) => (await send(server, `/api/agent/jobs/${jobs.get(model)}`)) as Job
    const ended = await eventually(async () => {
      const found = await Promise.all(MODELS.map(read))
      for (const { status } of found) expect(['completed', 'failed']).toContain(status)
      return found
    })
    expect(ended.map(({ status, result, error }) => [status, result ?? error])).toEqual([
      ['completed', 'Answered.'],
      [
        'failed',
        'the server ended while the tool "pay" of the server "counter" was running: the call may have happened, and was not repeated',
      ],
      ['completed', 'Looked.'],
      ['completed', 'Paid.'],
    ])
    expect(Object.fromEntries(counter.counts)).toEqual({ 'pay inside': 1, 'look looking': 2, 'pay between': 1 })
    expect(ended[3]?.traces.map(({ type, tool_name: tool }) => [type, tool])).toEqual([
      ['status', undefined],
      ['tool_call', 'pay'],
      ['tool_result', 'pay'],
      ['status', undefined],
    ])
  }
  await folder.close()
})
