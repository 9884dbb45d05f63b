import { findTestBrowser } from '@svc/test-kit'
import { type Browser, chromium } from 'playwright-core'

/** The path of an installed Chromium; undefined where there is none. */
export const chromiumPath = findTestBrowser()

/** Starts Chromium with a file as its microphone. */
export async function startCallBrowser(wav: string): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--autoplay-policy=no-user-gesture-required'],
      ...['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${wav}`],
      ...['--use-fake-ui-for-media-stream', '--allow-loopback-in-peer-connection'],
    ],
  })
}

/** Script of a page that makes `call(url, headers)`, `events` and `readStats()`. */
export const CALL_SCRIPT = `
  window.events = []
  window.call = async (url, headers) => {
    const peer = new RTCPeerConnection()
    window.peer = peer
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
    peer.addTrack(stream.getTracks()[0], stream)
    peer.ontrack = ({ streams }) => {
      const audio = new Audio()
      audio.srcObject = streams[0]
      void audio.play()
      window.audio = audio
    }
    const channel = peer.createDataChannel('oai-events')
    window.channel = channel
    channel.onmessage = ({ data }) => window.events.push(JSON.parse(data))
    const opened = new Promise((resolve) => { channel.onopen = resolve })
    await peer.setLocalDescription(await peer.createOffer())
    const reply = await fetch(url, {
      method: 'POST', body: peer.localDescription.sdp, headers: { 'content-type': 'application/sdp', ...headers },
    })
    if (!reply.ok) throw new Error(await reply.text())
    await peer.setRemoteDescription({ type: 'answer', sdp: await reply.text() })
    await opened
  }
  window.readStats = async () => {
    const found = {}
    for (const stats of (await peer.getStats()).values()) {
      if (stats.type === 'inbound-rtp') Object.assign(found, {
        packets: stats.packetsReceived, lost: stats.packetsLost, jitter: stats.jitter,
        energy: stats.totalAudioEnergy, concealed: stats.concealedSamples, samples: stats.totalSamplesReceived,
        silentConcealed: stats.silentConcealedSamples, jitterDelay: stats.jitterBufferDelay / stats.jitterBufferEmittedCount,
      })
      if (stats.type === 'remote-inbound-rtp') Object.assign(found, { roundTrip: stats.roundTripTime, theirLost: stats.packetsLost })
      if (stats.type === 'remote-outbound-rtp') Object.assign(found, { reported: stats.packetsSent })
    }
    return found
  }`
