// Measures the cost of HTTP on top of a real engine, and the speed of the llama backend: tokens per second over the
// same engine in this process, a long prefix on first and second reading, eight chats at once over eight in turn.
//   pnpm --filter @svc/bench engine [-- --pairs 5 --tokens 192]
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ChatFigures, chat } from './engine-chat.ts'
import { type DirectEngine, type Generation, openDirectEngine } from './engine-direct.ts'
import { createText, writeEngineModel } from './engine-model.ts'
import { startEngineServer } from './engine-server.ts'
import { median } from './load.ts'
import { type Measured, readCpuSeconds } from './processes.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    pairs: { type: 'string', default: '5' },
    tokens: { type: 'string', default: '192' },
    prefix: { type: 'string', default: '2000' },
    parallel: { type: 'string', default: '8' },
  },
})
const pairs = Number(values.pairs)
const tokens = Number(values.tokens)
const prefix = Number(values.prefix)
const parallel = Number(values.parallel)
const CONTEXT = 4096
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
let seed = 1
/** A text that was not read before. */
const fresh = (words: number): string => createText(words, ++seed)

const rate = ({ tokens: made, ms }: Generation): number => (made / ms) * 1000
const tell = (text: string): boolean => process.stderr.write(`${text}\n`)
const load = (): string => loadavg()[0]?.toFixed(1) ?? ''

function spread(numbers: readonly number[], digits: number): string {
  return `${median(numbers).toFixed(digits)} (${Math.min(...numbers).toFixed(digits)} to ${Math.max(...numbers).toFixed(digits)})`
}

/** CPU seconds of the server and of its backend so far. */
async function cpuMeter(server: Measured): Promise<() => number> {
  const system = (await (await fetch(`${server.url}/system`)).json()) as {
    loaded_models: { process: { pid: number } }[]
  }
  const pids = system.loaded_models.map((model) => model.process.pid)
  return () => server.cpuSeconds() + pids.reduce((sum, pid) => sum + readCpuSeconds(pid), 0)
}

const ownCpu = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

async function compareRates(server: Measured, direct: DirectEngine): Promise<void> {
  const ours: ChatFigures[] = []
  const bare: Generation[] = []
  const oursCpu: number[] = []
  const bareCpu: number[] = []
  const serverCpu = await cpuMeter(server)
  const cpuMs = async (clock: () => number, run: () => Promise<unknown>): Promise<number> => {
    const before = clock()
    await run()
    return ((clock() - before) * 1000) / tokens
  }
  for (let pair = 0; pair < pairs; pair += 1) {
    const prompt = fresh(16)
    // the order alternates, so that neither side always runs on caches that the other has warmed up
    for (const isOurs of pair % 2 === 0 ? [true, false] : [false, true]) {
      if (isOurs) oursCpu.push(await cpuMs(serverCpu, async () => ours.push(await chat(server.url, prompt, tokens))))
      else bareCpu.push(await cpuMs(ownCpu, async () => bare.push(await direct.generate(prompt, tokens))))
    }
    tell(`tokens: pair ${pair + 1} of ${pairs}, ${ours.at(-1)?.ms.toFixed(0)} and ${bare.at(-1)?.ms.toFixed(0)} ms`)
  }
  const ratios = ours.map((figures, pair) => rate(figures) / rate(bare[pair] ?? figures))
  console.log(
    `\n${tokens} tokens after a prompt of ${ours[0]?.promptTokens} (in process ${bare[0]?.promptTokens}), tokens/s\n`,
  )
  const cpuRatios = bareCpu.map((ms, pair) => ms / (oursCpu[pair] ?? ms))
  const best = Math.max(...ours.map(rate)) / Math.max(...bare.map(rate))
  console.log('| | tokens/s, median (least to most) | CPU ms a token |\n|---|---|---|')
  console.log(`| over HTTP, streamed: server and backend | ${spread(ours.map(rate), 1)} | ${spread(oursCpu, 2)} |`)
  console.log(`| node-llama-cpp in process | ${spread(bare.map(rate), 1)} | ${spread(bareCpu, 2)} |`)
  console.log(`| ratio of a pair | ${spread(ratios, 3)} | ${spread(cpuRatios, 3)} |`)
  console.log(`| ratio of the best of each | ${best.toFixed(3)} | |`)
}

async function comparePrefill(url: string): Promise<void> {
  const first: ChatFigures[] = []
  const again: ChatFigures[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const shared = fresh(prefix)
    first.push(await chat(url, `${shared} ${fresh(8)}`, 2))
    again.push(await chat(url, `${shared} ${fresh(8)}`, 2))
    tell(
      `prefix: pair ${pair + 1} of ${pairs}, ${first.at(-1)?.firstTextMs.toFixed(0)} and ${again.at(-1)?.firstTextMs.toFixed(0)} ms`,
    )
  }
  const ms = ({ firstTextMs }: ChatFigures): number => firstTextMs
  const ratios = first.map((figures, pair) => ms(figures) / ms(again[pair] ?? figures))
  console.log(
    `\nmilliseconds to the first text, prompts of ${first[0]?.promptTokens} tokens that share ${prefix} words\n`,
  )
  console.log('| | median (least to most) |\n|---|---|')
  console.log(`| first time | ${spread(first.map(ms), 0)} |`)
  console.log(`| again, with another end | ${spread(again.map(ms), 0)} |`)
  console.log(`| times faster | ${spread(ratios, 1)} |`)
}

async function compareParallel(server: Measured): Promise<void> {
  const { url } = server
  const serverCpu = await cpuMeter(server)
  const made = Math.ceil(tokens / 3)
  const inTurn: number[] = []
  const atOnce: number[] = []
  const cpuMs: Record<'inTurn' | 'atOnce', number[]> = { inTurn: [], atOnce: [] }
  const total = async (
    name: 'inTurn' | 'atOnce',
    run: (prompts: readonly string[]) => Promise<unknown>,
  ): Promise<number> => {
    const prompts = Array.from({ length: parallel }, () => fresh(16))
    const begun = performance.now()
    const used = serverCpu()
    await run(prompts)
    cpuMs[name].push(((serverCpu() - used) * 1000) / (parallel * made))
    return ((parallel * made) / (performance.now() - begun)) * 1000
  }
  for (let pair = 0; pair < pairs; pair += 1) {
    inTurn.push(
      await total('inTurn', async (prompts) => {
        for (const prompt of prompts) await chat(url, prompt, made)
      }),
    )
    atOnce.push(await total('atOnce', (prompts) => Promise.all(prompts.map((prompt) => chat(url, prompt, made)))))
    tell(
      `parallel: pair ${pair + 1} of ${pairs}, ${inTurn.at(-1)?.toFixed(0)} and ${atOnce.at(-1)?.toFixed(0)} tokens/s`,
    )
  }
  const ratios = atOnce.map((figure, pair) => figure / (inTurn[pair] ?? figure))
  console.log(`\n${parallel} chats of ${made} tokens\n`)
  console.log('| | tokens/s, median (least to most) | CPU ms a token |\n|---|---|---|')
  console.log(`| in turn | ${spread(inTurn, 1)} | ${spread(cpuMs.inTurn, 2)} |`)
  console.log(`| at once | ${spread(atOnce, 1)} | ${spread(cpuMs.atOnce, 2)} |`)
  const cpuRatios = cpuMs.inTurn.map((ms, pair) => ms / (cpuMs.atOnce[pair] ?? ms))
  console.log(`| ratio of a pair | ${spread(ratios, 2)} | ${spread(cpuRatios, 2)} |`)
}

const weights = writeEngineModel()
const direct = await openDirectEngine(weights, CONTEXT)
const keys = { context_size: CONTEXT, options: [`parallel:${parallel}`] }
const server = await startEngineServer({ folder, weights, keys })
try {
  console.log(`${cpus().length} processors (${cpus()[0]?.model.trim()}), one thread, load average ${load()}`)
  await chat(server.url, fresh(16), tokens)
  await direct.generate(fresh(16), tokens)
  await compareRates(server, direct)
  await comparePrefill(server.url)
  await compareParallel(server)
  console.log(`\nload average at the end ${load()}`)
} finally {
  await server.stop()
  await direct.close()
  rmSync(folder, { recursive: true, force: true })
}
