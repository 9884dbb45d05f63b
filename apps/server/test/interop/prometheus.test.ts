import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { collectLines, eventually, listenOnFreePort, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type InterceptionWorld, OTHER, startInterception } from '../support/interception-world.ts'

const MONITORING = fileURLToPath(new URL('../../../../docs/monitoring/', import.meta.url))
const missing = ['prometheus', 'promtool'].find((name) => spawnSync(name, ['--version']).error !== undefined)
if (missing !== undefined) console.info(`not run: ${missing} is missing`)

const run = promisify(execFile)
const DASHBOARD = JSON.parse(readFileSync(`${MONITORING}dashboard.json`, 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[]
}
const QUERIES = DASHBOARD.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const))
/** Nothing is lost here, a share needs no failure, and refusals before the first scrape are not an increase. */
const MAY_BE_ZERO = /lost|svc_limit_refusals_total|svc_operations_open|svc_mitm_open|calls_running|lag/

interface Answer {
  readonly status: string
  readonly data: { readonly result: { readonly value: [number, string] }[] }
}

describe.skipIf(missing !== undefined)('Prometheus', () => {
  let world: InterceptionWorld
  let folder: Awaited<ReturnType<typeof tempDir>>
  let ended: () => Promise<void>
  let address: string

  beforeAll(async () => {
    world = await startInterception({
      flags: ['--enable-tracing', '--max-active-backends=2', '--max-concurrent-backend-requests=4'],
    })
    await writeModels(world)
    folder = await tempDir()
    const port = await takeFreePort()
    address = `http://127.0.0.1:${port}`
    await writeFile(folder.join('prometheus.yml'), toConfiguration(world.server.url))
    const prometheus = spawn('prometheus', [
      `--config.file=${folder.join('prometheus.yml')}`,
      `--storage.tsdb.path=${folder.join('data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ])
    const output = collectLines(prometheus.stderr)
    const exited = new Promise<void>((resolve) => prometheus.once('exit', () => resolve()))
    ended = async () => {
      prometheus.kill('SIGKILL')
      await exited
    }
    await eventually(async () => {
      const ready = await fetch(`${address}/-/ready`).catch(() => undefined)
      if (ready?.ok !== true) throw new Error(`Prometheus is not ready: ${output.lines.join('\n')}`)
    })
    // Two scrapes before the traffic: a rate begins with the second.
    await eventually(async () => expect(await ask('count_over_time(svc_models_loaded[1m])')).toEqual([2]))
    const { stdout } = await run(process.execPath, [
      `${MONITORING}demo-traffic.mjs`,
      ...['--url', world.server.url, '--seconds', '10', '--rounds', '4'],
      ...['--proxy', `127.0.0.1:${world.port}`, '--proxied-host', world.target(OTHER)],
    ])
    expect(stdout).toMatch(/200: \d+.*429: \d+/)
    const { text } = await world.server.call('/metrics')
    expect(text).toMatch(/^svc_limit_refusals_total\{.*\} [1-9]/m)
  })
  afterAll(async () => {
    await ended?.()
    await world?.[Symbol.asyncDispose]()
    await folder?.close()
  })

  async function ask(query: string): Promise<number[]> {
    const reply = await fetch(`${address}/api/v1/query?${new URLSearchParams({ query })}`)
    const { status, data } = (await reply.json()) as Answer
    expect([query, status]).toEqual([query, 'success'])
    return data.result.map(({ value }) => Number(value[1]))
  }

  it.each(QUERIES)('gives data for the panel "%s": %s', async (_, query) => {
    await eventually(async () => {
      const values = (await ask(query)).filter((value) => Number.isFinite(value))
      expect(values.length, query).toBeGreaterThan(0)
      if (!MAY_BE_ZERO.test(query)) expect(Math.max(...values), query).toBeGreaterThan(0)
    })
  })

  it('loads the rules, which record what they promise', async () => {
    await run('promtool', ['check', 'rules', `${MONITORING}rules.yaml`])
    await eventually(async () => {
      for (const name of ['svc:requests:failed_share5m', 'svc:time_to_first_token:p95_5m'])
        expect((await ask(name)).length, name).toBeGreaterThan(0)
    })
  })

  it('finds nothing to complain about in the text of the metrics', async () => {
    const { text } = await world.server.call('/metrics')
    const check = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    const complaints = check.stderr
      .split('\n')
      // Names that the specification and the library of Node's own figures give.
      .filter((line) => line !== '' && !/^(?:api_call|nodejs_|process_)/.test(line))
    expect(complaints).toEqual([])
    expect(check.error).toBeUndefined()
  })
})

/** A port that was free a moment ago: Prometheus does not say which one it has chosen. */
async function takeFreePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  server.close()
  await once(server, 'close')
  return port
}

function toConfiguration(url: string): string {
  return stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [`${MONITORING}rules.yaml`],
    scrape_configs: [{ job_name: 'svc', static_configs: [{ targets: [new URL(url).host] }] }],
  })
}

/** Models that answer, fail, cannot be loaded, are filtered, and are picked by a router. */
async function writeModels({ server, patterns }: InterceptionWorld): Promise<void> {
  const failure = { status: 'INTERNAL', message: 'broke' } as const
  await patterns('secrets', { MAIL: 'ada@site[.]example' })
  await server.model('m', {
    rules: [{ rpc: 'Predict*', do: { pieces: ['one ', 'two'], delayMs: 20, promptTokens: 5, completionTokens: 3 } }],
  })
  await server.model('failing', {
    rules: [{ rpc: 'Predict*', do: { pieces: ['a', 'b'], failure: { ...failure, afterPieces: 1 } } }],
  })
  await server.model('broken', { rules: [{ rpc: 'LoadModel', do: { failure } }] })
  await server.model('filtered', {}, { pii: { enabled: true, detectors: ['secrets'] } })
  await server.writeModelFile(
    'router.yaml',
    stringify({
      name: 'pick',
      known_usecases: ['chat'],
      router: {
        classifier: 'score',
        classifier_model: 'm',
        fallback: 'm',
        policies: [{ label: 'a', description: 'b' }],
        candidates: [{ model: 'm', labels: ['a'] }],
      },
    }),
  )
}
