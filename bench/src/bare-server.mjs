// The baseline: a bare node:http server that reads the body and answers prepared bytes.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port, framesFile] = process.argv.slice(2)
const { contentType, frames } = JSON.parse(readFileSync(framesFile, 'utf8'))
createServer((incoming, outgoing) => {
  incoming.resume()
  incoming.on('end', () => {
    outgoing.writeHead(200, { 'content-type': contentType })
    for (const frame of frames) outgoing.write(frame)
    outgoing.end()
  })
}).listen(Number(port), '127.0.0.1')
