/**
 * Measures start and model list of the built server over growing folders of models: half of them YAML files with GGUF
 * weights beside them, half only GGUF files. Prints wall and CPU time of each, and the ratio for twice as many models.
 *
 * node --conditions=@svc/source --import tsx src/many-models.ts [--kinds yaml,gguf] [--counts 250,500,1000]
 */
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort, type Measured, startMeasured } from './processes.ts'

const ENTRY = fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url))
const WEIGHTS = fileURLToPath(new URL('../../packages/demo-models/weights/demo.gguf', import.meta.url))
/** Number of list calls behind each median. */
const CALLS = 11

interface Row {
  readonly models: number
  readonly startMs: number
  readonly startCpuMs: number
  readonly firstListMs: number
  readonly listMs: number
  readonly listCpuMs: number
}

/** Files of a model in the folder. */
type Kind = 'yaml' | 'gguf'

function writeModels(folder: string, count: number, kinds: readonly Kind[]): void {
  mkdirSync(folder, { recursive: true })
  // links: the same bytes on disk, a file of its own for every reader
  copyFileSync(WEIGHTS, join(folder, '.weights'))
  for (let index = 0; index < count; index += 1) {
    const name = `model-${String(index).padStart(5, '0')}`
    const kind = kinds[index % kinds.length]
    if (kind === 'yaml') {
      const keys = `name: ${name}\nbackend: llama\nparameters:\n  model: ${name}.bin\n  temperature: 0.${index % 10}\n`
      writeFileSync(join(folder, `${name}.yaml`), `${keys}template:\n  chat: "{{.Input}}"\nstopwords: ["</s>"]\n`)
    } else linkSync(join(folder, '.weights'), join(folder, `${name}.gguf`))
  }
}

async function measure(count: number, kinds: readonly Kind[]): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  let server: Measured | undefined
  try {
    writeModels(join(folder, 'models'), count, kinds)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const flags = ['--models-path', join(folder, 'models'), '--data-path', join(folder, 'data'), '--config-dir', folder]
    const args = [ENTRY, 'run', '--address', `127.0.0.1:${port}`, ...flags, '--backends-path', join(folder, 'backends')]
    const begun = performance.now()
    server = await startMeasured({ args, url, ready: '/healthz', env: { SVC_DEMO_MODEL: 'false' } })
    const startMs = performance.now() - begun
    const startCpuMs = server.cpuSeconds() * 1000
    const list = async (): Promise<number> => {
      const from = performance.now()
      const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: unknown[] }
      if (data.length !== count) throw new Error(`${data.length} models are listed, not ${count}`)
      return performance.now() - from
    }
    const firstListMs = await list()
    const cpuBefore = server.cpuSeconds()
    const times: number[] = []
    for (let call = 0; call < CALLS; call += 1) times.push(await list())
    const listCpuMs = ((server.cpuSeconds() - cpuBefore) * 1000) / CALLS
    const listMs = times.sort((left, right) => left - right)[Math.floor(CALLS / 2)] ?? 0
    return { models: count, startMs, startCpuMs, firstListMs, listMs, listCpuMs }
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: { kinds: { type: 'string', default: 'yaml,gguf' }, counts: { type: 'string', default: '0,250,500,1000' } },
})
const kinds = values.kinds.split(',').filter((kind): kind is Kind => kind === 'yaml' || kind === 'gguf')
const rows: Row[] = []
for (const count of values.counts.split(',').map(Number)) rows.push(await measure(count, kinds))
const shown = rows.map((row) =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, Math.round(value * 10) / 10])),
)
console.table(shown)
