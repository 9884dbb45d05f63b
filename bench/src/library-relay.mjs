// The relay without the server: bare node:http around the built library, with key check, usage, figures and a log line.
import { createHash, timingSafeEqual } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { createHttpUpstream } from '@svc/http-client'
import { parseJson } from '@svc/json'
import { createCloudRequest, createPassthroughBody, loadCloudTarget, relay } from '@svc/proxy'

const [port, upstreamPort] = process.argv.slice(2).map(Number)
const LOG_BYTES = 4096
const log = openSync('/dev/null', 'w')
let lines = ''
const keyHash = createHash('sha256').update('bench-key').digest()
const counters = { requests: 0, seconds: 0, promptTokens: 0, completionTokens: 0 }
const upstream = createHttpUpstream()
const upstreamUrl = `http://127.0.0.1:${upstreamPort}/v1/chat/completions`
const secrets = { variable: () => 'upstream-key', file: () => Promise.reject(new Error('no files')) }
const target = await loadCloudTarget({ upstreamUrl, upstreamModel: 'upstream-model', apiKeyEnv: 'KEY' }, { secrets })

function isAllowed(incoming) {
  const key = (incoming.headers.authorization ?? '').slice('Bearer '.length)
  return timingSafeEqual(createHash('sha256').update(key).digest(), keyHash)
}

async function serve(incoming, outgoing, bytes) {
  const begun = performance.now()
  const body = createPassthroughBody(parseJson(bytes), { upstreamModel: target.upstreamModel })
  const client = (name) => incoming.headers[name]
  const request = createCloudRequest(target, { client, body: body.bytes, isStream: body.isStream })
  const { status, usage } = await relay({ upstream, request, provider: 'provider_a', outgoing })
  const seconds = (performance.now() - begun) / 1000
  counters.requests += 1
  counters.seconds += seconds
  counters.promptTokens += usage?.prompt_tokens ?? 0
  counters.completionTokens += usage?.completion_tokens ?? 0
  lines += `${JSON.stringify({ time: Date.now(), path: incoming.url, status, seconds, usage })}\n`
  if (lines.length < LOG_BYTES) return
  writeSync(log, lines)
  lines = ''
}

createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') {
    outgoing.end(JSON.stringify(counters))
    return
  }
  if (!isAllowed(incoming)) {
    outgoing.writeHead(401).end()
    return
  }
  const pieces = []
  incoming.on('data', (piece) => pieces.push(piece))
  incoming.on('end', () => {
    const bytes = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
    serve(incoming, outgoing, bytes).catch(() => outgoing.destroy())
  })
}).listen(port, '127.0.0.1')
