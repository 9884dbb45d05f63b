import { send } from '../api-client.ts'
import { readFailure } from '../api-error.ts'
import { toUrl } from '../base-path.ts'
import { toFields, toText } from './events.ts'
import { CallFault, type LinkOptions, MAX_WAITING_BYTES, type RealtimeLink, STALLED } from './link.ts'

/** Longest search for addresses of this browser: those of the machine itself come at once. */
const GATHER_MS = 1_500
/** Time from the answer of the server to the open channel. */
const CONNECT_MS = 8_000
/** Time without a sign of the server after which the call has ended. */
const LOST_MS = 5_000

/**
 * Opens a conversation over WebRTC.
 *
 * @throws CallFault when no connection comes about, ApiError when the server refuses it, the reason of the signal
 */
export async function openCall(options: LinkOptions): Promise<RealtimeLink> {
  const { listener, microphone, signal } = options
  signal.throwIfAborted()
  const connection = new RTCPeerConnection()
  const channel = connection.createDataChannel('oai-events')
  const player = new Audio()
  const remote = new MediaStream()
  let isOver = false
  const close = () => {
    isOver = true
    player.pause()
    player.srcObject = null
    channel.close()
    connection.close()
  }
  const end = (reason: { readonly code: number; readonly reason: string }) => {
    if (isOver) return
    close()
    listener.onEnd(reason)
  }
  connection.ontrack = ({ track }) => {
    remote.addTrack(track)
    player.srcObject = remote
    void player.play().catch(() => {})
  }
  channel.onmessage = ({ data }) => {
    if (!isOver && typeof data === 'string') listener.onEvent(data)
  }
  addSound(connection, microphone)
  try {
    await negotiate(connection, options)
    await untilOpen(connection, channel, signal)
  } catch (error) {
    close()
    signal.throwIfAborted()
    throw error
  }
  // the server closes the channel when it ends the call; a call has no codes
  channel.onclose = () => end({ code: 1000, reason: '' })
  watchConnection(connection, () => end({ code: 1006, reason: '' }))
  return {
    transport: 'webrtc',
    remote,
    send(event) {
      if (isOver || channel.readyState !== 'open') return
      if (channel.bufferedAmount > MAX_WAITING_BYTES) end(STALLED)
      else channel.send(JSON.stringify(event))
    },
    close,
  }
}

/** Tells when a connection is lost for good. */
function watchConnection(connection: RTCPeerConnection, onLost: () => void): void {
  let losing: ReturnType<typeof setTimeout> | undefined
  connection.onconnectionstatechange = () => {
    const { connectionState: state } = connection
    clearTimeout(losing)
    if (state === 'failed') onLost()
    if (state === 'disconnected') losing = setTimeout(onLost, LOST_MS)
  }
}

function addSound(connection: RTCPeerConnection, microphone: MediaStream | undefined): void {
  const [track] = microphone?.getAudioTracks() ?? []
  if (microphone !== undefined && track !== undefined) connection.addTrack(track, microphone)
  else connection.addTransceiver('audio', { direction: 'recvonly' })
}

/** Sends the offer with all addresses, and takes the answer. */
async function negotiate(connection: RTCPeerConnection, { model, signal }: LinkOptions): Promise<void> {
  await connection.setLocalDescription(await connection.createOffer())
  await untilGathered(connection, signal)
  const response = await send(toUrl('/v1/realtime/calls'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sdp: connection.localDescription?.sdp ?? '', model }),
    signal,
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw readFailure(response, body)
  await connection
    .setRemoteDescription({ type: 'answer', sdp: toText(toFields(body).sdp) })
    .catch((cause: unknown) => Promise.reject(new CallFault('The answer cannot be used.', { cause })))
}

function untilGathered(connection: RTCPeerConnection, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (connection.iceGatheringState === 'complete') resolve()
    }
    const timer = setTimeout(resolve, GATHER_MS)
    signal.addEventListener('abort', () => resolve(), { once: true })
    connection.addEventListener('icegatheringstatechange', () => {
      if (connection.iceGatheringState === 'complete') clearTimeout(timer)
      check()
    })
    check()
  })
}

function untilOpen(connection: RTCPeerConnection, channel: RTCDataChannel, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (text: string) => reject(new CallFault(text))
    const timer = setTimeout(() => fail('No connection came about in time.'), CONNECT_MS)
    const stop = () => clearTimeout(timer)
    channel.onopen = () => {
      stop()
      resolve()
    }
    channel.onclose = () => {
      stop()
      fail('The channel was closed.')
    }
    connection.onconnectionstatechange = () => {
      if (connection.connectionState !== 'failed') return
      stop()
      fail('The connection failed.')
    }
    signal.addEventListener(
      'abort',
      () => {
        stop()
        reject(signal.reason)
      },
      { once: true },
    )
    if (channel.readyState === 'open') {
      stop()
      resolve()
    }
  })
}
