import { SvcError } from '@svc/errors'
import type { DataChannel, Track } from 'node-datachannel'
import { createSerialQueue } from '../../../concurrency/serial-queue.ts'
import type { Direction, Offer } from '../sdp/read-offer.ts'
import { OPUS_PARAMETERS, writeOffer } from '../sdp/write-offer.ts'
import { MAX_MESSAGE_BYTES } from './event-channel.ts'
import type { MediaLibrary } from './library.ts'
import { checkSockets } from './udp-port.ts'

/** The name of the server in its streams. */
export const STREAM_NAME = 'svc'
const GATHERING_MS = 5000

/** A connection with a client, over which sound and messages go. */
export interface Connection {
  /** The description of this side, with all its addresses. */
  readonly answer: string
  /** Sends a packet of media or control. Nothing is sent before the client is connected. */
  sendMedia(bytes: Uint8Array): void
  /** Closes; a second time does nothing. Nothing is called afterwards. */
  close(): void
}

/** What a connection tells. */
export interface ConnectionListener {
  onConnected(): void
  /** The client has left, cannot be reached any more, or never could. */
  onGone(reason: string): void
  onMedia(bytes: Uint8Array): void
  onChannel(channel: DataChannel): void
}

/** Parts of {@link answerOffer}. */
export interface ConnectionOptions {
  readonly library: MediaLibrary
  readonly offer: Offer
  /** The number of our stream. */
  readonly source: number
  /** The one UDP port of all calls, which is held; 0 for a free port each. */
  readonly udpPort: number
  readonly listener: ConnectionListener
  readonly signal: AbortSignal
}

const OUR_DIRECTION: Readonly<Record<Direction, 'SendRecv' | 'RecvOnly' | 'SendOnly'>> = {
  sendrecv: 'SendRecv',
  sendonly: 'RecvOnly',
  recvonly: 'SendOnly',
}

/**
 * Answers an offer. Nothing is sent to the client before it has shown by its own packets that it knows the password of the
 * answer: addresses in an offer reach nobody.
 *
 * @throws {SvcError} `invalid_request` for an offer that the library refuses, `unavailable` where no port is free
 */
export function answerOffer(options: ConnectionOptions): Promise<Connection> {
  return options.udpPort === 0 ? takeTurn(() => openConnection(options)) : openConnection(options)
}

/** Connections open their sockets one after the other: several at once would count on the same free ones. */
const takeTurn = createSerialQueue()

async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { library, offer, udpPort, listener, signal } = options
  signal.throwIfAborted()
  if (udpPort === 0) await checkSockets()
  const ports = udpPort === 0 ? {} : { enableIceUdpMux: true, portRangeBegin: udpPort, portRangeEnd: udpPort }
  const peer = new library.PeerConnection('call', {
    iceServers: [],
    disableAutoNegotiation: true,
    maxMessageSize: MAX_MESSAGE_BYTES,
    ...ports,
  })
  let isClosed = false
  // The library closes what nobody holds: these are held as long as the connection is.
  let track: Track | undefined
  function close(): void {
    if (isClosed) return
    isClosed = true
    track?.close()
    peer.close()
  }

  peer.onDataChannel((channel) => {
    if (isClosed) channel.close()
    else listener.onChannel(channel)
  })
  peer.onStateChange((state) => {
    if (isClosed) return
    if (state === 'connected') listener.onConnected()
    else if (state === 'disconnected' || state === 'failed' || state === 'closed') listener.onGone(state)
  })
  try {
    const gathered = gather(peer, signal)
    gathered.catch(() => undefined)
    peer.setRemoteDescription(writeOffer(offer), 'offer')
    track = peer.addTrack(describeSound(options))
    track.onMessage((bytes) => {
      if (!isClosed) listener.onMedia(bytes)
    })
    peer.setLocalDescription('answer')
    await gathered
    const answer = peer.localDescription()?.sdp
    if (answer === undefined) throw new Error('no local description')
    return {
      answer,
      sendMedia(bytes) {
        if (!isClosed && track?.isOpen() === true)
          track.sendMessageBinary(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
      },
      close,
    }
  } catch (cause) {
    close()
    if (SvcError.is(cause) || signal.aborted) throw cause
    throw new SvcError('invalid_request', 'the SDP offer cannot be used', { code: 'invalid_sdp', cause })
  }
}

function describeSound({ library, offer, source }: ConnectionOptions) {
  const { mid, payloadType, direction } = offer.sound
  const audio = new library.Audio(mid, OUR_DIRECTION[direction])
  audio.addOpusCodec(payloadType, OPUS_PARAMETERS)
  if (direction !== 'sendonly') audio.addSSRC(source, STREAM_NAME, STREAM_NAME, 'voice')
  return audio
}

/** Waits until all addresses of this side are known. */
function gather(peer: InstanceType<MediaLibrary['PeerConnection']>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = new SvcError('unavailable', 'the addresses for a call could not be found', {
      code: 'no_media_address',
    })
    const timer = setTimeout(() => end(() => reject(late)), GATHERING_MS)
    const leave = (): void => end(() => reject(signal.reason))
    function end(settle: () => void): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      settle()
    }
    signal.addEventListener('abort', leave)
    peer.onGatheringStateChange((state) => {
      if (state === 'complete') end(resolve)
    })
  })
}
