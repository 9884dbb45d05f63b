// The baseline: a node:http server that reads a chat, calls the backend over one node:http2 session and answers in the
// compatible format. It checks, counts and logs nothing, and knows of a message of the backend only its text.
import { createServer } from 'node:http'
import { openBackend } from './bare-grpc-call.mjs'

const [port, backendPort] = process.argv.slice(2).map(Number)
const callBackend = openBackend(backendPort)

function toVarint(number) {
  const bytes = []
  for (let rest = number; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest & 127) | 128)
  }
}

/** A framed message that holds only the prompt. */
function toRequest(prompt) {
  const text = Buffer.from(prompt)
  const length = Buffer.from([0x0a, ...toVarint(text.length)])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(length.length + text.length, 1)
  return Buffer.concat([head, length, text])
}

/** The text of a reply, its first field, which is short. */
function readText(message) {
  return message[0] === 0x0a ? message.toString('utf8', 2, 2 + message[1]) : ''
}

/** Calls the backend; `onText` has the text of every message. */
function call(name, prompt, onText, onEnd) {
  callBackend(name, toRequest(prompt), { onMessage: (message) => onText(readText(message.subarray(5))), onEnd })
}

const choice = (part) => ({
  id: 'chat',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, ...part }],
})

function answer(body, outgoing) {
  const { stream, messages } = JSON.parse(body)
  const prompt = messages.at(-1).content
  if (!stream) {
    let content = ''
    const onText = (text) => {
      content += text
    }
    call('Predict', prompt, onText, () => {
      const reply = JSON.stringify(choice({ message: { role: 'assistant', content }, finish_reason: 'stop' }))
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) })
      outgoing.end(reply)
    })
    return
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  const onText = (content) => outgoing.write(`data: ${JSON.stringify(choice({ delta: { content } }))}\n\n`)
  call('PredictStream', prompt, onText, () => outgoing.end('data: [DONE]\n\n'))
}

createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') {
    outgoing.end('ready')
    return
  }
  const pieces = []
  incoming.on('data', (piece) => pieces.push(piece))
  incoming.on('end', () => answer(Buffer.concat(pieces).toString(), outgoing))
}).listen(port, '127.0.0.1')
