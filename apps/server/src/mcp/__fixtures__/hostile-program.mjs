// A program that speaks the protocol wrongly: node hostile-program.mjs MODE
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [mode, more] = process.argv.slice(2)
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const repeat = (act) => {
  const step = () => {
    while (act()) continue
    process.stdout.once('drain', step)
  }
  step()
}

if (mode === 'dies-at-once') process.exit(3)
if (mode === 'floods-lines') repeat(() => process.stdout.write('this is not a message\n'))
if (mode === 'endless-line') repeat(() => process.stdout.write('x'.repeat(65536)))
if (mode === 'floods-errors') {
  const step = () => {
    while (process.stderr.write('an error line of no importance\n')) continue
    process.stderr.once('drain', step)
  }
  step()
}
if (mode === 'stays') {
  process.on('SIGTERM', () => undefined)
  setInterval(() => undefined, 1000)
}
if (mode === 'leaves-child') spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' })

const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'hostile', version: '1' },
  }),
  'tools/list': () => {
    if (mode === 'garbage-list') return { tools: 'none' }
    if (mode === 'wrong-entries') return { tools: Array(40_000).fill(1) }
    if (mode === 'deep') {
      const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
      process.stdout.write(`{"jsonrpc":"2.0","id":999,"result":{"a":${deep}}}\n`)
    }
    if (mode === 'odd-tools') {
      const wide = { type: 'object', properties: { a: { description: 'x'.repeat(100_000) } } }
      return {
        tools: [
          { name: 1 },
          { name: { toString: 1, valueOf: 1 } },
          { name: 'array', inputSchema: [] },
          { name: 'wide', inputSchema: wide },
          { name: 'a/b.c d', description: 'y'.repeat(20_000), inputSchema: { type: 'object' } },
          { name: 'a_b_c_d', inputSchema: { type: 'object' } },
          { name: 'z'.repeat(100), inputSchema: { type: 'object' } },
        ],
      }
    }
    if (mode === 'endless-list') return { tools: [{ name: `t${Math.random()}` }], nextCursor: String(Math.random()) }
    return { tools: [{ name: 'run', inputSchema: { type: 'object' } }] }
  },
  'tools/call': () => {
    if (mode === 'dies') process.exit(1)
    if (mode === 'hangs') return undefined
    if (mode === 'huge') return { content: [{ type: 'text', text: 'x'.repeat(Number(more)) }] }
    if (mode === 'garbage') return { content: 'none' }
    if (mode === 'many-wrong-parts') return { content: Array(49_000).fill({}) }
    if (mode === 'many-parts') return { content: Array(100_000).fill(1) }
    if (mode === 'refuses') return { error: { code: -32602, message: 'a is missing\nline two' } }
    return { content: [{ type: 'text', text: `pid ${process.pid}` }] }
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (mode === 'mute') return
  const result = answers[method]?.()
  if (id === undefined || result === undefined) return
  write(result.error === undefined ? { id, result } : { id, error: result.error })
})
