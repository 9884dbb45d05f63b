import { parseArgs } from 'node:util'
import { startComparison } from './compare.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { streams: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
})
const streams = toCount('streams', values.streams)
const seed = toCount('seed', values.seed)

await using comparison = await startComparison()
for (let index = 0; index < streams; index += 1) {
  await comparison.check(seed + index)
  if ((index + 1) % 10_000 === 0) console.log(`${index + 1} streams, no difference`)
}
console.log(JSON.stringify(comparison.counts))

function toCount(name: string, text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`--${name} takes a positive integer`)
  return count
}
