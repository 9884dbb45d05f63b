// Answers calls over WebRTC with the library alone: every packet of sound goes back as it came. The least that a call costs.
//   node bare-calls.mjs PORT
import { createServer } from 'node:http'
import nodeDataChannel from 'node-datachannel'

const { PeerConnection } = nodeDataChannel
const [, , port] = process.argv
// The library closes connections and tracks that nobody holds.
const held = new Map()

/** @type {(offer: string) => Promise<string>} */
function answer(offer) {
  return new Promise((resolve) => {
    const peer = new PeerConnection('bare', { iceServers: [], disableAutoNegotiation: true })
    held.set(peer, [])
    peer.onStateChange((state) => {
      if (state === 'closed') held.delete(peer)
    })
    peer.onTrack((track) => {
      held.get(peer).push(track)
      track.onMessage((packet) => track.isOpen() && track.sendMessageBinary(packet))
    })
    peer.onDataChannel((channel) => held.get(peer).push(channel))
    peer.onGatheringStateChange((state) => {
      if (state === 'complete') resolve(peer.localDescription()?.sdp ?? '')
    })
    // A side that knows addresses may connect before its client has the answer, which then fails.
    peer.setRemoteDescription(offer.replaceAll(/^a=(?:candidate|end-of-candidates).*\r\n/gm, ''), 'offer')
    peer.setLocalDescription('answer')
  })
}

async function reply(request, response) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  if (request.method === 'GET') response.end('ready')
  else response.writeHead(201).end(await answer(Buffer.concat(pieces).toString()))
}

createServer((request, response) => void reply(request, response)).listen(Number(port), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
