// Measures the intercepting proxy against direct TLS, a bare relay of Node's own TLS modules that scans nothing, and
// mockttp, in one run: rounds in turn, each proxy alone on processor 0, load and host on processor 1.
// Run `node scripts/bootstrap.mjs build --all` first: the proxy runs as it was built.
//   pnpm --filter @svc/bench mitm [--seconds 2 --rounds 5]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createCaFolder, openAuthority } from '@svc/mitm'
import { median } from './load.ts'
import { type Load, openKept, openTunnel, type Protocol, runEvents, runNew, type Way } from './mitm-load.ts'
import { freePort, type Measured, startMeasured } from './processes.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    tunnels: { type: 'string', default: '1000' },
  },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
const connections = Number(values.connections)
const tunnels = Number(values.tunnels)
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const at = (name: string): string => join(folder, name)
const OURS = fileURLToPath(new URL('./mitm-ours.mjs', import.meta.url))
const BARE = fileURLToPath(new URL('./mitm-bare.mjs', import.meta.url))
const MOCKTTP = fileURLToPath(new URL('./mitm-mockttp.mjs', import.meta.url))
const HOST = fileURLToPath(new URL('./mitm-upstream.mjs', import.meta.url))
const CHAT = '/v1/chat/completions'
const BODY = JSON.stringify({
  model: 'm',
  messages: [
    { role: 'system', content: 'You answer briefly and in plain words.' },
    { role: 'user', content: 'Please explain in a few sentences how a bridge carries its load. '.repeat(8) },
  ],
})

interface Peer {
  readonly name: string
  /** To the host that speaks the protocol. */
  way(protocol: Protocol): Way
  readonly processes: readonly Measured[]
}

async function startPeers(): Promise<Peer[]> {
  const hostAuthority = await openAuthority({ store: createCaFolder(at('host-ca')) })
  const leaf = hostAuthority.issueLeaf('127.0.0.1')
  writeFileSync(at('leaf.crt'), leaf.certificate)
  writeFileSync(at('leaf.key'), leaf.key)
  const [http1Port, http2Port] = [await freePort(), await freePort()]
  // It speaks TLS with a certificate that fetch does not trust: an open tunnel means that it is ready.
  const files = [at('leaf.crt'), at('leaf.key')]
  const [oursPort, oursReady, barePort, mockPort, mockReady] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const ready = (port: number) => ({ url: `http://127.0.0.1:${port}`, ready: '/' })
  const hosts = []
  for (const [protocol, port] of [
    ['http/1.1', http1Port],
    ['h2', http2Port],
  ] as const) {
    const args = [HOST, protocol, String(port), ...files]
    hosts.push(await startMeasured({ cpu: 1, args, url: `https://127.0.0.1:${port}`, ready: '/' }))
  }
  const host = { 'http/1.1': http1Port, h2: http2Port }
  const trusted = at('host-ca/ca.crt')
  const ours = await startMeasured({
    cpu: 0,
    args: [OURS, String(oursPort), String(oursReady), at('ca'), trusted],
    ...ready(oursReady),
  })
  const bare = await startMeasured({
    cpu: 0,
    args: [BARE, String(barePort), ...files],
    ...ready(barePort),
  })
  const mock = await startMeasured({
    cpu: 0,
    args: [MOCKTTP, String(mockPort), String(mockReady)],
    ...ready(mockReady),
  })
  const peer = (name: string, proxyPort: number | undefined, ...processes: readonly Measured[]): Peer => ({
    name,
    way: (protocol) => ({ proxyPort, hostPort: host[protocol] }),
    processes,
  })
  return [
    peer('svc', oursPort, ours),
    peer('bare relay', barePort, bare),
    peer('mockttp', mockPort, mock),
    peer('direct', undefined, ...hosts),
  ]
}

interface Figures {
  readonly perSecond: number[]
  readonly cpuUs: number[]
}

/** A load that is ready to begin. */
interface Prepared {
  measure(): Promise<Load>
  close(): void
}

/** Runs a load through every peer in turn, several rounds. */
async function compare(
  { title, protocol }: { readonly title: string; readonly protocol: Protocol },
  peers: readonly Peer[],
  prepare: (way: Way) => Promise<Prepared>,
): Promise<void> {
  const figures = new Map<string, Figures>(peers.map(({ name }) => [name, { perSecond: [], cpuUs: [] }]))
  const prepared = new Map<string, Prepared>()
  for (const { name, way } of peers) prepared.set(name, await prepare(way(protocol)))
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, processes } of peers) {
      const used = () => processes.reduce((sum, measured) => sum + measured.cpuSeconds(), 0)
      const before = used()
      const { requests, perSecond } = (await prepared.get(name)?.measure()) ?? { requests: 0, perSecond: 0 }
      const cpu = used() - before
      figures.get(name)?.perSecond.push(perSecond)
      figures.get(name)?.cpuUs.push((cpu / requests) * 1e6)
    }
  }
  for (const { close } of prepared.values()) close()
  console.log(`\n${title}\n\n| | a second | CPU µs each | CPU over bare relay |\n|---|---|---|---|`)
  const bare = figures.get('bare relay')
  for (const [name, { perSecond, cpuUs }] of figures) {
    const ratios = cpuUs.map((cpu, index) => cpu / (bare?.cpuUs[index] ?? Number.NaN))
    const cpu = name === 'direct' ? '' : median(cpuUs).toFixed(0)
    const over = name === 'direct' ? '' : spread(ratios)
    console.log(`| ${name} | ${median(perSecond).toFixed(0)} | ${cpu} | ${over} |`)
  }
  const [ours, mock] = [figures.get('svc'), figures.get('mockttp')]
  const over = ours?.perSecond.map((rate, index) => rate / (mock?.perSecond[index] ?? Number.NaN)) ?? []
  console.log(`\nsvc over mockttp, a second: ${spread(over)}`)
}

const spread = (ratios: readonly number[]): string =>
  `${median([...ratios]).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN

async function compareEvents(peers: readonly Peer[]): Promise<void> {
  const delays = new Map<string, number[]>(peers.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, way } of peers) delays.get(name)?.push(...(await runEvents(way('http/1.1'), 4)))
  }
  const sorted = new Map([...delays].map(([name, list]) => [name, list.sort((left, right) => left - right)]))
  const direct = sorted.get('direct') ?? []
  console.log(
    '\nevents, 4 streams of 200 with 5 ms between them: delay over direct, ms\n\n| | p50 | p99 |\n|---|---|---|',
  )
  for (const [name, list] of sorted) {
    if (name === 'direct') continue
    const added = (share: number) => (quantile(list, share) - quantile(direct, share)).toFixed(2)
    console.log(`| ${name} | ${added(0.5)} | ${added(0.99)} |`)
  }
}

function readResidentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

async function measureTunnels(): Promise<void> {
  const { createServer } = await import('node:net')
  const idle = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.2')
  await new Promise((resolve) => idle.once('listening', resolve))
  const address = idle.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const [proxyPort, readyPort] = [await freePort(), await freePort()]
  // A process of its own, so that nothing else is in its memory; another host, so that it is a tunnel.
  const fresh = await startMeasured({
    args: [OURS, String(proxyPort), String(readyPort), at('ca'), at('host-ca/ca.crt')],
    url: `http://127.0.0.1:${readyPort}`,
    ready: '/',
  })
  const open = async (count: number) => {
    const sockets = []
    for (let index = 0; index < count; index += 1) sockets.push(await openTunnel(proxyPort, `127.0.0.2:${port}`))
    return sockets
  }
  const warm = await open(20)
  const before = readResidentMb(fresh.pid)
  const sockets = await open(tunnels)
  const after = readResidentMb(fresh.pid)
  console.log(
    `\n${tunnels} idle tunnels: ${(after - before).toFixed(1)} MB of resident memory (${before.toFixed(0)} to ${after.toFixed(0)})`,
  )
  for (const socket of [...warm, ...sockets]) socket.destroy()
  await fresh.stop()
  idle.close()
}

const peers: Peer[] = []
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
try {
  peers.push(...(await startPeers()))
  const proxies = peers
  for (const protocol of ['http/1.1', 'h2'] as const satisfies readonly Protocol[]) {
    const kept = (path: string) => (way: Way) => openKept(way, { protocol, path, body: BODY, connections, seconds })
    const title = `${protocol} on both sides, ${connections} kept connections, ${BODY.length} bytes a request, ${rounds} rounds of ${seconds} s, medians`
    await compare({ title: `scanned, ${title}`, protocol }, proxies, kept(CHAT))
    await compare({ title: `not scanned, ${title}`, protocol }, proxies, kept('/v1/other'))
  }
  await compare({ title: 'new connections, each with one request', protocol: 'http/1.1' }, proxies, async (way) => ({
    measure: () => runNew(way, { path: CHAT, body: BODY, connections, seconds }),
    close() {},
  }))
  await compareEvents(proxies)
  await measureTunnels()
} finally {
  for (const { processes } of peers) for (const measured of processes) await measured.stop()
  rmSync(folder, { recursive: true, force: true })
}
