// The baseline: a node:http server that writes the file of a form to a folder, calls the backend over one node:http2
// session and answers. It checks, counts and logs nothing.
import { randomUUID } from 'node:crypto'
import { createWriteStream, unlink } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { openBackend } from './bare-grpc-call.mjs'

const [port, backendPort, folder] = process.argv.slice(2)
const call = openBackend(backendPort)
const EMPTY = Buffer.alloc(5)
/** Frame head, field and length of the audio in a prepared message of the backend. */
const AUDIO_OFFSET = 5 + 1 + 3

function transcribe(incoming, outgoing) {
  const path = join(folder, randomUUID())
  const form = Busboy({ headers: incoming.headers })
  const written = []
  form.on('file', (_name, file) => written.push(pipeline(file, createWriteStream(path))))
  const answer = () => {
    call('AudioTranscription', EMPTY, {
      onMessage: () => {},
      onEnd() {
        outgoing.writeHead(200, { 'content-type': 'application/json' })
        outgoing.end('{"text":"word"}')
        unlink(path, () => {})
      },
    })
  }
  form.on('finish', () => void Promise.all(written).then(answer))
  incoming.pipe(form)
}

function speak(incoming, outgoing) {
  incoming.resume()
  incoming.on('end', () => {
    outgoing.writeHead(200, { 'content-type': 'audio/pcm' })
    call('TTSStream', EMPTY, {
      onMessage: (message) => outgoing.write(message.subarray(AUDIO_OFFSET)),
      onEnd: () => outgoing.end(),
    })
  })
}

createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') outgoing.end('ready')
  else if (incoming.url === '/v1/audio/speech') speak(incoming, outgoing)
  else transcribe(incoming, outgoing)
}).listen(Number(port), '127.0.0.1')
