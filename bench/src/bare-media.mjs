// The baseline: a node:http server that writes the file of a form to a folder, calls the backend over one node:http2
// session and answers. It checks, counts and logs nothing.
import { randomUUID } from 'node:crypto'
import { createWriteStream, unlink } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'

const [port, backendPort, folder] = process.argv.slice(2)
const session = connect(`http://127.0.0.1:${backendPort}`)
const EMPTY = Buffer.alloc(5)
/** Frame head, field and length of the audio in a prepared message of the backend. */
const AUDIO_OFFSET = 5 + 1 + 3

/** Calls the backend; `onMessage` has every framed message. */
function call(name, onMessage, onEnd) {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/backend.Backend/${name}`,
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  let rest = Buffer.alloc(0)
  stream.on('data', (piece) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1)
      onMessage(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  })
  stream.on('end', onEnd)
  stream.end(EMPTY)
}

function transcribe(incoming, outgoing) {
  const path = join(folder, randomUUID())
  const form = Busboy({ headers: incoming.headers })
  const written = []
  form.on('file', (_name, file) => written.push(pipeline(file, createWriteStream(path))))
  const answer = () => {
    call(
      'AudioTranscription',
      () => {},
      () => {
        outgoing.writeHead(200, { 'content-type': 'application/json' })
        outgoing.end('{"text":"word"}')
        unlink(path, () => {})
      },
    )
  }
  form.on('finish', () => void Promise.all(written).then(answer))
  incoming.pipe(form)
}

function speak(incoming, outgoing) {
  incoming.resume()
  incoming.on('end', () => {
    outgoing.writeHead(200, { 'content-type': 'audio/pcm' })
    call(
      'TTSStream',
      (message) => outgoing.write(message.subarray(AUDIO_OFFSET)),
      () => outgoing.end(),
    )
  })
}

createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') outgoing.end('ready')
  else if (incoming.url === '/v1/audio/speech') speak(incoming, outgoing)
  else transcribe(incoming, outgoing)
}).listen(Number(port), '127.0.0.1')
