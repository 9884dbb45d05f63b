import { createOpusFrameEncoder } from '@svc/audio/opus'
import nodeDataChannel, { type DataChannel, type PeerConnection, type Track } from 'node-datachannel'

const TYPE = 111
const SOURCE = 77
const FRAME_MS = 20
const RTP_HEAD_BYTES = 12

/** A client that speaks all the time, and counts what it hears. */
export interface CallClient {
  /** Packets of sound that came. */
  readonly heard: number
  readonly isOpen: boolean
  send(event: object): void
  close(): void
}

/** Encodes a second of speech-like sound, which clients say again and again. */
export async function makeFrames(): Promise<readonly Uint8Array[]> {
  const encoder = await createOpusFrameEncoder({ sampleRate: 16_000 })
  const frames = Array.from({ length: 50 }, (_, frame) => {
    const sound = Float32Array.from({ length: 320 }, (_each, at) => {
      const time = (frame * 320 + at) / 16_000
      return 0.2 * Math.sin(2 * Math.PI * 150 * time) * Math.sin(2 * Math.PI * 3 * time) + 0.02 * (Math.random() - 0.5)
    })
    return encoder.encode(sound)
  })
  encoder.close()
  return frames
}

/** Clients that speak at the same pace. */
export interface CallClients {
  /** Opens one more call. @returns milliseconds until its channel was open */
  add(url: string): Promise<{ readonly client: CallClient; readonly openedMs: number }>
  stop(): void
}

/** Creates clients that say frames in real time. */
export function createCallClients(frames: readonly Uint8Array[]): CallClients {
  const open = new Set<Track>()
  const began = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    for (const due = Math.floor((performance.now() - began) / FRAME_MS); sent < due; sent++) {
      const packet = writePacket(frames[sent % frames.length] ?? new Uint8Array(1), sent)
      for (const track of open) if (track.isOpen()) track.sendMessageBinary(packet)
    }
  }, FRAME_MS)

  return {
    async add(url) {
      const begun = performance.now()
      const peer = new nodeDataChannel.PeerConnection('client', { iceServers: [], disableAutoNegotiation: true })
      const audio = new nodeDataChannel.Audio('0', 'SendRecv')
      audio.addOpusCodec(TYPE)
      audio.addSSRC(SOURCE, 'client', 'stream', 'track')
      const track = peer.addTrack(audio)
      const channel = peer.createDataChannel('oai-events')
      const client = createClient({ peer, track, channel, leave: () => open.delete(track) })
      await connect(peer, { channel, url })
      open.add(track)
      return { client, openedMs: performance.now() - begun }
    },
    stop: () => clearInterval(timer),
  }
}

function createClient({
  peer,
  track,
  channel,
  leave,
}: {
  readonly peer: PeerConnection
  readonly track: Track
  readonly channel: DataChannel
  readonly leave: () => void
}): CallClient {
  let heard = 0
  track.onMessage((bytes) => {
    if (((bytes[1] ?? 0) & 0x7f) === TYPE) heard++
  })
  channel.onMessage(() => undefined)
  return {
    get heard() {
      return heard
    },
    get isOpen() {
      return channel.isOpen()
    },
    send: (event) => void channel.sendMessage(JSON.stringify(event)),
    close() {
      leave()
      peer.close()
    },
  }
}

async function connect(
  peer: PeerConnection,
  { channel, url }: { readonly channel: DataChannel; readonly url: string },
): Promise<void> {
  const gathered = new Promise<void>((resolve) =>
    peer.onGatheringStateChange((state) => state === 'complete' && resolve()),
  )
  const opened = new Promise<void>((resolve) => channel.onOpen(resolve))
  peer.setLocalDescription('offer')
  await gathered
  const body = peer.localDescription()?.sdp ?? ''
  const reply = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/sdp' } })
  const answer = await reply.text()
  if (!reply.ok) throw new Error(answer)
  peer.setRemoteDescription(answer, 'answer')
  await opened
}

function writePacket(payload: Uint8Array, number: number): Buffer {
  const packet = Buffer.alloc(RTP_HEAD_BYTES + payload.length)
  packet[0] = 0x80
  packet[1] = TYPE
  packet.writeUInt16BE(number & 0xff_ff, 2)
  packet.writeUInt32BE((number * 960) >>> 0, 4)
  packet.writeUInt32BE(SOURCE, 8)
  packet.set(payload, RTP_HEAD_BYTES)
  return packet
}
