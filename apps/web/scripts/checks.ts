import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBrowser } from '@svc/test-kit'
import { chromium } from 'playwright-core'
import { startBuiltServer } from '../../server/test/support/built-server.ts'
import { type Figure, isHeld, noteFigure } from '../e2e/figures.ts'
import { makePieces, measureCold, measureRoutes, measureStream, measureTyping } from './timed-checks.ts'

// `checks` runs the browser tests that count and then, in a process of its own, what takes time; it prints all figures.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** Tests that hold figures. */
const COUNTING = ['checks', 'every-page', 'overlays', 'shell', 'models', 'observe', 'labs'].map(
  (name) => `e2e/${name}.test`,
)

function round(value: number): string {
  return String(Number(value.toFixed(value < 1 ? 4 : 1)))
}

function printFigures(figures: readonly Figure[]): void {
  for (const figure of figures.toSorted((left, right) => left.check - right.check)) {
    const { check, name, value, unit = '', most, least } = figure
    const limit = most === undefined ? `>= ${least}` : `<= ${most}`
    console.log(`${isHeld(figure) ? 'ok  ' : 'MISS'} ${check}. ${name}: ${round(value)} ${unit} (${limit})`)
  }
}

async function measureTimes(): Promise<void> {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('no Chromium on this machine (Debian: apt-get install chromium)')
  const folder = await mkdtemp(join(tmpdir(), 'svc-checks-'))
  await mkdir(join(folder, 'models'), { recursive: true })
  const server = await startBuiltServer({
    folder,
    flags: ['--galleries=[]', '--enable-tracing'],
    env: { SVC_DEMO_MODEL: 'true' },
    mock: {},
  })
  const long = { pieces: makePieces(), pieceDelayMs: 2 }
  const rules = [
    { rpc: 'PredictStream', contains: 'long', do: long },
    { rpc: 'PredictStream', do: { text: 'a short answer' } },
  ]
  await server.model('teller', { rules })
  await fetch(`${server.url}/models/reload`, { method: 'POST' })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const stream = await measureStream(browser, server.url, 'teller')
    const streamed = `${makePieces().length} pieces in ${round(stream.seconds)} s`
    noteFigure({ check: 2, name: `long tasks of ${streamed}`, value: stream.longTasks, unit: 'ms', most: 500 })
    noteFigure({ check: 2, name: 'worst frame of the stream', value: stream.worstFrame, unit: 'ms', most: 120 })
    noteFigure({ check: 2, name: 'Stop takes effect', value: stream.stop, unit: 'ms', most: 100 })
    const cold = await measureCold(browser, server.url, '/app')
    const line = 'cold /app over 10 Mbit/s and 40 ms'
    noteFigure({ check: 1, name: `largest paint, ${line}`, value: cold.largestPaint, unit: 'ms', most: 1_200 })
    noteFigure({ check: 1, name: `blocked, ${line}`, value: cold.blocked, unit: 'ms', most: 200 })
    noteFigure({ check: 1, name: `layout shift, ${line}`, value: cold.shift, most: 0.02 })
    const routes = await measureRoutes(browser, server.url)
    noteFigure({ check: 1, name: 'slowest change of page, cached', value: Math.max(...routes), unit: 'ms', most: 100 })
    const keys = await measureTyping(browser, server.url)
    const slowest = Math.max(...keys)
    noteFigure({ check: 2, name: 'slowest key in a chat of 300 messages', value: slowest, unit: 'ms', most: 50 })
  } finally {
    await browser.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs a program and shows its output when it fails. */
function run(command: string, args: readonly string[], file: string): boolean {
  const env = { ...process.env, SVC_FIGURES: file }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, env, encoding: 'utf8' })
  if (status !== 0) console.error(`${stdout}\n${stderr}`)
  return status === 0
}

async function checkAll(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-figures-'))
  const file = join(folder, 'figures.jsonl')
  await writeFile(file, '')
  const counted = run('npx', ['vitest', 'run', '--project', 'apps/web', '--no-file-parallelism', ...COUNTING], file)
  // other work on the machine does not count where the system lets this process go first
  const isFirst = spawnSync('chrt', ['-r', '1', 'true']).status === 0
  const self = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url), '--timed']
  const [command = '', ...args] = isFirst ? ['chrt', '-r', '1', ...self] : self
  const timed = run(command, args, file)
  const text = await readFile(file, 'utf8')
  await rm(folder, { recursive: true })
  // written by `noteFigure`
  const figures = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Figure)
  printFigures(figures)
  console.log(`times were taken ${isFirst ? "in the scheduler's real-time class" : 'beside other work'}`)
  return counted && timed && figures.every(isHeld)
}

if (process.argv.includes('--timed')) await measureTimes()
else if (!(await checkAll())) process.exitCode = 1
// the browser of the tests may keep handles
process.exit()
