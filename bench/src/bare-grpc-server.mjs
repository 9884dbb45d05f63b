// A backend that reads no request and answers the same bytes: one reply to Predict, many to PredictStream, which leave
// together or one in each turn of the event loop (`x-bench-pace: turns`).
import { createServer } from 'node:http2'

const [port, reply, pieces] = process.argv.slice(2)
const message = Buffer.from(reply, 'hex')
const frame = Buffer.concat([Buffer.alloc(5), message])
frame.writeUInt32BE(message.length, 1)
const count = Number(pieces)
const HEADERS = { ':status': 200, 'content-type': 'application/grpc' }
const OPTIONS = { waitForTrailers: true }

function sendInTurns(stream, left) {
  if (stream.destroyed) return
  stream.write(frame)
  if (left === 1) stream.end()
  else setImmediate(sendInTurns, stream, left - 1)
}

const server = createServer({ maxSessionMemory: 1000 })
server.on('stream', (stream, headers) => {
  stream.resume()
  stream.on('error', () => {})
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.respond(HEADERS, OPTIONS)
  if (headers[':path'].endsWith('/Predict')) stream.end(frame)
  else if (headers['x-bench-pace'] === 'turns') sendInTurns(stream, count)
  else {
    for (let index = 1; index < count; index += 1) stream.write(frame)
    stream.end(frame)
  }
})
server.listen(Number(port), '127.0.0.1', () => console.log('listening'))
