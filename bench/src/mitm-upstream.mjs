// The host behind the proxies: answers chats over HTTP/1.1 or HTTP/2, and sends events with the time of their sending.
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'

const [protocol, port, certificateFile, keyFile] = process.argv.slice(2)
const REPLY = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(60) }, finish_reason: 'stop' }],
})
const EVENTS = 200

function answer(request, response) {
  request.on('data', () => {})
  request.on('end', () => {
    if (!request.url.startsWith('/events')) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': REPLY.length })
      response.end(REPLY)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let left = EVENTS
    const timer = setInterval(() => {
      response.write(`data: ${process.hrtime.bigint()}\n\n`)
      left -= 1
      if (left > 0) return
      clearInterval(timer)
      response.end()
    }, 5)
    response.once('close', () => clearInterval(timer))
  })
}

const certificate = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) }
const server = protocol === 'h2' ? createSecureServer({ ...certificate, allowHTTP1: true }) : createServer(certificate)
server.on('request', answer).listen(Number(port), '127.0.0.1')
