// The upstream behind every relay: one JSON reply with figures, or a stream of chunks that carry their send time. The
// request sets their number and interval: all streams in step, or each at its own pace. It parses just enough HTTP for
// that, so that the relays are the bottleneck.
import { createServer } from 'node:net'

const port = Number(process.argv[2])
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

const HTTP_OK = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\n'
const WHOLE = `${HTTP_OK}content-type: application/json\r\ncontent-length: ${reply.length}\r\n\r\n${reply}`
const STREAM = `${HTTP_OK}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`

function stream(socket, { events, intervalMs, inStep }) {
  const write = (data) => socket.write(`${data.length.toString(16)}\r\n${data}\r\n`, 'latin1')
  socket.write(STREAM)
  let sent = 0
  const next = () => {
    sent += 1
    if (sent <= events) {
      write(chunk(` word${sent}`))
      return true
    }
    write(
      `data: ${HEAD}[],"usage":{"prompt_tokens":21,"completion_tokens":${events},"total_tokens":${events + 21}}}\n\n`,
    )
    socket.write('e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n')
    return false
  }
  const begin = () => {
    const timer = setInterval(() => {
      if (socket.destroyed || !next()) clearInterval(timer)
    }, intervalMs)
  }
  if (inStep) begin()
  else setTimeout(begin, Math.random() * intervalMs)
}

createServer({ noDelay: true }, (socket) => {
  let text = ''
  let expected = 0
  socket.on('error', () => socket.destroy())
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
    // A long body in pieces is read once it is complete.
    if (text.length < expected) return
    const start = text.indexOf('\r\n\r\n') + 4
    if (start < 4) return
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, start))?.[1] ?? 0)
    expected = start + length
    if (text.length < expected) return
    expected = 0
    const body = text.slice(start, start + length)
    text = text.slice(start + length)
    if (body.includes('"stream":true')) stream(socket, JSON.parse(body).metadata)
    else socket.write(WHOLE, 'latin1')
  })
}).listen(port, '127.0.0.1')
