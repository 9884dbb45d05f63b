// The baseline: a relay of http.request and pipe without checks, counts or logs.
import { Agent, createServer, request } from 'node:http'

const [port, upstreamPort] = process.argv.slice(2).map(Number)
const agent = new Agent({ keepAlive: true, maxSockets: 1024, noDelay: true })
createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') {
    outgoing.end('ready')
    return
  }
  const upstream = request(
    {
      host: '127.0.0.1',
      port: upstreamPort,
      agent,
      method: incoming.method,
      path: incoming.url,
      headers: { 'content-type': 'application/json', 'content-length': incoming.headers['content-length'] },
    },
    (reply) => {
      outgoing.writeHead(reply.statusCode, reply.headers)
      reply.pipe(outgoing)
    },
  )
  upstream.on('error', () => outgoing.destroy())
  outgoing.once('close', () => upstream.destroy())
  incoming.pipe(upstream)
}).listen(port, '127.0.0.1')
