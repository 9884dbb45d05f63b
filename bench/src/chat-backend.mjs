// A backend that answers prepared messages: each rpc of the file one, PredictStream and TTSStream many, one in each turn of the event
// loop. It reads no request; an rpc that the file lacks is unimplemented.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http2'

const UNIMPLEMENTED = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' }
const HEADERS = { ':status': 200, 'content-type': 'application/grpc' }

const STREAMS = new Set(['PredictStream', 'TTSStream'])

const [port, file] = process.argv.slice(2)
const { replies, pieces } = JSON.parse(readFileSync(file, 'utf8'))

function toFrame(hex) {
  const message = Buffer.from(hex, 'hex')
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

const frames = new Map(Object.entries(replies).map(([name, hex]) => [name, toFrame(hex)]))

function sendInTurns(stream, frame, left) {
  if (stream.destroyed) return
  stream.write(frame)
  if (left === 1) stream.end()
  else setImmediate(sendInTurns, stream, frame, left - 1)
}

const server = createServer({ maxSessionMemory: 1000 })
server.on('stream', (stream, headers) => {
  stream.resume()
  stream.on('error', () => {})
  const name = headers[':path'].slice(headers[':path'].lastIndexOf('/') + 1)
  const frame = frames.get(name)
  if (frame === undefined) {
    stream.respond(UNIMPLEMENTED, { endStream: true })
    return
  }
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.respond(HEADERS, { waitForTrailers: true })
  if (STREAMS.has(name)) sendInTurns(stream, frame, pieces)
  else stream.end(frame)
})
server.listen(Number(port), '127.0.0.1', () => console.log('listening'))
