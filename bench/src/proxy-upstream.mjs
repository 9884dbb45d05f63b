// The upstream behind every relay: one JSON reply with figures, or a stream of chunks that carry the time they left.
import { createServer } from 'node:http'

const [port, events, intervalMs] = process.argv.slice(2).map(Number)
const text = 'The quick brown fox jumps over the lazy dog. '.repeat(8)
const reply = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'upstream-model',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 21, completion_tokens: 80, total_tokens: 101 },
})
const HEAD =
  '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"upstream-model","choices":'

function chunk(content) {
  const at = Number(process.hrtime.bigint() / 1000n)
  return `data: ${HEAD}[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}],"usage":null,"at":${at}}\n\n`
}

function stream(outgoing) {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  let sent = 0
  const timer = setInterval(() => {
    sent += 1
    if (sent <= events) {
      outgoing.write(chunk(` word${sent}`))
      return
    }
    clearInterval(timer)
    outgoing.write(
      `data: ${HEAD}[],"usage":{"prompt_tokens":21,"completion_tokens":${events},"total_tokens":${events + 21}}}\n\n`,
    )
    outgoing.end('data: [DONE]\n\n')
  }, intervalMs)
  outgoing.once('close', () => clearInterval(timer))
}

createServer((incoming, outgoing) => {
  const pieces = []
  incoming.on('data', (piece) => pieces.push(piece))
  incoming.on('end', () => {
    if (Buffer.concat(pieces).includes('"stream":true')) {
      stream(outgoing)
      return
    }
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': reply.length })
    outgoing.end(reply)
  })
}).listen(port, '127.0.0.1')
