// The baseline of realtime sessions: a WebSocket that sends every message back.
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const [port] = process.argv.slice(2).map(Number)
const http = createServer((_, reply) => reply.end())
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false })
sockets.on('connection', (socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })))
http.listen(port, '127.0.0.1')
