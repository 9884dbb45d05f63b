// Measures a loop of three instant tools, which the server runs, over the same four calls of the model when a client sends
// them and runs the tools itself. The server is on processor 0, the upstream with the tools and the load on processor 1.
//   pnpm --filter @svc/bench tools [-- --rounds 5 --seconds 2]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median, openClient, requestBytes } from './load.ts'
import { freePort, type Measured, startMeasured } from './processes.ts'
import { CHAT_PATH, startServer } from './server.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '8' },
  },
})
const [rounds, seconds, connections] = [Number(values.rounds), Number(values.seconds), Number(values.connections)]

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'look',
      description: 'Looks at a place',
      parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
    },
  },
]
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"place":"here"}' } }
const turn = (id: number) => [
  { role: 'assistant', content: null, tool_calls: [{ ...call, id: `call_${id}` }] },
  { role: 'tool', tool_call_id: `call_${id}`, content: 'warm and dry' },
]
const question = { role: 'user', content: 'How is it here?' }

/** The bodies of a conversation, one for each call. */
const BY_CLIENT = [0, 1, 2, 3].map((count) =>
  JSON.stringify({
    model: 'm',
    tools: TOOLS,
    messages: [question, ...Array.from({ length: count }, (_, id) => turn(id)).flat()],
  }),
)
const BY_SERVER = [JSON.stringify({ model: 'm', messages: [question], metadata: { mcp_servers: 'bench' } })]

/** Processor time of the server for one conversation, in µs. */
async function measureCost(server: Measured, bodies: readonly string[]): Promise<number> {
  const requests = bodies.map((body) => requestBytes({ url: server.url, path: CHAT_PATH, body }))
  const { hostname, port } = new URL(server.url)
  const before = server.cpuSeconds()
  const end = performance.now() + seconds * 1000
  let conversations = 0
  const run = async (): Promise<void> => {
    const client = await openClient(hostname, Number(port))
    while (performance.now() < end) {
      for (const request of requests) await client.ask(request)
      conversations += 1
    }
    client.close()
  }
  await Promise.all(Array.from({ length: connections }, run))
  return ((server.cpuSeconds() - before) / conversations) * 1e6
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const upstreamPort = await freePort()
const upstream = await startMeasured({
  cpu: 1,
  args: [fileURLToPath(new URL('./tools-upstream.mjs', import.meta.url)), String(upstreamPort)],
  url: `http://127.0.0.1:${upstreamPort}`,
  ready: '/',
})
const server = await startServer({
  folder,
  cpu: 0,
  models: [
    {
      name: 'm',
      backend: 'cloud-proxy',
      known_usecases: ['chat'],
      pii: { enabled: false },
      proxy: {
        upstream_url: `${upstream.url}/v1/chat/completions`,
        mode: 'translate',
        provider: 'provider_a',
        translate: 'full',
      },
      mcp: { remote: JSON.stringify({ mcpServers: { bench: { url: `${upstream.url}/mcp` } } }) },
    },
  ],
})
const sides = { client: BY_CLIENT, server: BY_SERVER }
const figures: Record<keyof typeof sides, number[]> = { client: [], server: [] }
try {
  for (const side of ['client', 'server'] as const) await measureCost(server, sides[side])
  for (let round = 0; round < rounds; round += 1) {
    for (const side of ['client', 'server'] as const) figures[side].push(await measureCost(server, sides[side]))
  }
} finally {
  await server.stop()
  await upstream.stop()
  rmSync(folder, { recursive: true })
}
const [byClient, byServer] = [median(figures.client), median(figures.server)]
console.log(`four calls by a client  ${byClient.toFixed(0)} µs of processor time`)
console.log(`a loop of three tools   ${byServer.toFixed(0)} µs`)
console.log(`ratio                   ${(byServer / byClient).toFixed(2)}`)
