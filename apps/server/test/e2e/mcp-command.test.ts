import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BUILT_ENTRY, type BuiltServer, runBuilt, startBuiltServer, toEnvironment } from '../support/built-server.ts'

let server: BuiltServer
let port: string
beforeAll(async () => {
  server = await startBuiltServer({ flags: ['--api-keys=the-key'] })
  port = new URL(server.url).port
})
afterAll(() => server[Symbol.asyncDispose]())

it('gives the tools of a running server to a client on its standard input and output', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BUILT_ENTRY, 'mcp', `--address=127.0.0.1:${port}`],
    env: toEnvironment(server.folder, { env: { SVC_API_KEY: 'the-key' } }),
    stderr: 'pipe',
  })
  const faults: Error[] = []
  const client = new Client({ name: 'test', version: '1.0.0' })
  // Anything on standard output that is not a message is a fault.
  client.onerror = (error) => faults.push(error)
  await client.connect(transport)
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('edit_model_config')
  const result = await client.callTool({ name: 'get_system_status', arguments: {} })
  expect(JSON.stringify(result)).toContain('loaded_models')
  await client.close()
  expect(faults).toEqual([])
})

it('ends with its input, and says why it cannot begin', async () => {
  const run = (...flags: string[]) => runBuilt(server.folder, ['mcp', ...flags])
  const address = `--address=127.0.0.1:${port}`
  expect(await run(address, '--api-keys=the-key')).toMatchObject({ code: 0, stdout: '' })
  expect(await run(address)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--api-keys KEY') })
  expect(await run('--address=127.0.0.1:1')).toMatchObject({ code: 1, stdout: '' })
  expect(await run('now')).toMatchObject({ code: 2, stdout: '' })
})
