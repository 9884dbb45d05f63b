// The baseline: TLS is ended and begun again with Node's own modules, and nothing is scanned, checked or counted.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, createSecureServer } from 'node:http2'
import { Agent, createServer as createSecureHttp1, request as requestHttp1 } from 'node:https'

const [port, certificateFile, keyFile] = process.argv.slice(2)
const certificate = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) }
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host'])
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
const sessions = new Map()

function relayHttp1(request, response) {
  const [host, targetPort] = request.headers.host.split(':')
  const { method, url: path, rawHeaders: headers } = request
  const upstream = requestHttp1({ host, port: targetPort, method, path, agent, headers }, (reply) => {
    response.writeHead(reply.statusCode, reply.rawHeaders)
    reply.pipe(response)
  })
  upstream.on('error', () => response.destroy())
  response.once('close', () => upstream.destroy())
  request.pipe(upstream)
}

function relayHttp2(stream, headers) {
  const origin = `https://${headers[':authority']}`
  let session = sessions.get(origin)
  if (session === undefined) {
    session = connect(origin, { rejectUnauthorized: false })
    session.on('close', () => sessions.delete(origin))
    sessions.set(origin, session)
  }
  const upstream = session.request(
    Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))),
  )
  upstream.on('response', (reply) => {
    stream.respond(reply)
    upstream.pipe(stream)
  })
  upstream.on('error', () => stream.destroy())
  stream.on('error', () => {})
  stream.once('close', () => upstream.close())
  stream.pipe(upstream)
}

const http1 = createSecureHttp1(certificate, relayHttp1)
const http2 = createSecureServer(certificate)
http2.on('stream', relayHttp2)
createServer((_, response) => response.end('ready'))
  .on('connect', (request, socket, head) => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    const server = request.headers['x-protocol'] === 'h2' ? http2 : http1
    server.emit('connection', socket)
  })
  .listen(Number(port), '127.0.0.1')
