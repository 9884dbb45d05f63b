// `npm run mutate -- packages/router`: plants small faults in a package, one at a time, and prints the faults that no
// test of the package notices. Faults are chosen at random, the same ones for the same seed. A run takes some seconds a
// fault.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listMutants, takeSample } from './mutants.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RUNNER = fileURLToPath(new URL('mutate-runner.mjs', import.meta.url))
/** A fault that makes tests run for ever is noticed: after this long, and twice the time of all tests of the package. */
const LEAST_MS = 30_000
const SLOWER = 2

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})
const [folder] = positionals
if (folder === undefined) {
  console.error('usage: npm run mutate -- packages/NAME [--count 40] [--seed 1] [--only PART-OF-A-PATH]')
  process.exit(64)
}

/** Modules of the package without tests and generated ones. @returns {string[]} */
function listModules() {
  const entries = readdirSync(join(ROOT, folder ?? '', 'src'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /(?<!\.d|\.test|\.gen)\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !/\/(gen|__fixtures__)\//.test(path) && path.includes(values.only))
    .sort()
}

/** @type {import('node:child_process').ChildProcess | undefined} */
let runner

async function startRunner() {
  const started = fork(RUNNER, [String(folder)], { cwd: ROOT, stdio: 'ignore', detached: true })
  await Promise.race([once(started, 'message'), once(started, 'exit').then(failStart)])
  return started
}

function failStart() {
  throw new Error('the runner ended before it was ready')
}

function endRunner() {
  // with the workers
  if (runner?.pid !== undefined) process.kill(-runner.pid, 'SIGKILL')
  runner = undefined
}

/**
 * Runs the tests of the package that reach a module with a fault; all its tests if none is given.
 *
 * @param {{ readonly file: string } | undefined} mutant
 * @param {number} limitMs
 * @returns {Promise<{ readonly outcome: 'noticed' | 'unnoticed' | 'endless', readonly ms: number }>}
 */
async function test(mutant, limitMs) {
  runner ??= await startRunner()
  const since = performance.now()
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(), limitMs)
  const { signal } = ended
  runner.once('exit', () => ended.abort())
  try {
    const answer = once(runner, 'message', { signal })
    runner.send(mutant ?? {})
    const [{ hasFailure }] = await answer
    return { outcome: hasFailure ? 'noticed' : 'unnoticed', ms: performance.now() - since }
  } catch (error) {
    if (!signal.aborted) throw error
    endRunner()
    return { outcome: 'endless', ms: limitMs }
  } finally {
    clearTimeout(timer)
    runner?.removeAllListeners('exit')
  }
}

const modules = listModules().map((file) => ({ file, mutants: listMutants(readFileSync(file, 'utf8')) }))
const all = modules.flatMap(({ file, mutants }) => mutants.map((mutant) => ({ file, ...mutant })))
const sample = takeSample(all, { count: Number(values.count), seed: Number(values.seed) })
console.log(`${folder}: ${sample.length} of ${all.length} faults in ${modules.length} modules, seed ${values.seed}`)

const usual = await test(undefined, 600_000)
if (usual.outcome !== 'unnoticed') throw new Error(`the tests of ${folder} fail without a fault`)
const limitMs = LEAST_MS + SLOWER * usual.ms
let unnoticed = 0
for (const [index, mutant] of sample.entries()) {
  const { file, line, from, to } = mutant
  const { outcome } = await test(mutant, limitMs)
  if (outcome !== 'unnoticed') continue
  unnoticed += 1
  console.log(`${index + 1}. ${relative(ROOT, file)}:${line}: ${oneLine(from)} → ${oneLine(to)}`)
}
endRunner()
const share = sample.length === 0 ? 0 : (unnoticed / sample.length) * 100
console.log(`${unnoticed} of ${sample.length} faults unnoticed (${share.toFixed(0)} %)`)

/** @param {string} text */
function oneLine(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
