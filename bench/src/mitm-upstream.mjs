// The host behind the proxies: answers chats over HTTP/1.1 and HTTP/2, and sends events with the time of their sending.
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'

const [port, certificateFile, keyFile] = process.argv.slice(2)
const REPLY = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(60) }, finish_reason: 'stop' }],
})
const EVENTS = 200

createSecureServer(
  { cert: readFileSync(certificateFile), key: readFileSync(keyFile), allowHTTP1: true },
  (request, response) => {
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
  },
).listen(Number(port), '127.0.0.1')
