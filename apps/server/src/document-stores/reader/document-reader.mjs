/**
 * The process that reads one document. It is plain JavaScript, because it starts both from sources and from a bundle of
 * its own. `read-in-process.ts` is the other side: it writes the document to standard input and reads a line of JSON,
 * then the text, from standard output.
 *
 * @module
 */
import { Worker } from 'node:worker_threads'

/** @type {import('./read-in-process.ts').ReaderTask} */
const task = JSON.parse(process.argv[2] ?? '{}')

/**
 * Ends the process from a thread of its own, because a hostile document can keep this one busy: when it has too much
 * memory, when its time is over, and when the server is gone.
 */
const WATCH = `
const { workerData: { parent, maxMemoryBytes, maxMs } } = require('node:worker_threads')
const { writeSync } = require('node:fs')
const start = performance.now()
function end(reason) {
  try { writeSync(2, reason) } catch {}
  process.kill(process.pid, 'SIGKILL')
}
setInterval(() => {
  if (process.ppid !== parent) end('left')
  else if (process.memoryUsage.rss() > maxMemoryBytes) end('memory')
  else if (performance.now() - start > maxMs) end('time')
}, 50)
`
new Worker(WATCH, {
  eval: true,
  workerData: { parent: process.ppid, maxMemoryBytes: task.maxMemoryBytes, maxMs: task.maxMs },
}).unref()

// A server that runs from its sources uses the sources of the library too.
if (task.fromSource) (await import('tsx/esm/api')).register()
const { readBinary } = await import('@svc/documents/binary')

/** @type {Buffer[]} */
const pieces = []
for await (const piece of process.stdin) pieces.push(piece)
const bytes = Buffer.concat(pieces.splice(0))

/** @type {[head: import('./reader-output.ts').ReaderReply, text: string]} */
const [head, text] = await readBinary(bytes, { type: task.type, signal: new AbortController().signal }).then(
  (read) => [{ ok: true, textBytes: Buffer.byteLength(read) }, read],
  (error) => [{ ok: false, code: error?.code, message: String(error?.message) }, ''],
)
process.stdout.write(`${JSON.stringify(head)}\n`)
process.stdout.write(text, () => process.exit(0))
