import { setTimeout } from 'node:timers/promises'
import { createOpusFrameDecoder, createOpusFrameEncoder } from '@svc/audio/opus'
import nodeDataChannel from 'node-datachannel'
import { isControl, readRtp, writeRtp } from '../../src/realtime/calls/rtp/rtp-packet.ts'

const SOURCE = 1234
const TYPE = 111

/** A client of calls that is not a browser. */
export interface WebRtcClient {
  readonly offer: string
  /** Sound of the server, samples at 16,000 a second. */
  readonly heard: Float32Array[]
  /** Packets of control that came. */
  readonly reports: Uint8Array[]
  /** Events of the server. */
  readonly events: { readonly type: string; readonly [field: string]: unknown }[]
  readonly states: string[]
  /** Takes the answer, and waits until the channel is open. */
  connect(answer: string): Promise<void>
  send(event: unknown): void
  /** Speaks samples of 16,000 a second, as fast as they are said. */
  speak(samples: Float32Array, options?: { readonly lost?: (frame: number) => boolean }): Promise<void>
  /** Opens another channel. */
  openChannel(label: string): { isOpen(): boolean }
  /** Leaves as a browser does that is closed. */
  close(): void
}

/** Options of {@link createWebRtcClient}. */
export interface WebRtcClientOptions {
  readonly direction?: 'SendRecv' | 'SendOnly' | 'RecvOnly'
  /** Whether it closes its channel as soon as it is open. */
  readonly closesChannel?: boolean
}

/** Makes a client and its offer. */
export async function createWebRtcClient(options: WebRtcClientOptions = {}): Promise<WebRtcClient> {
  const { direction = 'SendRecv', closesChannel = false } = options
  const { Audio, PeerConnection } = nodeDataChannel
  const peer = new PeerConnection('client', { iceServers: [], disableAutoNegotiation: true })
  const audio = new Audio('0', direction)
  audio.addOpusCodec(TYPE)
  audio.addSSRC(SOURCE, 'client', 'stream', 'track')
  const track = peer.addTrack(audio)
  const channel = peer.createDataChannel('oai-events')
  const decoder = await createOpusFrameDecoder({ sampleRate: 16_000 })
  const encoder = await createOpusFrameEncoder({ sampleRate: 16_000 })
  const heard: Float32Array[] = []
  const reports: Uint8Array[] = []
  const events: WebRtcClient['events'] = []
  const states: string[] = []
  let isClosed = false
  let sequence = 0
  track.onMessage((bytes) => {
    const packet = isControl(bytes) ? undefined : readRtp(bytes)
    if (packet === undefined) reports.push(bytes)
    else heard.push(decoder.decode(packet.payload) ?? new Float32Array(320))
  })
  channel.onMessage((text) => events.push(JSON.parse(String(text))))
  peer.onStateChange((state) => states.push(state))
  const opened = new Promise<void>((resolve, reject) => {
    channel.onOpen(() => {
      if (closesChannel) channel.close()
      resolve()
    })
    channel.onError((message) => reject(new Error(message)))
  })
  const gathered = new Promise<void>((resolve) =>
    peer.onGatheringStateChange((state) => state === 'complete' && resolve()),
  )
  peer.setLocalDescription('offer')
  await gathered
  return {
    offer: peer.localDescription()?.sdp ?? '',
    ...{ heard, reports, events, states },
    async connect(answer) {
      peer.setRemoteDescription(answer, 'answer')
      await opened
    },
    send: (event) => void channel.sendMessage(JSON.stringify(event)),
    async speak(samples, { lost = () => false } = {}) {
      const began = performance.now()
      for (let at = 0; at < samples.length && !isClosed; at += 320) {
        const frame = new Float32Array(320)
        frame.set(samples.subarray(at, at + 320))
        const place = { sequence: sequence & 0xff_ff, timestamp: (sequence * 960) >>> 0 }
        const payload = encoder.encode(frame)
        const packet = writeRtp({ ...place, payloadType: TYPE, hasMarker: at === 0, source: SOURCE, payload })
        if (!lost(at / 320) && track.isOpen()) track.sendMessageBinary(Buffer.from(packet))
        sequence++
        await setTimeout(Math.max(0, began + (at / 320) * 20 - performance.now()))
      }
    },
    openChannel: (label) => peer.createDataChannel(label),
    close() {
      if (isClosed) return
      isClosed = true
      channel.close()
      track.close()
      peer.close()
      decoder.close()
      encoder.close()
    },
  }
}
