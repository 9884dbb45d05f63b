// Measures the time to the first text of a long prompt: evaluated, and out of a restored slot. Another prompt takes the
// slot before each chat, so that nothing is remembered.
//   pnpm --filter @svc/bench slots [-- --pairs 3 --prompt 2000]
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chat } from './engine-chat.ts'
import { createText, writeEngineModel } from './engine-model.ts'
import { startEngineServer } from './engine-server.ts'
import { median } from './load.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { pairs: { type: 'string', default: '3' }, prompt: { type: 'string', default: '2000' } },
})
const pairs = Number(values.pairs)
const words = Number(values.prompt)
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const load = (): string => loadavg()[0]?.toFixed(1) ?? ''
const show = (numbers: readonly number[], digits = 0): string =>
  `${median(numbers).toFixed(digits)} (${Math.min(...numbers).toFixed(digits)} to ${Math.max(...numbers).toFixed(digits)})`

interface SlotReply {
  readonly id: string
  readonly bytes: number
}

async function callSlots(url: string, path: 'save' | 'restore', id?: string): Promise<SlotReply & { ms: number }> {
  const begun = performance.now()
  const reply = await fetch(`${url}/v1/slots/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', slot: 0, id }),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(text)
  return { ...(JSON.parse(text) as SlotReply), ms: performance.now() - begun }
}

const keys = { context_size: 4096, options: ['parallel:1'], slot_save_path: 'slots' }
const server = await startEngineServer({ folder, weights: writeEngineModel(), keys })
try {
  const { url } = server
  console.log(`${cpus().length} processors (${cpus()[0]?.model.trim()}), one thread, load average ${load()}`)
  const figures = { evaluated: [] as number[], restored: [] as number[], save: [] as number[], restore: [] as number[] }
  let [promptTokens, bytes] = [0, 0]
  await chat(url, createText(16, 1), 2)
  for (let pair = 0; pair < pairs; pair += 1) {
    const prompt = createText(words, 2 * pair + 2)
    const other = createText(16, 2 * pair + 3)
    const evaluated = await chat(url, prompt, 2)
    const saved = await callSlots(url, 'save')
    await chat(url, other, 2)
    const restored = await callSlots(url, 'restore', saved.id)
    const continued = await chat(url, prompt, 2)
    figures.evaluated.push(evaluated.firstTextMs)
    figures.save.push(saved.ms)
    figures.restore.push(restored.ms)
    figures.restored.push(continued.firstTextMs)
    promptTokens = evaluated.promptTokens
    bytes = saved.bytes
    process.stderr.write(`pair ${pair + 1} of ${pairs}\n`)
  }
  const { evaluated, restored, save, restore } = figures
  const ratio = (added: readonly number[]): string =>
    show(
      evaluated.map((ms, pair) => ms / ((restored[pair] ?? ms) + (added[pair] ?? 0))),
      1,
    )
  console.log(`\nmilliseconds, a prompt of ${promptTokens} tokens, a state of ${(bytes / 1e6).toFixed(1)} MB\n`)
  console.log('| | median (least to most) |\n|---|---|')
  console.log(`| first text, prompt evaluated | ${show(evaluated)} |`)
  console.log(`| first text, slot restored | ${show(restored)} |`)
  console.log(`| save | ${show(save)} |`)
  console.log(`| restore | ${show(restore)} |`)
  console.log(`| times faster | ${ratio([])} |`)
  console.log(`| times faster, the restore counted | ${ratio(restore)} |`)
  console.log(`\nload average at the end ${load()}`)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
