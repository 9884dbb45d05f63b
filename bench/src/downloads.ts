/**
 * Measures the installation of a model from nginx against `curl` piped into `sha256sum`, in turn; the first and later
 * lists of a gallery with 1,700 entries; the polling of 10 operations; and the longest pause of the event loop meanwhile.
 * Run `node scripts/bootstrap.mjs build --all` first: the server runs as it was built. It needs nginx, curl and bash.
 *
 * pnpm --filter @svc/bench downloads [--mib 1024 --rounds 5]
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './load.ts'
import { freePort, type Measured, startMeasured } from './processes.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { mib: { type: 'string', default: '1024' }, rounds: { type: 'string', default: '5' } },
})
const MIB = 1024 * 1024
const size = Number(values.mib) * MIB
const rounds = Number(values.rounds)
const ENTRIES = 1700
const POLLS = 200
const OPERATIONS = 10
const ENTRY = fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))

interface Cost {
  readonly wall: number
  readonly cpu: number
}

function writeWeights(path: string): string {
  const hash = createHash('sha256')
  for (let written = 0; written < size; written += MIB) {
    const piece = randomBytes(MIB)
    hash.update(piece)
    appendFileSync(path, piece)
  }
  return hash.digest('hex')
}

function toIndex(sha256: string, slowUrl: string): string {
  const config = 'overrides: {backend: mock, parameters: {model: w.bin}}'
  const filler = Array.from({ length: ENTRIES - 1 - OPERATIONS }, (_, index) =>
    [
      `- name: model-${index}`,
      `  description: "${`A description of model ${index}. `.repeat(20)}"`,
      '  tags: [llm, gguf, cpu]',
      `  files: [{filename: m-${index}.gguf, uri: "hf://owner/repo/m-${index}.gguf", sha256: "${'0'.repeat(64)}"}]`,
      `  ${config}`,
    ].join('\n'),
  )
  const slow = Array.from(
    { length: OPERATIONS },
    (_, index) =>
      `- name: slow-${index}\n  files: [{filename: s-${index}.bin, uri: "${slowUrl}/${index}"}]\n  ${config}`,
  )
  const weights = `{filename: w.bin, uri: "hf://owner/repo/w.bin", sha256: "${sha256}"}`
  return [...filler, ...slow, `- name: weights\n  files: [${weights}]\n  ${config}`, ''].join('\n')
}

async function startNginx(root: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const at = (name: string): string => join(folder, name)
  writeFileSync(
    at('nginx.conf'),
    `daemon off; master_process off; error_log ${at('error.log')}; pid ${at('pid')};
events {}
http {
  access_log off; root ${root}; sendfile on; default_type application/octet-stream;
  client_body_temp_path ${at('b')}; proxy_temp_path ${at('p')}; fastcgi_temp_path ${at('f')};
  uwsgi_temp_path ${at('u')}; scgi_temp_path ${at('s')};
  server { listen 127.0.0.1:${port}; }
}`,
  )
  const child = spawn('nginx', ['-c', at('nginx.conf'), '-p', folder, '-e', at('error.log')], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; !(await fetch(`${url}/index.yaml`).catch(() => undefined))?.ok; attempt += 1) {
    if (child.exitCode !== null || attempt > 250) throw new Error(`nginx does not answer: see ${at('error.log')}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    url,
    async stop() {
      child.kill()
      await exited
    },
  }
}

/** CPU seconds of a process, including its threads that have ended. */
function readWholeCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function measureCurl(url: string): Cost {
  const command = `TIMEFORMAT='%R %U %S'; time curl -s ${url} | sha256sum > /dev/null`
  const { stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })
  const [wall = 0, user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return { wall, cpu: user + system }
}

async function post(url: string, body: unknown = {}): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  return (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as Record<
    string,
    unknown
  >
}

async function waitForJob(server: Measured, uuid: unknown): Promise<void> {
  for (;;) {
    const job = (await (await fetch(`${server.url}/models/jobs/${uuid}`)).json()) as Record<string, unknown>
    if (job.error !== undefined) throw new Error(String(job.error))
    if (job.processed === true) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function measureInstall(server: Measured): Promise<Cost> {
  const [begun, cpu] = [performance.now(), readWholeCpu(server.pid)]
  await waitForJob(server, (await post(`${server.url}/models/apply`, { id: 'weights' })).uuid)
  const cost = { wall: (performance.now() - begun) / 1000, cpu: readWholeCpu(server.pid) - cpu }
  await waitForJob(server, (await post(`${server.url}/models/delete/weights`)).uuid)
  return cost
}

async function measureGet(url: string): Promise<number> {
  const begun = performance.now()
  await (await fetch(url)).arrayBuffer()
  return performance.now() - begun
}

const format = (numbers: readonly number[], digits: number): string =>
  `${median(numbers).toFixed(digits)} (${Math.min(...numbers).toFixed(digits)} to ${Math.max(...numbers).toFixed(digits)})`

async function main(): Promise<void> {
  const root = join(folder, 'files')
  mkdirSync(join(root, 'owner/repo/resolve/main'), { recursive: true })
  const sha256 = writeWeights(join(root, 'owner/repo/resolve/main/w.bin'))
  // Begins a reply and never ends it, so that its operations run on.
  const slow = createServer((request, response) => {
    response.writeHead(200, { 'content-length': 1e9 })
    if (request.method === 'HEAD') response.end()
    else response.write('x')
  })
  const slowPort = await freePort()
  slow.listen(slowPort, '127.0.0.1')
  writeFileSync(join(root, 'index.yaml'), toIndex(sha256, `http://127.0.0.1:${slowPort}`))
  const nginx = await startNginx(root)
  const port = await freePort()
  const paths = ['models', 'data', 'backends', 'configuration'].map((name) => join(folder, 'server', name))
  const [models = '', data = '', backends = '', configuration = ''] = paths
  const loopPort = await freePort()
  /** The longest pause of the server's event loop since the last look. */
  const readPause = async (): Promise<number> => {
    const { maxMs } = (await (await fetch(`http://127.0.0.1:${loopPort}/`)).json()) as { maxMs: number }
    return maxMs
  }
  const server = await startMeasured({
    args: [
      ...['--import', fileURLToPath(new URL('./event-loop-delay.mjs', import.meta.url))],
      ...[ENTRY, 'run', '--address', `127.0.0.1:${port}`, '--models-path', models, '--data-path', data],
      ...['--backends-path', backends, '--config-dir', configuration, '--content-url-allow', '127.0.0.1'],
      ...['--autoload-galleries=false', '--galleries', JSON.stringify([{ name: 'g', url: `${nginx.url}/index.yaml` }])],
    ],
    url: `http://127.0.0.1:${port}`,
    ready: '/healthz',
    env: { HF_ENDPOINT: nginx.url, SVC_DEMO_MODEL: 'false', EVENT_LOOP_PORT: String(loopPort) },
  })
  try {
    await readPause()
    const first = await measureGet(`${server.url}/models/available`)
    const indexPause = await readPause()
    const later: number[] = []
    for (let call = 0; call < 21; call += 1) later.push(await measureGet(`${server.url}/models/available`))
    const page: number[] = []
    for (let call = 0; call < 21; call += 1) page.push(await measureGet(`${server.url}/api/models?page=3`))
    const listPause = await readPause()
    const [curl, install]: [Cost[], Cost[]] = [[], []]
    const installPauses: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      curl.push(measureCurl(`${nginx.url}/owner/repo/resolve/main/w.bin`))
      await readPause()
      install.push(await measureInstall(server))
      installPauses.push(await readPause())
    }
    // The second installation only hashes the present files.
    await waitForJob(server, (await post(`${server.url}/models/apply`, { id: 'weights' })).uuid)
    await readPause()
    await waitForJob(server, (await post(`${server.url}/models/apply`, { id: 'weights' })).uuid)
    const hashPause = await readPause()
    for (let index = 0; index < OPERATIONS; index += 1) {
      await post(`${server.url}/models/apply`, { id: `slow-${index}` })
    }
    const polls: number[] = []
    for (let call = 0; call < POLLS; call += 1) polls.push(await measureGet(`${server.url}/api/operations`))
    const gib = size / 1024 ** 3
    const perGib = (costs: readonly Cost[], key: keyof Cost): number[] => costs.map((cost) => cost[key] / gib)
    const ratio = (key: keyof Cost): string => {
      const pairs = install.map((cost, index) => cost[key] / (curl[index]?.[key] ?? Number.NaN))
      return format(pairs, 2)
    }
    process.stdout.write(`seconds a GiB, ${rounds} pairs of ${values.mib} MiB: median (least to most)
curl | sha256sum   wall ${format(perGib(curl, 'wall'), 2)}   CPU ${format(perGib(curl, 'cpu'), 2)}
installation       wall ${format(perGib(install, 'wall'), 2)}   CPU ${format(perGib(install, 'cpu'), 2)}
ratio of a pair    wall ${ratio('wall')}   CPU ${ratio('cpu')}
milliseconds: first list of ${ENTRIES} entries ${first.toFixed(0)}, later ${format(later, 1)}, a page ${format(page, 1)}
polling of ${OPERATIONS} operations ${format(polls, 2)}
longest pause of the event loop, ms: index read ${indexPause.toFixed(0)}, lists ${listPause.toFixed(0)}, installations ${format(installPauses, 0)}, hash of a file ${hashPause.toFixed(0)}
`)
  } finally {
    await server.stop()
    await nginx.stop()
    slow.closeAllConnections()
    slow.close()
  }
}

try {
  await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
